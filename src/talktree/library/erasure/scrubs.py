"""Scrubbed secrets, known by keyed hashes, and masked again in what is imported.

A few bits of a rolling hash show where a secret may be; the keyed hash of the bytes there decides.
Both need the key of the library, and neither reveals the secret.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from talktree.library.archive.prefix import ReadBytes
from talktree.library.erasure.key import keyed_hash
from talktree.library.erasure.masking import Span, mask_spans
from talktree.library.erasure.packed_members import is_packed, mask_packed
from talktree.library.erasure.readings import detect_encoding, is_json
from talktree.library.erasure.rolling_hash import compute_probe, find_candidates
from talktree.library.erasure.secret_forms import find_secrets, reach_of

if TYPE_CHECKING:
    from talktree.library.database.connection import Database
    from talktree.library.erasure.secret_forms import KnownSecrets

SECRET = "secret"
HEAD = 256
"""How many bytes of a file are enough to detect its encoding."""
_ALL = "SELECT hash, size, probe FROM scrubs"
_ADD = "INSERT INTO scrubs (hash, size, probe, time) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"


class Scrubs:
    """The scrubbed secrets of a library."""

    only_in_strings = True

    def __init__(self, db: Database, root: Path) -> None:
        self._db = db
        self._root = root
        self._hashes: set[bytes] = set()
        self._probes: dict[int, set[int]] = {}
        """Probes by the length of their secrets."""
        self._load()

    def _load(self) -> None:
        for hash, size, bits in self._db.read(_ALL):
            self._hashes.add(bytes(hash))
            self._probes.setdefault(int(size), set()).add(int(bits))
        keyed = keyed_hash(self._root, make=False) if self._hashes else None
        self._keyed = keyed
        self._multiplier = keyed.multiplier() if keyed else 1

    def __bool__(self) -> bool:
        return self._keyed is not None

    @property
    def longest(self) -> int:
        """The length of the longest one in bytes."""
        return max(self._probes, default=0)

    def add(self, secrets: KnownSecrets) -> None:
        """Store secrets, in the caller's transaction."""
        keyed = keyed_hash(self._root, make=True)
        assert keyed is not None
        multiplier, now = keyed.multiplier(), time.time_ns()
        for form in sorted(secrets.forms):
            row = keyed.hash_value(SECRET, form), len(form), compute_probe(form, multiplier), now
            self._db.run(_ADD, row)
        self._load()

    def may_be_escaped(self, data: bytes) -> bool:
        """Whether some bytes have escapes."""
        return b"\\" in data or b"&" in data

    def find_spans(self, data: bytes) -> Iterator[Span]:
        """Yield the spans of scrubbed secrets."""
        for size, probes in self._probes.items():
            for at in find_candidates(data, size, probes, self._multiplier):
                if self._is_secret(data[at : at + size]):
                    yield at, at + size

    def _is_secret(self, data: bytes) -> bool:
        return self._keyed is not None and self._keyed.hash_value(SECRET, data) in self._hashes


class ScrubbedFile:
    """An open file as it is imported: with scrubbed secrets masked."""

    def __init__(self, file: int, scrubs: Scrubs) -> None:
        self._file = file
        self._scrubs = scrubs
        self.found = False
        """Whether a secret was found."""
        self._whole: bytes | None = None
        head = os.pread(file, HEAD, 0)
        self._encoding, self._json = detect_encoding(head), is_json(head)
        self._reach = reach_of(scrubs)
        if scrubs and is_packed(head):
            self._whole = mask_packed(_read_all(file), self._find_in_member).data

    def size(self, size: int) -> int:
        """Return the archived size of a file of some size: stars may compress less."""
        return size if self._whole is None else len(self._whole)

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes between two offsets."""
        if self._whole is not None:
            return self._whole[start:stop]
        if not self._scrubs:
            return os.pread(self._file, stop - start, start)
        first = max(0, start - self._reach) & ~1
        around = os.pread(self._file, stop - first + self._reach, first)
        spans = self._note_spans(
            find_secrets(self._scrubs, around, self._encoding, json=self._json)
        )
        return (mask_spans(around, spans) if spans else around)[start - first : stop - first]

    def _find_in_member(self, text: bytes) -> list[Span]:
        head = text[:HEAD]
        return self._note_spans(
            find_secrets(self._scrubs, text, detect_encoding(head), json=is_json(head))
        )

    def _note_spans(self, spans: list[Span]) -> list[Span]:
        self.found = self.found or bool(spans)
        return spans


def make_plain_reader(file: int) -> ReadBytes:
    """Return a reader of an open file that does not look for secrets."""
    return lambda start, stop: os.pread(file, stop - start, start)


def _read_all(file: int) -> bytes:
    parts, at = [], 0
    while data := os.pread(file, 1 << 20, at):
        parts.append(data)
        at += len(data)
    return b"".join(parts)
