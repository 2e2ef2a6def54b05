"""Look for changes below paths, and import them if there are any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talktree.errors import Failure
from talktree.library.fulltext.index_checksums import is_recorded
from talktree.library.importing.result import (
    FailedPath,
    ImportResult,
    Pulse,
    Tell,
)
from talktree.library.sources.changes import (
    NOTHING,
    SourceScan,
    scan_paths,
)
from talktree.library.sources.scan import COMPANION_FOLDERS

if TYPE_CHECKING:
    from talktree.library.library import Library
    from talktree.library.sources.scan import ImportRoots

WAIT = 5.0
"""Seconds to wait for another import to end."""
DIRTY = "SELECT id, archived FROM sources WHERE indexed <> archived"
_COMPANIONS_KEPT = "SELECT 1 FROM about WHERE key = 'companions'"
_SAY_COMPANIONS_KEPT = "INSERT INTO about (key, value) VALUES ('companions', 'kept')"
_LOOK_AGAIN = """
DELETE FROM files WHERE source = 0 AND state = 'other' AND generation IS NULL
  AND instr(path, CAST(? AS BLOB)) > 0
"""
_UNSETTLED = "SELECT 1 FROM about WHERE key = 'unsettled'"


def import_(
    library: Library,
    roots: ImportRoots,
    *,
    progress: Tell | None = None,
    pulse: Pulse | None = None,
    wait: float = WAIT,
    quiet: float | None = None,
) -> ImportResult:
    """Import what is new below some paths. An unchanged file costs one `stat`.

    With `quiet`, growing files are compared with the archive by samples, and as a whole once they
    did not change for that many seconds; otherwise always as a whole.
    """
    if not library.lock.try_acquire():
        seen = _scan_roots(library, roots, quiet)
        if seen.is_idle and not _is_unfinished(library):
            return _make_result(seen)
        with library.lock.hold(wait):
            return _import(library, roots, progress, pulse, quiet)
    try:
        return _import(library, roots, progress, pulse, quiet)
    finally:
        library.lock.release()


def _import(
    library: Library,
    roots: ImportRoots,
    progress: Tell | None,
    pulse: Pulse | None,
    quiet: float | None,
) -> ImportResult:
    if library.has_pending_erasure():
        from talktree.library.erasure.finish import finish_erasures

        finish_erasures(library)
    _recheck_companions(library)
    seen = _scan_roots(library, roots, quiet)
    result = _make_result(seen)
    if seen.is_idle and not _is_unfinished(library):
        return result
    from talktree.library.importing.import_run import ImportRun  # only if there are changes

    if not library.has_fulltext():
        library.open_fulltext_for_writing()
    sampled = quiet is not None
    ImportRun(
        library, seen, _find_dirty_sources(library), result, progress, pulse, sampled=sampled
    ).run()
    if dirty := _find_dirty_sources(library):
        # The full text was broken and was begun anew.
        ImportRun(library, NOTHING, dirty, result, progress, pulse).run()
    return result


def _find_dirty_sources(library: Library) -> dict[int, int]:
    """Return the sources whose full text is behind the tables, and their sizes."""
    return dict(library.db.read(DIRTY))


def _scan_roots(library: Library, roots: ImportRoots, quiet: float | None) -> SourceScan:
    return scan_paths(
        library.db,
        roots.paths,
        leave=(library.path,),
        quiet=quiet,
        every=roots.every,
        is_forgotten=library.tombstones().find_number,
    )


def _recheck_companions(library: Library) -> None:
    """Schedule a new look at files that were skipped when companion files were not archived yet."""
    db = library.db
    if db.read_one(_COMPANIONS_KEPT) is None:
        with db.transaction():
            for name in COMPANION_FOLDERS:
                db.run(_LOOK_AGAIN, (b"/" + name + b"/",))
            db.run(_SAY_COMPANIONS_KEPT)


def _is_unfinished(library: Library) -> bool:
    """Whether an import before this one was interrupted, or the full text is missing."""
    if not library.has_fulltext() or library.db.read_one(_COMPANIONS_KEPT) is None:
        return True
    return (
        library.db.read_one(DIRTY + " LIMIT 1") is not None
        or library.has_pending_erasure()
        or library.db.read_one(_UNSETTLED) is not None
        or not is_recorded(library.db)
    )


def _make_result(seen: SourceScan) -> ImportResult:
    result = ImportResult(
        seen=seen.seen,
        unchanged=seen.unchanged,
        passed_over=seen.passed_over,
        files_opened=seen.opened,
    )
    result.tombstones |= seen.forgotten
    for path, why, absent in seen.closed:
        shown = path.decode("utf-8", "surrogateescape")
        kind = "not-found" if absent else "unreadable"
        result.failed.append(FailedPath(path, Failure(kind, f"{shown}: {why}", None, 3)))
    return result
