"""Secrets that were scrubbed, known by keyed hashes: found again in what is imported.

A few bits of a rolling hash say where a secret may be; the keyed hash of the bytes there decides.
Both need the key of the library, and neither says what the secret was.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from talktree.library.archive.prefix import ReadBytes
from talktree.library.erasure.key import keyed_hash
from talktree.library.erasure.masking import Span, is_packed, mask, mask_packed

if TYPE_CHECKING:
    from talktree.library.database.connection import Database

SECRET = "secret"
PROBE_BITS = 20
_WORD = 1 << 64
_TABLE = 1 << 20
_ALL = "SELECT hash, size, probe FROM scrubs"
_ADD = "INSERT INTO scrubs (hash, size, probe, time) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"


class Scrubs:
    """The scrubbed secrets of a library."""

    def __init__(self, db: Database, root: Path) -> None:
        self._db = db
        self._root = root
        self._hashes: set[bytes] = set()
        self._probes: dict[int, set[int]] = {}
        """Probes by the length of their secrets."""
        self._load()

    def _load(self) -> None:
        for hash, size, probe in self._db.read(_ALL):
            self._hashes.add(bytes(hash))
            self._probes.setdefault(int(size), set()).add(int(probe))
        keyed = keyed_hash(self._root, make=False) if self._hashes else None
        self._keyed = keyed
        self._multiplier = keyed.multiplier() if keyed else 1

    def __bool__(self) -> bool:
        return self._keyed is not None

    @property
    def reach(self) -> int:
        """How many bytes around a place decide whether it is part of a secret."""
        return max(self._probes, default=1) - 1

    def add(self, secrets: Iterable[bytes]) -> None:
        """Remember secrets, in the caller's transaction."""
        keyed = keyed_hash(self._root, make=True)
        assert keyed is not None
        multiplier = keyed.multiplier()
        for secret in secrets:
            probe = _probe(secret, multiplier)
            self._db.run(_ADD, (keyed.of(SECRET, secret), len(secret), probe, time.time_ns()))
        self._load()

    def find(self, data: bytes) -> list[Span]:
        """Where scrubbed secrets are."""
        return [
            (at, at + size)
            for size, probes in self._probes.items()
            for at in _candidates(data, size, probes, self._multiplier)
            if self._is_secret(data[at : at + size])
        ]

    def _is_secret(self, data: bytes) -> bool:
        return self._keyed is not None and self._keyed.of(SECRET, data) in self._hashes


class ScrubbedFile:
    """An open file as it is imported: with stars in the place of scrubbed secrets."""

    def __init__(self, file: int, scrubs: Scrubs) -> None:
        self._file = file
        self._scrubs = scrubs
        self.found = False
        """Whether a secret was met."""
        self._whole: bytes | None = None
        if scrubs and is_packed(os.pread(file, 8, 0)):
            data = _all(file)
            self._whole = mask_packed(data, self._find) or data

    def read(self, start: int, stop: int) -> bytes:
        """The bytes between two places."""
        if self._whole is not None:
            return self._whole[start:stop]
        if not self._scrubs:
            return os.pread(self._file, stop - start, start)
        reach = self._scrubs.reach
        first = max(0, start - reach)
        around = os.pread(self._file, stop - first + reach, first)
        spans = self._find(around)
        return (mask(around, spans) if spans else around)[start - first : stop - first]

    def _find(self, data: bytes) -> list[Span]:
        spans = self._scrubs.find(data)
        self.found = self.found or bool(spans)
        return spans


def read_as_is(file: int) -> ReadBytes:
    """Reads an open file without looking for secrets."""
    return lambda start, stop: os.pread(file, stop - start, start)


def _all(file: int) -> bytes:
    parts, at = [], 0
    while data := os.pread(file, 1 << 20, at):
        parts.append(data)
        at += len(data)
    return b"".join(parts)


def _probe(secret: bytes, multiplier: int) -> int:
    total, power = 0, 1
    for byte in secret:
        total = (total + byte * power) % _WORD
        power = power * multiplier % _WORD
    return total >> (64 - PROBE_BITS)


def _candidates(data: bytes, size: int, probes: set[int], multiplier: int) -> Iterator[int]:
    """Where the rolling hash of the next bytes is that of a secret."""
    if len(data) < size:
        return iter(())
    try:
        import numpy
    except ImportError:
        return _candidates_slowly(data, size, probes, multiplier)
    length = len(data)
    room = max(_TABLE, 1 << (length - 1).bit_length())
    powers = _powers(multiplier, room)[:length]
    inverse = _powers(pow(multiplier, -1, _WORD), room)[: length - size + 1]
    sums = numpy.zeros(length + 1, dtype=numpy.uint64)
    numpy.cumsum(numpy.frombuffer(data, dtype=numpy.uint8) * powers, out=sums[1:])
    windows = ((sums[size:] - sums[:-size]) * inverse) >> numpy.uint64(64 - PROBE_BITS)
    found = [numpy.flatnonzero(windows == numpy.uint64(probe)) for probe in probes]
    return iter(numpy.concatenate(found).tolist())


@lru_cache(maxsize=4)
def _powers(base: int, count: int) -> Any:  # noqa: ANN401
    """The first powers of a number, modulo 2**64."""
    import numpy

    table = numpy.full(count, base, dtype=numpy.uint64)
    table[0] = 1
    return numpy.cumprod(table, dtype=numpy.uint64)


def _candidates_slowly(data: bytes, size: int, probes: set[int], multiplier: int) -> Iterator[int]:
    """The same without numpy, a byte at a time."""
    inverse = pow(multiplier, -1, _WORD)
    last = pow(multiplier, size - 1, _WORD)
    total = 0
    for at, byte in enumerate(data):
        if at < size:
            total = (total + byte * pow(multiplier, at, _WORD)) % _WORD
        else:
            total = ((total - data[at - size]) * inverse + byte * last) % _WORD
        if at >= size - 1 and total >> (64 - PROBE_BITS) in probes:
            yield at - size + 1
