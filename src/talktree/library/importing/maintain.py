"""Looking after a library as a whole: check it, make its caches anew, forget a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talktree.errors import TalktreeError
from talktree.library import care
from talktree.library.archive.verify import Trouble
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
    """What is wrong with database, archive and full text; nothing is changed."""
    found = care.check(library, read_data=read_data)
    if library.has_fulltext():
        try:
            library.fulltext.searcher()
        except TalktreeError as error:
            found.append(Trouble("fulltext", error.message, error.hint or ""))
    return found


def reindex(library: Library, progress: Tell | None = None, *, wait: float = WAIT) -> int:
    """Make full text and facts of all sources anew from the archive; how many pieces there are."""
    from talktree.library.fulltext.index import FullText

    with library.lock.held(wait):
        library.archive.mend()
        library.distrust_fulltext()
        FullText.made_anew(library.root)
        library.__dict__.pop("fulltext", None)
        result = Imported()
        Work(library, NOTHING, dict(library.db.read(_ALL)), result, progress).run()
    return result.pieces


def forget(library: Library, source: int, *, wait: float = WAIT) -> int:
    """Remove a source; how many bytes that freed.

    Its documents go first: were they last, a kill could leave them to another source of its number.
    """
    with library.lock.held(wait):
        with library.db.transaction(durable=True):
            library.db.run(_DISTRUST_ONE, (source,))
        with library.fulltext_to_write().writer(1, 0) as writing:
            writing.delete(source)
            writing.commit()
        sums = Sums(library.db)
        with library.db.transaction():
            sums.lose(source)
        freed = care.forget(library, source)
        with library.db.transaction():
            sums.settle()
        library.db.shrink()
    return freed
