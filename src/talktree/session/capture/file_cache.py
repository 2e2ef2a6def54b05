"""A cache of the files that a session knows: their last known content, with the file's stamp.

As long as the stamp is the same, the file need not be read again. If the cache is lost, files are
read again, and nothing else is lost.

On disk the cache is lines with a checksum each; the last line of a path counts. Several processes
may append to it, and it may be truncated anywhere: a line is complete or ignored, and an outdated
line has a stamp that no file has any more.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec

from talktree.files.durable import make_temporary_name, write_all
from talktree.session.capture.file_state import (
    FileContentState,
    State,
    from_json,
    name_from_json,
    name_to_json,
    to_json,
)
from talktree.session.capture.limits import Limits
from talktree.session.capture.path_probe import LookedState, Stamp, is_young

SPARE = 1000
"""The file is rewritten when it has this many lines more than twice those needed."""
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_DIGITS = 16
_decode = msgspec.json.Decoder(tuple[str, tuple[int, ...], dict[str, object]]).decode


class KnownFileRow(NamedTuple):
    """The content of one line."""

    path: bytes
    stamp: tuple[int, ...]
    state: State


class FileCacheFile:
    """The cache file; any error only makes it hold less."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._lines = 0

    def read_rows(self) -> Iterator[KnownFileRow]:
        """Yield the rows in their order."""
        with contextlib.suppress(OSError), self._place.open("rb") as file:
            for line in file:
                self._lines += 1
                row = _parse_row(line)
                if row is not None:
                    yield row

    def add(
        self, rows: list[KnownFileRow], needed: int, every: Callable[[], list[KnownFileRow]]
    ) -> None:
        """Append rows, or rewrite the file if most of them are outdated."""
        if not rows:
            return
        with contextlib.suppress(OSError):
            self._place.parent.mkdir(mode=0o700, exist_ok=True)
            if self._lines + len(rows) > 2 * needed + SPARE:
                rows = every()
                self._renew(rows)
                self._lines = len(rows)
            else:
                _append_rows(self._place, rows)
                self._lines += len(rows)

    def _renew(self, rows: list[KnownFileRow]) -> None:
        building = self._place.with_name(
            os.fsdecode(make_temporary_name(os.fsencode(self._place.name)))
        )
        try:
            _append_rows(building, rows)
            building.replace(self._place)
        except OSError:
            building.unlink(missing_ok=True)
            raise


def _append_rows(place: Path, rows: Iterable[KnownFileRow]) -> None:
    data = b"".join(map(_format_line, rows))
    fd = os.open(place, _FLAGS, 0o600)
    try:
        write_all(fd, data)
    finally:
        os.close(fd)


def _format_line(row: KnownFileRow) -> bytes:
    said = msgspec.json.encode((name_to_json(row.path), row.stamp, to_json(row.state)))
    return _compute_checksum(said) + b" " + said + b"\n"


def _parse_row(line: bytes) -> KnownFileRow | None:
    said = line[_DIGITS + 1 :].rstrip(b"\n")
    if line[:_DIGITS] != _compute_checksum(said):
        return None
    try:
        name, stamp, state = _decode(said)
    except msgspec.MsgspecError:
        return None
    return KnownFileRow(name_from_json(name), stamp, from_json(state))


def _compute_checksum(said: bytes) -> bytes:
    return blake2b(said, digest_size=_DIGITS // 2).hexdigest().encode()


class KnownState(NamedTuple):
    """The state of a path when it was last read."""

    stamp: Stamp
    state: State
    sure: bool
    """Whether a later change must show in the stamp: the file was not changed just before."""
    details: bool
    """Whether a line of the log has this state, so that its content is referenced."""


def to_known_state(
    looked: LookedState, read_at: int, limits: Limits, *, details: bool
) -> KnownState | None:
    """Return what was read as a known state; `read_at` is in the clock of stamps."""
    if looked.stamp is None:
        return None
    sure = not is_young(looked.stamp, read_at, limits)
    return KnownState(looked.stamp, looked.state, sure, details)


class KnownFiles:
    """The cache of known files of an open session."""

    def __init__(self) -> None:
        self._table: dict[bytes, KnownState] = {}
        self._unsaved: set[bytes] = set()
        self._file: FileCacheFile | None = None
        self._lock = threading.Lock()

    def get(self, path: bytes) -> KnownState | None:
        """Return what is known of a path."""
        return self._table.get(path)

    def paths(self) -> list[bytes]:
        """Return all known paths."""
        return list(self._table)

    def put(self, path: bytes, seen: KnownState | None) -> None:
        """Set what is known of a path; None if nothing is there."""
        with self._lock:
            if seen is None:
                self._table.pop(path, None)
            else:
                self._table[path] = seen
                self._unsaved.add(path)

    def mark_logged(self, paths: Iterable[bytes]) -> None:
        """Note that a line of the log has the current states of these paths."""
        for path in paths:
            seen = self._table.get(path)
            if seen is not None and not seen.details:
                self.put(path, seen._replace(details=True))

    # the cache for the next process

    def load(self, place: Path, kept: Iterable[str]) -> bool:
        """Load the cache of an earlier process, limited to stored contents; only once."""
        with self._lock:
            if self._file is not None:
                return False
            self._file = FileCacheFile(place)
            contents = frozenset(kept)
            for row in self._file.read_rows():
                if _is_kept(row.state, contents):
                    self._table[row.path] = KnownState(
                        row.stamp, row.state, sure=True, details=True
                    )
                else:
                    self._table.pop(row.path, None)
        return True

    def save(self) -> None:
        """Save what is new for the next process; if that fails, that process reads more."""
        with self._lock:
            if self._file is None:
                return
            new, self._unsaved = self._unsaved, set()
            self._file.add(
                self._make_rows(new), len(self._table), lambda: self._make_rows(self._table)
            )

    def _make_rows(self, paths: Iterable[bytes]) -> list[KnownFileRow]:
        """Return rows of states that are certain and referenced by the log."""
        found = ((path, self._table.get(path)) for path in paths)
        return [
            KnownFileRow(path, seen.stamp, seen.state)
            for path, seen in found
            if seen is not None and seen.sure and seen.details
        ]


def _is_kept(state: State, contents: Collection[str]) -> bool:
    if not isinstance(state, FileContentState):
        return True
    return all(name in contents for name in state.chunks or (state.hash,))
