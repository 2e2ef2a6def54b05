"""Import what was named at the start, and from then on whatever changes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from talktree.errors import TalktreeError
from talktree.library.importing.watch import QUIET
from talktree.library.library import Library
from talktree.library.retention.schedule import RetentionSchedule
from talktree.web.actions.import_ import import_paths
from talktree.web.job_runner import JobProgress, JobResult, Work

EVERY = 1.0
"""Seconds between two checks of the sources."""
SHARE = 20
"""Checking takes at most this fraction of the time (one in 20), however many files there are."""
LONGEST = 60.0


def start_import(
    root: Path | None, paths: Sequence[Path], *, known: bool = False, retention: bool = False
) -> Work:
    """Return a job that imports some paths, or all places so far; with retention if requested."""

    def work(progress: JobProgress) -> JobResult:
        """Import them."""
        with Library.open(root, write=True) as library:
            import_paths(library, paths, progress, known=known, retention=retention)
        return JobResult()

    return work


class Follower(threading.Thread):
    """Checks the sources repeatedly, and imports what is new."""

    def __init__(
        self,
        root: Path | None,
        paths: Sequence[Path],
        *,
        every: float = EVERY,
        retention: RetentionSchedule | None = None,
        looked: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(name="talktree-follower", daemon=True)
        self.root = root
        self.paths = paths
        self.every = every
        self.retention = retention
        self.looked = looked
        """Called after each check."""
        self._ended = threading.Event()
        self._may_begin: Callable[[], bool] = lambda: True

    def begin_when(self, may_begin: Callable[[], bool]) -> None:
        """Begin only when this is true."""
        self._may_begin = may_begin

    def run(self) -> None:
        while not self._may_begin():
            if self._ended.wait(self.every / 4):
                return
        with Library.open(self.root, write=True) as library:
            while not self._ended.wait(self._look_once(library)):
                pass

    def stop(self) -> None:
        """Stop checking; a running check is finished first."""
        self._ended.set()
        if self.is_alive():
            self.join(5.0)

    def _look_once(self, library: Library) -> float:
        """Check once, and return how many seconds to wait then."""
        began = time.monotonic()
        try:
            library.import_(self.paths, wait=self.every, quiet=QUIET)
            if self.retention is not None:
                self.retention.run(library)
        except (TalktreeError, OSError):
            pass  # another process is importing, or a path is missing: the next check shows it
        with suppress(TalktreeError):
            self.looked()
        took = time.monotonic() - began
        return max(self.every, min(took * SHARE, LONGEST))
