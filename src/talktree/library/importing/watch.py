"""Watching places: scan, import what changed, wait, repeat."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from talktree.errors import LockHeld
from talktree.library.importing.import_changes import import_
from talktree.library.importing.result import ImportResult, Tell

if TYPE_CHECKING:
    from talktree.library.library import Library
    from talktree.library.sources.scan import ImportRoots

EVERY = 1.0
SHARE = 20
"""Scanning takes at most one part in this many of the time, however many files there are."""
QUIET = 10.0
"""A file that did not change for this many seconds is compared as a whole."""


def watch(
    library: Library,
    roots: ImportRoots,
    *,
    every: float = EVERY,
    progress: Tell | None = None,
    quiet: float = QUIET,
) -> Iterator[ImportResult]:
    """Yield the result of each scan that imported something.

    While a file grows, only a sample of its older part is compared each time. Its versions are
    provisional until it was quiet and all of it was compared. The lock is held only during an
    import, so that others can import meanwhile. A failure is reported once, not with every scan.
    """
    facts: set[tuple[bytes, str]] = set()
    while True:
        began = time.monotonic()
        try:
            result = import_(library, roots, progress=progress, wait=every, quiet=quiet)
        except LockHeld:
            result = ImportResult()
        failures = {(path, failure.message) for path, failure in result.failed}
        news = failures - facts
        facts = failures
        result.failed = [each for each in result.failed if (each[0], each[1].message) in news]
        if result.changed or result.failed:
            yield result
        took = time.monotonic() - began
        time.sleep(max(every - took, min(took * SHARE, 60.0) if took > every / SHARE else 0.0))
