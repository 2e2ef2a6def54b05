"""Maintaining a whole library: checking it, and rebuilding its caches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talktree.errors import TalktreeError
from talktree.library import care
from talktree.library.archive.verify import ArchiveProblem
from talktree.library.database.database_errors import damage_error
from talktree.library.database.permissions import find_exposed_paths
from talktree.library.database.row_checksums import drop_wrong_hints
from talktree.library.database.salvage import has_broken_structure, renew_rebuildable
from talktree.library.database.schema import REBUILDABLE
from talktree.library.erasure.finish import finish_erasures, is_pending
from talktree.library.erasure.key import NAME as KEY
from talktree.library.erasure.key import keyed_hash
from talktree.library.fulltext.index_checksums import find_damaged_files
from talktree.library.importing.import_changes import DIRTY, WAIT
from talktree.library.importing.import_run import ImportRun
from talktree.library.importing.result import ImportResult, Tell
from talktree.library.sources.changes import NOTHING

if TYPE_CHECKING:
    from talktree.library.library import Library

FINISH = "`talktree library forget --finish` erases what is left"
_NEEDS_KEY = "SELECT 1 FROM tombstones UNION SELECT 1 FROM scrubs LIMIT 1"
_ALL = "SELECT id, archived FROM sources ORDER BY id"


def check_library(library: Library, *, read_data: bool = False) -> list[ArchiveProblem]:
    """Return the problems of database, archive and full text; nothing is changed.

    `read_data` compares facts and full text with what the archive gives.
    """
    found = care.check_storage(library, read_data=read_data)
    found += _check_fulltext(library)
    found += _check_permissions(library)
    found += _check_erasure_key(library)
    if is_pending(library):
        found.append(ArchiveProblem("erasure", "an erasure is not finished", FINISH))
    if read_data and not any(each.kind in ("damaged", "archive", "database") for each in found):
        from talktree.library.importing.reindex import compare_with_rebuild

        try:
            found += compare_with_rebuild(library)
        except TalktreeError as error:
            found.append(ArchiveProblem("facts", error.message, care.REINDEX))
    return found


def _check_permissions(library: Library) -> list[ArchiveProblem]:
    return [
        ArchiveProblem(
            "permissions", f"{path}: others than its owner can use it", f"run: {command}"
        )
        for path, command in find_exposed_paths(library.db.path)
    ]


def _check_erasure_key(library: Library) -> list[ArchiveProblem]:
    """Check whether forgotten and scrubbed content can still be recognised."""
    if library.db.read_one(_NEEDS_KEY) is None or keyed_hash(library.root, make=False) is not None:
        return []
    what = f"{KEY} is missing: what was forgotten or scrubbed is not recognised in imports"
    return [ArchiveProblem("key", what, "put a copy of the file back, or forget it again")]


def _check_fulltext(library: Library) -> list[ArchiveProblem]:
    if not library.has_fulltext():
        return []
    damaged = find_damaged_files(library.db, library.root)
    if damaged:
        return [
            ArchiveProblem("fulltext", f"{name} is damaged or missing", care.REINDEX)
            for name in damaged
        ]
    try:
        library.fulltext.searcher()
        if library.key is not None:
            return _check_encrypted_fulltext(library)
    except TalktreeError as error:
        return [ArchiveProblem("fulltext", error.message, error.hint or "")]
    return []


def _check_encrypted_fulltext(library: Library) -> list[ArchiveProblem]:
    from talktree.library.fulltext.encrypted_index import EncryptedFullText

    assert isinstance(library.fulltext, EncryptedFullText)
    return [
        ArchiveProblem("fulltext", f"the full-text index is damaged: {what}", care.REINDEX)
        for what in library.fulltext.find_damage()[:1]
    ]


def reindex(library: Library, progress: Tell | None = None, *, wait: float = WAIT) -> int:
    """Rebuild full text and facts of all sources from the archive; return the number of pieces."""
    db = library.db
    with library.lock.hold(wait):
        if has_broken_structure(db):
            if db.key is not None:
                raise damage_error(db.path, "pages of the encrypted file cannot be read")
            library.invalidate_fulltext()
            renew_rebuildable(db)
        library.archive.repair()
        drop_wrong_hints(db)
        library.recreate_fulltext()
        with db.transaction():
            for table in REBUILDABLE:
                db.run(f"DELETE FROM {table}")
        result = ImportResult()
        ImportRun(library, NOTHING, dict(library.db.read(_ALL)), result, progress).run()
        finish_erasures(library)
    return result.pieces


def reindex_outdated(library: Library) -> None:
    """Read those sources again from the archive whose facts or full text are outdated."""
    dirty: dict[int, int] = dict(library.db.read(DIRTY))
    if dirty:
        ImportRun(library, NOTHING, dirty, ImportResult(), None).run()


def reindex_fulltext(library: Library) -> None:
    """Rebuild the full text of all sources from the archive, with the writer's lock held."""
    library.recreate_fulltext()
    ImportRun(library, NOTHING, dict(library.db.read(_ALL)), ImportResult(), None).run()
