"""The files a session knows: what each held when it was last read, and the stamp it had then.

As long as the stamp is the same, the file need not be read again. The table is a cache: losing it
costs reading, and nothing else.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from talktree.session.capture.file_state import File, State
from talktree.session.capture.known_file import KnownFile, Row
from talktree.session.capture.limits import Limits
from talktree.session.capture.path_probe import Looked, Stamp, is_young


class Seen(NamedTuple):
    """What a path held when it was last read."""

    stamp: Stamp
    state: State
    sure: bool
    """Whether a later change must show in the stamp: it was not changed just before."""
    told: bool
    """Whether a line of the log has this state, so that its content is named."""


def seen_of(looked: Looked, read_at: int, limits: Limits, *, told: bool) -> Seen | None:
    """What was seen, if anything was there; `read_at` by the clock that stamps have."""
    if looked.stamp is None:
        return None
    sure = not is_young(looked.stamp, read_at, limits)
    return Seen(looked.stamp, looked.state, sure, told)


class Known:
    """The table of known files of an open session."""

    def __init__(self) -> None:
        self._table: dict[bytes, Seen] = {}
        self._unsaved: set[bytes] = set()
        self._file: KnownFile | None = None
        self._lock = threading.Lock()

    def get(self, path: bytes) -> Seen | None:
        """What is known of a path."""
        return self._table.get(path)

    def paths(self) -> list[bytes]:
        """All paths something is known of."""
        return list(self._table)

    def put(self, path: bytes, seen: Seen | None) -> None:
        """Know this of a path from now on; None: nothing is there."""
        with self._lock:
            if seen is None:
                self._table.pop(path, None)
            else:
                self._table[path] = seen
                self._unsaved.add(path)

    def tell(self, paths: Iterable[bytes]) -> None:
        """A line of the log has the states of these paths now."""
        for path in paths:
            seen = self._table.get(path)
            if seen is not None and not seen.told:
                self.put(path, seen._replace(told=True))

    # the cache for the next process

    def load(self, place: Path, kept: Iterable[str]) -> bool:
        """Take what an earlier process knew, as far as the contents are still kept; once."""
        with self._lock:
            if self._file is not None:
                return False
            self._file = KnownFile(place)
            contents = frozenset(kept)
            for row in self._file.rows():
                if _is_kept(row.state, contents):
                    self._table[row.path] = Seen(row.stamp, row.state, sure=True, told=True)
                else:
                    self._table.pop(row.path, None)
        return True

    def save(self) -> None:
        """Keep what is new for the next process; if that fails, that one reads more."""
        with self._lock:
            if self._file is None:
                return
            new, self._unsaved = self._unsaved, set()
            self._file.add(self._rows(new), len(self._table), lambda: self._rows(self._table))

    def _rows(self, paths: Iterable[bytes]) -> list[Row]:
        """Only what is certain and named by the log."""
        found = ((path, self._table.get(path)) for path in paths)
        return [
            Row(path, seen.stamp, seen.state)
            for path, seen in found
            if seen is not None and seen.sure and seen.told
        ]


def _is_kept(state: State, contents: Collection[str]) -> bool:
    if not isinstance(state, File):
        return True
    return all(name in contents for name in state.chunks or (state.hash,))
