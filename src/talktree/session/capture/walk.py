"""Going through folders without reading a file: the stamp of everything there is.

A folder is gone through whole or not at all, so that what a walk does not have was not there;
folders it could not or may not go through are named, with the reason.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from talktree.errors import Escapes
from talktree.files.sandbox import Anchor
from talktree.session.capture.limits import Limits
from talktree.session.capture.path_probe import Stamp, clock, stamp_of

HERE = b"."
"""The workspace itself, as a folder to watch."""
_GONE = (errno.ENOENT, errno.ENOTDIR)


@dataclass
class Walk:
    """What a walk found."""

    stamps: dict[bytes, Stamp] = field(default_factory=dict)
    """Every path and its stamp; what is nowhere below the roots is not in it."""
    closed: dict[bytes, str] = field(default_factory=dict)
    """Folders that were not gone through, and why."""
    at: int = 0
    """When it began, by the clock that stamps have."""

    def is_blind(self, path: bytes) -> bool:
        """Whether a path lies in a folder that was not gone through."""
        return bool(self.closed) and not self.closed.keys().isdisjoint(folders_above(path))


def folders_above(path: bytes) -> Iterable[bytes]:
    """All folders a path is in, the nearest first; last the workspace itself."""
    while path and path != HERE:
        path = path.rpartition(b"/")[0] or HERE
        yield path


def outermost(roots: Iterable[bytes]) -> list[bytes]:
    """The roots without those that lie in another one."""
    every = set(roots)
    return sorted(root for root in every if every.isdisjoint(folders_above(root)))


class Walker:
    """Walks through the folders of a workspace, never into what must not be touched."""

    def __init__(
        self, workspace: Anchor, limits: Limits, untouched: Collection[tuple[int, int]] = ()
    ) -> None:
        self._workspace = workspace
        self._limits = limits
        self._untouched = frozenset(untouched)

    def walk(self, roots: Iterable[bytes], without: Collection[bytes] = ()) -> Walk:
        """Go through the roots, but not into some folders."""
        found = Walk(at=clock())
        end = time.monotonic() + self._limits.seconds
        waiting = [root for root in outermost(roots) if self._begin(root, found)][::-1]
        while waiting:
            folder = waiting.pop()
            if folder in without:
                found.closed[folder] = "it was not gone through before"
            elif time.monotonic() > end:
                found.closed[folder] = f"a scan takes at most {self._limits.seconds:g} seconds"
            else:
                waiting += self._enter(folder, found)
        return found

    def _begin(self, root: bytes, found: Walk) -> bool:
        """Whether a root is a folder to go through; it is a path itself, too."""
        if root == HERE:
            return True
        there = self._workspace.lstat(root)
        if there is None or self._is_untouched(root.rpartition(b"/")[2], there):
            return False
        found.stamps[root] = stamp_of(there)
        return stat.S_ISDIR(there.st_mode)

    def _enter(self, folder: bytes, found: Walk) -> list[bytes]:
        """Go through one folder; gives the folders in it."""
        try:
            stamps, inner = self._list(folder, self._limits.entries - len(found.stamps))
        except OSError as error:
            if error.errno not in _GONE:
                found.closed[folder] = f"cannot be read: {error.strerror or error}"
            return []
        except Escapes as error:
            found.closed[folder] = error.message
            return []
        if stamps is None:
            found.closed[folder] = f"a scan goes through at most {self._limits.entries:,} entries"
            return []
        found.stamps.update(stamps)
        return inner

    def _list(self, folder: bytes, most: int) -> tuple[dict[bytes, Stamp] | None, list[bytes]]:
        """The stamps of what is in a folder, or None if that is more than may be."""
        above = b"" if folder == HERE else folder + b"/"
        stamps: dict[bytes, Stamp] = {}
        inner: list[bytes] = []
        fd = self._workspace.folder(folder)
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
                    stamps[path] = stamp_of(there)
                    if stat.S_ISDIR(there.st_mode):
                        inner.append(path)
        finally:
            os.close(fd)
        return stamps, inner

    def _is_untouched(self, name: bytes, there: os.stat_result) -> bool:
        return name in self._limits.skipped or (
            stat.S_ISDIR(there.st_mode) and (there.st_dev, there.st_ino) in self._untouched
        )

    def why_untouched(self, path: bytes) -> str | None:
        """Why a path must be left alone: it is, or lies in, what is never touched."""
        for each in (path, *folders_above(path)):
            name = each.rpartition(b"/")[2]
            if name in self._limits.skipped:
                return f"{os.fsdecode(name)} is never touched"
            there = None if each == HERE else self._workspace.lstat(each)
            if there is not None and self._is_untouched(name, there):
                return "the store of sessions itself is never touched"
        return None
