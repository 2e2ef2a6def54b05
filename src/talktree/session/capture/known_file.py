"""The table of known files on disk: lines with a checksum each, the last one of a path counts.

Several processes may append to it, and it may be cut off anywhere: a line is whole or passed over,
and a line that is out of date has a stamp that no file has any more.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec

from talktree.files.durable import unfinished, write_all
from talktree.session.capture.file_state import (
    State,
    from_json,
    name_from_json,
    name_to_json,
    to_json,
)

SPARE = 1000
"""So many lines more than twice those needed make the file worth writing anew."""
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_DIGITS = 16
_decode = msgspec.json.Decoder(tuple[str, tuple[int, ...], dict[str, object]]).decode


class Row(NamedTuple):
    """What one line says."""

    path: bytes
    stamp: tuple[int, ...]
    state: State


class KnownFile:
    """The file; whatever goes wrong with it, it holds less."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._lines = 0

    def rows(self) -> Iterator[Row]:
        """What the lines say, in their order."""
        with contextlib.suppress(OSError), self._place.open("rb") as file:
            for line in file:
                self._lines += 1
                row = _row(line)
                if row is not None:
                    yield row

    def add(self, rows: list[Row], needed: int, every: Callable[[], list[Row]]) -> None:
        """Append lines, or write all of them anew if most are out of date."""
        if not rows:
            return
        with contextlib.suppress(OSError):
            self._place.parent.mkdir(mode=0o700, exist_ok=True)
            if self._lines + len(rows) > 2 * needed + SPARE:
                rows = every()
                self._renew(rows)
                self._lines = len(rows)
            else:
                _append(self._place, rows)
                self._lines += len(rows)

    def _renew(self, rows: list[Row]) -> None:
        building = self._place.with_name(os.fsdecode(unfinished(os.fsencode(self._place.name))))
        try:
            _append(building, rows)
            building.replace(self._place)
        except OSError:
            building.unlink(missing_ok=True)
            raise


def _append(place: Path, rows: Iterable[Row]) -> None:
    data = b"".join(map(_line, rows))
    fd = os.open(place, _FLAGS, 0o600)
    try:
        write_all(fd, data)
    finally:
        os.close(fd)


def _line(row: Row) -> bytes:
    said = msgspec.json.encode((name_to_json(row.path), row.stamp, to_json(row.state)))
    return _checksum(said) + b" " + said + b"\n"


def _row(line: bytes) -> Row | None:
    said = line[_DIGITS + 1 :].rstrip(b"\n")
    if line[:_DIGITS] != _checksum(said):
        return None
    try:
        name, stamp, state = _decode(said)
    except msgspec.MsgspecError:
        return None
    return Row(name_from_json(name), stamp, from_json(state))


def _checksum(said: bytes) -> bytes:
    return blake2b(said, digest_size=_DIGITS // 2).hexdigest().encode()
