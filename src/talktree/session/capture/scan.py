"""Watching folders while a tool works: their state before, and the changes afterwards.

Files with a known stamp are not read. The others are read and stored before the tool may work,
within limits; anything beyond them is reported.

A walk finds the stamp of everything in the folders without reading a file. A folder is visited
completely or not at all, so a path that is missing in a visited folder did not exist; skipped
folders are listed with the reason.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from talktree.errors import PathEscapes
from talktree.files.sandbox import Anchor
from talktree.session.capture.file_cache import KnownState, to_known_state
from talktree.session.capture.file_state import (
    ABSENT,
    FileContentState,
    State,
    UnknownState,
    is_same,
    name_to_json,
)
from talktree.session.capture.limits import Limits
from talktree.session.capture.path_probe import (
    LookedState,
    Stamp,
    make_stamp,
    read_clock,
    read_state_and_stamp,
)
from talktree.session.capture.snapshots import FileChange

if TYPE_CHECKING:
    from talktree.session.handle import SessionHandle


HERE = b"."
"""The workspace itself, as a folder to watch."""
_GONE = (errno.ENOENT, errno.ENOTDIR)


@dataclass
class WalkResult:
    """The result of a walk."""

    stamps: dict[bytes, Stamp] = field(default_factory=dict)
    """Every path and its stamp; paths outside the roots are not included."""
    closed: dict[bytes, str] = field(default_factory=dict)
    """Skipped folders, and why."""
    at: int = 0
    """When the walk began, in the clock of stamps."""

    def is_unvisited(self, path: bytes) -> bool:
        """Whether a path is in a folder that was skipped."""
        return bool(self.closed) and not self.closed.keys().isdisjoint(list_folders_above(path))


def list_folders_above(path: bytes) -> Iterable[bytes]:
    """Return all folders above a path, the nearest first; the workspace itself is last."""
    while path and path != HERE:
        path = path.rpartition(b"/")[0] or HERE
        yield path


def find_outermost(roots: Iterable[bytes]) -> list[bytes]:
    """Return the roots without those inside another one."""
    every = set(roots)
    return sorted(root for root in every if every.isdisjoint(list_folders_above(root)))


class Walker:
    """Walks through the folders of a workspace, except those that must not be touched."""

    def __init__(
        self, workspace: Anchor, limits: Limits, untouched: Collection[tuple[int, int]] = ()
    ) -> None:
        self._workspace = workspace
        self._limits = limits
        self._untouched = frozenset(untouched)

    def walk(self, roots: Iterable[bytes], without: Collection[bytes] = ()) -> WalkResult:
        """Visit the roots, except some folders."""
        found = WalkResult(at=read_clock())
        end = time.monotonic() + self._limits.seconds
        waiting = [root for root in find_outermost(roots) if self._begin_root(root, found)][::-1]
        while waiting:
            folder = waiting.pop()
            if folder in without:
                found.closed[folder] = "it was not gone through before"
            elif time.monotonic() > end:
                found.closed[folder] = f"a scan takes at most {self._limits.seconds:g} seconds"
            else:
                waiting += self._walk_folder(folder, found)
        return found

    def _begin_root(self, root: bytes, found: WalkResult) -> bool:
        """Add a root, and return whether it is a folder to visit."""
        if root == HERE:
            return True
        there = self._workspace.lstat(root)
        if there is None or self._is_untouched(root.rpartition(b"/")[2], there):
            return False
        found.stamps[root] = make_stamp(there)
        return stat.S_ISDIR(there.st_mode)

    def _walk_folder(self, folder: bytes, found: WalkResult) -> list[bytes]:
        """Visit one folder and return the folders in it."""
        try:
            stamps, inner = self._list_folder(folder, self._limits.entries - len(found.stamps))
        except OSError as error:
            if error.errno not in _GONE:
                found.closed[folder] = f"cannot be read: {error.strerror or error}"
            return []
        except PathEscapes as error:
            found.closed[folder] = error.message
            return []
        if stamps is None:
            found.closed[folder] = f"a scan goes through at most {self._limits.entries:,} entries"
            return []
        found.stamps.update(stamps)
        return inner

    def _list_folder(
        self, folder: bytes, most: int
    ) -> tuple[dict[bytes, Stamp] | None, list[bytes]]:
        """Return the stamps of a folder's members, or None if there are too many."""
        above = b"" if folder == HERE else folder + b"/"
        stamps: dict[bytes, Stamp] = {}
        inner: list[bytes] = []
        fd = self._workspace.open_folder(folder)
        try:
            with os.scandir(fd) as entries:
                for entry in entries:
                    name = entry.name.encode("utf-8", "surrogateescape")
                    try:
                        there = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    if self._is_untouched(name, there):
                        continue
                    if len(stamps) >= most:
                        return None, []
                    path = above + name
                    stamps[path] = make_stamp(there)
                    if stat.S_ISDIR(there.st_mode):
                        inner.append(path)
        finally:
            os.close(fd)
        return stamps, inner

    def _is_untouched(self, name: bytes, there: os.stat_result) -> bool:
        return name in self._limits.skipped or (
            stat.S_ISDIR(there.st_mode) and (there.st_dev, there.st_ino) in self._untouched
        )

    def explain_untouched(self, path: bytes) -> str | None:
        """Return why a path must not be touched: it is protected, or is in a protected folder."""
        for each in (path, *list_folders_above(path)):
            name = each.rpartition(b"/")[2]
            if name in self._limits.skipped:
                return f"{os.fsdecode(name)} is never touched"
            there = None if each == HERE else self._workspace.lstat(each)
            if there is not None and self._is_untouched(name, there):
                return "the store of sessions itself is never touched"
        return None


