"""The import: walk, compare, take in what changed, in transactions of bounded size.

A kill at any point loses nothing that was committed. The order is what makes it so: archive, facts
and how far they go are one transaction; then the documents are committed; then the tables say that
they were. What lies between is done again by the next import, from the archive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from talktree.errors import Failure
from talktree.library.fulltext.index_checksums import is_recorded
from talktree.library.importing.result import Failed, Imported, Pulse, Tell
from talktree.library.sources.changes import NOTHING, Look, look
from talktree.library.sources.find import COMPANION_FOLDERS

if TYPE_CHECKING:
    from talktree.library.importing.places import ImportRoots
    from talktree.library.library import Library

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
) -> Imported:
    """Take in what is new below some paths. What did not change costs a `stat`.

    With `quiet`, files that grow are compared with the archive by samples, and wholly once they
    did not change for that many seconds; otherwise always wholly.
    """
    if not library.lock.taken():
        seen = _look(library, roots, quiet)
        if seen.is_idle and not _unfinished(library):
            return _result(seen)
        with library.lock.held(wait):
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
) -> Imported:
    if library.has_pending_erasure():
        from talktree.library.erasure.finish import finish_erasures

        finish_erasures(library)
    _look_for_companions(library)
    seen = _look(library, roots, quiet)
    result = _result(seen)
    if seen.is_idle and not _unfinished(library):
        return result
    from talktree.library.importing.work import Work

    if not library.has_fulltext():
        library.fulltext_to_write()
    sampled = quiet is not None
    Work(library, seen, _dirty(library), result, progress, pulse, sampled=sampled).run()
    if dirty := _dirty(library):
        # The full text was broken and was begun anew.
        Work(library, NOTHING, dirty, result, progress, pulse).run()
    return result


def _dirty(library: Library) -> dict[int, int]:
    """Sources of which the full text does not have what the tables have, and their sizes."""
    return dict(library.db.read(DIRTY))


def _look(library: Library, roots: ImportRoots, quiet: float | None) -> Look:
    return look(
        library.db,
        roots.paths,
        leave=(library.path,),
        quiet=quiet,
        every=roots.every,
        is_forgotten=library.tombstones().number_of,
    )


def _look_for_companions(library: Library) -> None:
    """Have files looked at again that were passed over when no companion files were kept."""
    db = library.db
    if db.one(_COMPANIONS_KEPT) is None:
        with db.transaction():
            for name in COMPANION_FOLDERS:
                db.run(_LOOK_AGAIN, (b"/" + name + b"/",))
            db.run(_SAY_COMPANIONS_KEPT)


def _unfinished(library: Library) -> bool:
    """Whether an import before this one was interrupted, or the full text is not there."""
    if not library.has_fulltext() or library.db.one(_COMPANIONS_KEPT) is None:
        return True
    return (
        library.db.one(DIRTY + " LIMIT 1") is not None
        or library.has_pending_erasure()
        or library.db.one(_UNSETTLED) is not None
        or not is_recorded(library.db)
    )


def _result(seen: Look) -> Imported:
    result = Imported(
        seen=seen.seen,
        unchanged=seen.unchanged,
        passed_over=seen.passed_over,
        files_opened=seen.opened,
    )
    result.tombstones |= seen.forgotten
    for path, why, absent in seen.closed:
        shown = path.decode("utf-8", "surrogateescape")
        kind = "not-found" if absent else "unreadable"
        result.failed.append(Failed(path, Failure(kind, f"{shown}: {why}", None, 3)))
    return result
