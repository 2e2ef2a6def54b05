"""Finishing an erasure: no byte of what was deleted is left in any file of the library.

The rows are deleted in one transaction, which also records what is left to do (`erasures`). All
that follows can be interrupted and is repeated by `library forget --finish`, by the next import and
by the next check.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from talktree.errors import NotSaved
from talktree.library.database.residue import clean_unused_bytes
from talktree.library.fulltext.index_checksums import expect_changes, record_files

if TYPE_CHECKING:
    from talktree.library.library import Library

LOG_LEFT = "the database's log, which another program is still reading"
NOT_WRITTEN = "files of the library that could not be written"
READERS = 3.0
"""Seconds to wait for programs that read the library."""

_PENDING = "SELECT source FROM erasures ORDER BY source"
_ADD = "INSERT INTO erasures (source) VALUES (?) ON CONFLICT DO NOTHING"
_DONE = "DELETE FROM erasures WHERE source = ?"
_NEEDS_VACUUM = "SELECT 1 FROM about WHERE key = 'vacuum'"
_VACUUMED = "DELETE FROM about WHERE key = 'vacuum'"


def record_pending_erasure(library: Library, sources: list[int]) -> None:
    """Record that words of these sources may be left, in the transaction that deletes the rows."""
    library.db.run_many_atomically(_ADD, ((source,) for source in [0, *sources]))
    expect_changes(library.db)


def is_pending(library: Library) -> bool:
    """Whether an erasure is not finished."""
    return library.db.read_one(_PENDING) is not None


def finish_erasures(library: Library) -> list[str]:
    """Finish what is pending, with the writer's lock held; return what is left, as messages.

    The rows are already deleted, so a full disk does not fail the erasure: it stays pending.
    """
    pending = [int(row[0]) for row in library.db.read(_PENDING)]
    if not pending:
        return []
    try:
        return _finish(library, pending)
    except NotSaved as error:
        return [f"{NOT_WRITTEN} ({error.message})"]


def _finish(library: Library, pending: list[int]) -> list[str]:
    """Erase what is left of some sources; return what could not be erased, as messages."""
    db = library.db
    _reindex_scrubbed_sources(library)
    _erase_documents(library, [source for source in pending if source])
    if db.read_one(_NEEDS_VACUUM) is not None:
        db.vacuum()
        with db.transaction():
            db.run(_VACUUMED)
    if not db.shrink(READERS) or not clean_unused_bytes(db):
        return [LOG_LEFT]
    with db.transaction(durable=True):
        db.run_many_atomically(_DONE, ((source,) for source in pending))
    db.checkpoint()
    return []


def _reindex_scrubbed_sources(library: Library) -> None:
    """Extract scrubbed sources again, with their facts and documents, and erase their old words."""
    from talktree.library.importing.maintenance import reindex_outdated

    reindex_outdated(library)
    with library.db.transaction():
        library.names.erase_unused()


def _erase_documents(library: Library, sources: list[int]) -> None:
    """Delete the documents of sources and rewrite the segments that held them."""
    if not library.has_fulltext():
        return
    from talktree.library.fulltext.erasure import CannotRewrite, rewrite_segments
    from talktree.library.fulltext.index import CorruptIndex, FullText

    with library.db.transaction(durable=True):
        expect_changes(library.db)
    index = library.open_fulltext_for_writing()
    try:
        if sources:
            with index.writer(1, 0) as writing:
                for source in sources:
                    writing.delete(source)
                writing.commit()
        if isinstance(index, FullText):
            rewrite_segments(index)
        else:
            index.erase_deleted()
    except (CannotRewrite, CorruptIndex):
        _rebuild_fulltext(library)
    record_files(library.db, library.root)


def _rebuild_fulltext(library: Library) -> None:
    """Rebuild the full text from the archive, as its segments could not be rewritten."""
    from talktree.library.importing.maintenance import reindex_fulltext

    reindex_fulltext(library)


def size_on_disk(root: Path) -> int:
    """Return how many bytes the files of a library have; hard links count once."""
    sizes = {}
    for folder, _, names in os.walk(root):
        for name in names:
            try:
                about = os.lstat(os.path.join(folder, name))
            except FileNotFoundError:
                continue
            sizes[about.st_dev, about.st_ino] = about.st_size
    return sum(sizes.values())