_SIZE = 2
_LEFT_OUT = "not read: a scan reads"


class _Reader:
    """Reads unknown files, up to a number of bytes and seconds."""

    def __init__(self, opened: SessionHandle) -> None:
        assert opened.workspace is not None
        self._workspace, self._contents = opened.workspace, opened.contents
        self._limits = opened.limits
        self._bytes = self._limits.new_bytes
        self._end = time.monotonic() + self._limits.seconds

    def explain_skip(self, stamp: Stamp) -> str | None:
        """Return why a file with this stamp is not read any more."""
        size = stamp[_SIZE] if len(stamp) > _SIZE else 0
        if size <= self._limits.largest_file and size > self._bytes:
            return f"{_LEFT_OUT} at most {self._limits.new_bytes:,} new bytes"
        if time.monotonic() > self._end:
            return f"{_LEFT_OUT} for at most {self._limits.seconds:g} seconds"
        return None

    def read(self, path: bytes) -> LookedState:
        """Read the state of a path and store its content."""
        try:
            found = read_state_and_stamp(self._workspace, path, self._contents, self._limits)
        except PathEscapes as error:
            return LookedState(UnknownState(error.message))
        if isinstance(found.state, FileContentState):
            self._bytes -= found.state.size
        return found


class FolderScan:
    """The watched folders of a step."""

    def __init__(self, opened: SessionHandle, walker: Walker, roots: Iterable[bytes]) -> None:
        self.roots = find_outermost(roots)
        self.untold: list[tuple[bytes, State]] = []
        """States that were found and are not in the log yet."""
        self._opened, self._walker = opened, walker
        self._known = opened.known
        self._walks: list[WalkResult] = []
        self._before: dict[bytes, KnownState] = {}
        self._odd: dict[bytes, str] = {}
        self._left_out: dict[str, int] = {}

    # before

    def begin(self) -> None:
        """Record the current state and store contents that are not known yet."""
        walk = self._walker.walk(self.roots)
        self._walks = [walk]
        reader = _Reader(self._opened)
        known = self._known
        for path, stamp in walk.stamps.items():
            seen: KnownState | None = known.get(path)
            if seen is None or seen.stamp != stamp or not seen.sure or not seen.details:
                seen = self._read_path(reader, path, stamp)
            if seen is not None:
                self._before[path] = seen
                if type(seen.state) is UnknownState:
                    self._note_unreadable(path, seen.state)
        self._forget_gone(walk)

    def _read_path(self, reader: _Reader, path: bytes, stamp: Stamp) -> KnownState | None:
        why = reader.explain_skip(stamp)
        if why is not None:
            return KnownState(stamp, UnknownState(why), sure=False, details=True)
        at = read_clock()
        found, old = reader.read(path), self._known.get(path)
        details = old is not None and old.details and is_same(old.state, found.state)
        seen = to_known_state(found, at, self._opened.limits, details=details)
        self._known.put(path, seen)
        if seen is not None and not details:
            self.untold.append((path, found.state))
        return seen

    def _forget_gone(self, walk: WalkResult) -> None:
        for path in self._known.paths():
            if path not in walk.stamps and self._is_watched(path) and not walk.is_unvisited(path):
                self._known.put(path, None)
                self.untold.append((path, ABSENT))

    def _is_watched(self, path: bytes) -> bool:
        return path in self.roots or not set(self.roots).isdisjoint(list_folders_above(path))

    def state_before(self, path: bytes) -> State | None:
        """Return the state of a path when the scan began; None if it is not known."""
        seen = self._before.get(path)
        if seen is not None:
            return seen.state
        if not self._is_watched(path) or self._walks[0].is_unvisited(path):
            return None
        return ABSENT

    # after

    def end(self) -> list[FileChange]:
        """Return the changes since the scan began; new contents are stored."""
        walk = self._walker.walk(self.roots, self._walks[0].closed)
        self._walks.append(walk)
        reader = _Reader(self._opened)
        found = []
        for path, before, after in self._find_changes(walk, reader):
            if not is_same(before, after):
                found.append(FileChange(path, before, after))
            if isinstance(after, UnknownState):
                self._note_unreadable(path, after)
        return found

    def _find_changes(
        self, walk: WalkResult, reader: _Reader
    ) -> Iterator[tuple[bytes, State, State]]:
        for path, seen in self._before.items():
            stamp = walk.stamps.get(path)
            if stamp is None:
                if not walk.is_unvisited(path):
                    self._known.put(path, None)
                    yield path, self._to_restorable(seen.state), ABSENT
            elif stamp != seen.stamp:
                yield path, self._to_restorable(seen.state), self._read_state(reader, path, stamp)
            elif (
                not seen.sure
                and type(seen.state) is not UnknownState
                and not reader.explain_skip(stamp)
            ):
                # Changed so recently that its times prove nothing.
                now = self._read_state(reader, path, stamp)
                if not is_same(seen.state, now):
                    yield path, self._to_restorable(seen.state), now
        for path, stamp in walk.stamps.items():
            if path not in self._before:
                yield path, ABSENT, self._read_state(reader, path, stamp)

    def _to_restorable(self, state: State) -> State:
        """Return the state, or unknown if its content is not stored any more."""
        if isinstance(state, FileContentState) and not self._opened.contents.has_content(state):
            return UnknownState("its earlier content is not kept any more")
        return state

    def _read_state(self, reader: _Reader, path: bytes, stamp: Stamp) -> State:
        seen = self._read_path(reader, path, stamp)
        return ABSENT if seen is None else seen.state

    # what is not covered

    def _note_unreadable(self, path: bytes, state: UnknownState) -> None:
        if state.why.startswith(_LEFT_OUT):
            self._left_out[state.why] = self._left_out.get(state.why, 0) + 1
        else:
            self._odd[path] = state.why

    def list_uncovered(self) -> Iterator[tuple[str, str]]:
        """Yield paths that cannot be restored, and why."""
        closed = dict(self._walks[0].closed)
        for walk in self._walks[1:]:
            closed = {**walk.closed, **closed}
        single = {**closed, **self._odd}
        most = self._opened.limits.reported_uncovered
        for path in list(single)[:most]:
            yield name_to_json(path), single[path]
        root = name_to_json(self.roots[0]) if self.roots else HERE.decode()
        if len(single) > most:
            yield root, f"{len(single) - most:,} more paths are not covered"
        for why, count in self._left_out.items():
            yield root, f"{count:,} files were {why}"
