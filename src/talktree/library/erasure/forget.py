"""Forgetting conversations: deleting their sources, and keeping them out of later imports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from talktree.library.archive.companion_files import find_archived_companions
from talktree.library.archive.file_content import read_archived_source
from talktree.library.dropped_files import erase_dropped
from talktree.library.erasure.copy_finder import CopyFinder
from talktree.library.erasure.finish import (
    finish_erasures,
    is_pending,
    record_pending_erasure,
    size_on_disk,
)
from talktree.library.erasure.row_deletion import delete_paths, delete_sources, find_loose_files
from talktree.library.erasure.tombstones import Tombstones, content_digest, is_unique
from talktree.library.stats.totals import TotalsUpdate

if TYPE_CHECKING:
    from talktree.library.library import Library
    from talktree.library.listing import LibraryEntry

WAIT = 10.0
"""Seconds to wait for another process that is writing."""

_SOURCE = "SELECT path, format, native FROM sources WHERE id = ?"
_IDS = """
SELECT s.format, coalesce(c.native, s.native) FROM sources AS s
LEFT JOIN conversations AS c ON c.source = s.id WHERE s.id = ?
"""
_PATHS = "SELECT path FROM files WHERE source = ? AND state <> 'folder'"
_FILE_PATH = "SELECT path FROM files WHERE id = ?"
_AGENTS = """
SELECT a.id FROM sources AS a WHERE a.parent = ? AND length(a.native) < length(a.parent)
"""


class ForgetResult(NamedTuple):
    """The result of forgetting: what was erased, and whether that is finished."""

    paths: tuple[bytes, ...]
    """The files and folders that were forgotten, copies and sub-agents included."""
    freed: int
    """How many bytes smaller the library is on the disk."""
    left: tuple[str, ...] = ()
    """What could not be erased yet; empty if everything was."""
    was_pending: bool = True
    """Whether there was anything to erase."""


class ForgetGroup(NamedTuple):
    """A source to be forgotten, with what belongs to it."""

    main: int
    sources: tuple[int, ...]
    files: tuple[int, ...]
    """Files without a source."""


def find_group(library: Library, source: int, copies: CopyFinder | None = None) -> ForgetGroup:
    """Return a source with its companion files, sub-agents, and copies in any place and format."""
    db = library.db
    mains = [source, *(copies or CopyFinder(library)).find_copies(source)]
    sources: dict[int, None] = {}
    files: dict[int, None] = {}
    for main in mains:
        for each in find_archived_companions(db, library.archive, main).values():
            (sources if each.source else files)[each.source or each.file] = None
        row = db.read_one(_SOURCE, (main,))
        if row is not None and row[2] and is_unique(row[2]):
            sources.update((int(each[0]), None) for each in db.read(_AGENTS, (row[2],)))
    sources.update(dict.fromkeys(mains))
    return ForgetGroup(source, tuple(sources), tuple(files))


def group_paths(library: Library, group: ForgetGroup) -> list[bytes]:
    """Return all paths of a group, the source itself first."""
    db = library.db
    rows = [db.read_one(_SOURCE, (each,)) for each in group.sources]
    own = [
        row[0] for each, row in zip(group.sources, rows, strict=True) if row if each == group.main
    ]
    paths = [row[0] for row in rows if row]
    paths += [row[0] for file in group.files for row in db.read(_FILE_PATH, (file,))]
    return list(dict.fromkeys([*own, *paths]))


def forget_many(
    library: Library, entries: Iterable[LibraryEntry], *, tombstone: bool = True, wait: float = WAIT
) -> ForgetResult:
    """Erase the sources of conversations, with one pass over the full text for all of them.

    The rows of all are deleted in one transaction, so nothing is half forgotten. Without
    `tombstone`, the next import imports them again.
    """
    db = library.db
    with library.lock.hold(wait):
        db.checkpoint(0)
        was_pending = is_pending(library)
        before = size_on_disk(library.root)
        library.names.clear_cache()
        with db.transaction(durable=True):
            sources = dict.fromkeys(each.source for each in entries)
            known = [each for each in sources if db.read_one(_SOURCE, (each,)) is not None]
            copies = CopyFinder(library)
            groups = [find_group(library, source, copies) for source in known]
            if tombstone:
                _add_tombstones(library, groups, copies)
            paths = _delete_rows(library, groups)
            # Before the rows are deleted: after a kill the command can be repeated.
            erase_dropped(library.root, paths)
        left = finish_erasures(library)
        freed = max(0, before - size_on_disk(library.root))
    return ForgetResult(tuple(paths), freed, tuple(left), was_pending or bool(groups))


def finish_interrupted_erasure(library: Library, *, wait: float = WAIT) -> ForgetResult:
    """Finish an erasure that was interrupted or had to wait for a reader."""
    with library.lock.hold(wait):
        was_pending = is_pending(library)
        before = size_on_disk(library.root)
        left = finish_erasures(library)
        freed = max(0, before - size_on_disk(library.root))
        return ForgetResult((), freed, tuple(left), was_pending)


def _add_tombstones(library: Library, groups: Iterable[ForgetGroup], copies: CopyFinder) -> None:
    """Add the tombstones of groups, in the caller's transaction."""
    db = library.db
    tombstones = Tombstones(db, library.root)
    for group in groups:
        row = db.read_one(_SOURCE, (group.main,))
        assert row is not None
        ids = [pair for each in group.sources for pair in _conversation_ids(library, each)]
        ids += [(row[1], id) for each in group.sources for id in copies.embedded.get(each, ())]
        own = _conversation_ids(library, group.main)
        has_id = bool(own) and all(is_unique(id) for _, id in own)
        digest = None if has_id else _content_digest(library, group.main)
        origin = None if has_id else copies.find_origin(group.main)
        tombstones.add(row[1], group_paths(library, group), ids, digest=digest, origin=origin)


def _delete_rows(library: Library, groups: Sequence[ForgetGroup]) -> list[bytes]:
    """Delete the rows of groups in the caller's transaction; return the paths they had."""
    db = library.db
    if not groups:
        return []
    sources = list(dict.fromkeys(each for group in groups for each in group.sources))
    paths = list(dict.fromkeys(path for each in groups for path in group_paths(library, each)))
    inside = [row[0] for each in sources for row in db.read(_PATHS, (each,))]
    sums = TotalsUpdate(db)
    for source in sources:
        sums.note_removal(source)
    files = dict.fromkeys([*(each for group in groups for each in group.files)])
    files.update(dict.fromkeys(find_loose_files(db, paths)))
    delete_sources(library, sources, files)
    delete_paths(db, dict.fromkeys([*paths, *inside]))
    sums.update_totals()
    library.names.erase_unused()
    record_pending_erasure(library, sources)
    return paths


def _content_digest(library: Library, source: int) -> bytes:
    return content_digest(read_archived_source(library.db, library.archive, source).files.values())


def _conversation_ids(library: Library, source: int) -> list[tuple[str, str]]:
    """Return the ids of the conversations of a source, with its format."""
    return [(format, id) for format, id in library.db.read(_IDS, (source,)) if id]
