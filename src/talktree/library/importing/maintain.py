"""Looking after a library as a whole: check it, make its caches anew, forget a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talktree.errors import TalktreeError
from talktree.library import care
from talktree.library.archive.companions import companions_of
from talktree.library.archive.verify import Trouble
from talktree.library.database.checksums import drop_wrong_hints
from talktree.library.database.permissions import open_paths
from talktree.library.database.salvage import has_broken_structure, renew_rebuildable
from talktree.library.database.schema import REBUILDABLE
from talktree.library.fulltext.checksums import damaged_files, expect_changes, record_files
from talktree.library.importing.result import Imported, Tell
from talktree.library.importing.run import WAIT
from talktree.library.importing.work import Work
from talktree.library.sources.changes import NOTHING
from talktree.library.stats.settle import Sums

if TYPE_CHECKING:
    from talktree.library.library import Library

_ALL = "SELECT id, archived FROM sources ORDER BY id"
_DISTRUST_ONE = "UPDATE sources SET indexed = -1 WHERE id = ?"


def check(library: Library, *, read_data: bool = False) -> list[Trouble]:
    """What is wrong with database, archive and full text; nothing is changed.

    With `read_data` facts and full text are compared with what the archive gives.
    """
    found = care.check(library, read_data=read_data)
    found += _fulltext(library)
    found += _permissions(library)
    if read_data and not any(each.kind in ("damaged", "archive", "database") for each in found):
        from talktree.library.importing.rebuild import compare_with_rebuild

        try:
            found += compare_with_rebuild(library)
        except TalktreeError as error:
            found.append(Trouble("facts", error.message, care.REINDEX))
    return found


def _permissions(library: Library) -> list[Trouble]:
    return [
        Trouble("permissions", f"{path}: others than its owner can use it", f"run: {command}")
        for path, command in open_paths(library.db.path)
    ]


def _fulltext(library: Library) -> list[Trouble]:
    if not library.has_fulltext():
        return []
    damaged = damaged_files(library.db, library.root)
    if damaged:
        return [
            Trouble("fulltext", f"{name} is damaged or missing", care.REINDEX) for name in damaged
        ]
    try:
        library.fulltext.searcher()
    except TalktreeError as error:
        return [Trouble("fulltext", error.message, error.hint or "")]
    return []


def reindex(library: Library, progress: Tell | None = None, *, wait: float = WAIT) -> int:
    """Make full text and facts of all sources anew from the archive; how many pieces there are."""
    from talktree.library.fulltext.index import FullText

    db = library.db
    with library.lock.held(wait):
        if has_broken_structure(db):
            library.distrust_fulltext()
            renew_rebuildable(db)
        library.archive.mend()
        drop_wrong_hints(db)
        library.distrust_fulltext()
        with db.transaction():
            for table in REBUILDABLE:
                db.run(f"DELETE FROM {table}")
        FullText.made_anew(library.root)
        library.__dict__.pop("fulltext", None)
        result = Imported()
        Work(library, NOTHING, dict(library.db.read(_ALL)), result, progress).run()
    return result.pieces


def forget(library: Library, source: int, *, wait: float = WAIT) -> int:
    """Remove a source and all that belongs to it; how many bytes that freed.

    Its documents go first: were they last, a kill could leave them to another source of its number.
    The source goes last, as nothing else tells what belongs to it.
    """
    with library.lock.held(wait):
        companions = companions_of(library.db, library.archive, source).values()
        before = library.db.used()
        care.forget_files(library, [each.file for each in companions if not each.source])
        for each in dict.fromkeys([*(each.source for each in companions if each.source), source]):
            _forget_one(library, each)
        record_files(library.db, library.root)
        freed = max(0, before - library.db.used())
        library.db.shrink()
    return freed


def _forget_one(library: Library, source: int) -> None:
    with library.db.transaction(durable=True):
        library.db.run(_DISTRUST_ONE, (source,))
        expect_changes(library.db)
    with library.fulltext_to_write().writer(1, 0) as writing:
        writing.delete(source)
        writing.commit()
    sums = Sums(library.db)
    with library.db.transaction():
        sums.lose(source)
    care.forget(library, source)
    with library.db.transaction():
        sums.settle()
