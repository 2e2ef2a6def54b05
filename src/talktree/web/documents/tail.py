"""The end of the current branch, without reading the rest of the file.

Reads the end of a long JSONL file alone, with the part of the tree that it contains.

Children always come after their parents in the file, so the end of a file contains all descendants
of its own records. Only the parents of its first records are unknown; results that could depend on
them are not computed from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.library.archive.file_content import ArchivedContent
from talktree.library.extract.facts import hash_id
from talktree.library.extract.packed_tree import PackedTreeView
from talktree.model.detached_messages import find_detached
from talktree.model.outline import Trait
from talktree.model.skeleton import ROOT
from talktree.web.documents.cache import (
    DocumentCache,
    compute_companions_stamp,
    compute_edit_stamp,
    read_edit_history,
)
from talktree.web.documents.cache import OpenConversation as OpenedSource
from talktree.web.documents.open_conversation import LoadedSource, OpenConversation
from talktree.web.documents.row_body import RowMaker
from talktree.web.schemas.transcript import BranchTail

if TYPE_CHECKING:
    from talktree.library.archive.store import Archive
    from talktree.library.database.connection import Database
    from talktree.library.listing import LibraryEntry


LARGEST = 12 << 20
"""If more of the end than this is needed, the whole file may be read as well."""
MARGIN = 8
"""Rows that must be present above the wanted ones: their content may depend on them."""
SLACK = 16
"""Rows read beyond that: not every message on the path has a row of its own."""
_LINES = """
SELECT s.shape, f.generation, s.archived FROM sources AS s
JOIN files AS f ON f.source = s.id AND f.path = s.path
WHERE s.id = ? AND s.lines = 1 AND s.shape IS NOT NULL AND f.generation IS NOT NULL
"""


class FileEnds:
    """The end of a kept JSONL file."""

    def __init__(self, kept: LibraryEntry, stamp: str, archive: Archive, generation: int) -> None:
        self._kept = kept
        self._stamp = stamp
        self._content = ArchivedContent(archive, generation)

    def open_from(self, start: int) -> OpenConversation | None:
        """Return the records from an offset on as a conversation; None if they are too large."""
        if self._content.size - start > LARGEST:
            return None
        source = Source.of_bytes(self._content.read(start), name=f"{self._kept.id}.jsonl")
        document = read_document(source, get_format(self._kept.format))
        if len(document.conversations) != 1:
            return None
        paper = LoadedSource(self._kept, document, self._stamp, edited=False, notice=None)
        return OpenConversation(paper, 0, repair=False)


def open_end(
    db: Database, archive: Archive, kept: LibraryEntry, stamp: str, limit: int
) -> OpenConversation | None:
    """Return the end of a source with at least this many rows; None if all of it is needed."""
    row = db.read_one(_LINES, (kept.source,))
    if row is None:
        return None
    glance, ends = PackedTreeView(row[0]), FileEnds(kept, stamp, archive, row[1])
    start = (
        None
        if glance.has_several or glance.is_inferred
        else _find_start(glance, limit + MARGIN + SLACK)
    )
    found = None if start is None else ends.open_from(start)
    if start is None or found is None or len(found.get_rows()) < limit + MARGIN:
        return None
    return found if _is_certain(found, glance, start) else None


def _find_start(glance: PackedTreeView, rows: int) -> int | None:
    """Return where the last rows of the current branch begin, unless that is the whole branch."""
    for at, trait in glance.walk_up():
        # Bookkeeping records mostly have no row of their own.
        rows -= trait in (Trait.SAID, Trait.REPLY)
        if not rows:
            return at
    return None


def _is_certain(opened: OpenConversation, glance: PackedTreeView, start: int) -> bool:
    """Whether the end of the branch is the same in the whole file."""
    skeleton = opened.conversation.skeleton
    if skeleton.native or skeleton.points_forward or skeleton.looped or find_detached(skeleton):
        return False
    return _is_current(opened) and _is_self_contained(opened, glance, start)


def _is_current(opened: OpenConversation) -> bool:
    """Whether the branch is certainly the one that was used last."""
    tree, skeleton, path = (
        opened.conversation.tree,
        opened.conversation.skeleton,
        opened.get_rows().path,
    )
    top = path[0]
    said = sum(skeleton.traits[each] == Trait.SAID for each in path)
    groups = {skeleton.group_numbers[each] for each in path if skeleton.traits[each] == Trait.REPLY}
    return skeleton.parents[top] == ROOT and tree.is_real(top) and (said > 0 or len(groups) > 2)


def _is_self_contained(opened: OpenConversation, glance: PackedTreeView, start: int) -> bool:
    """Whether no record before the end of the file shares an id with or is a child of one in it."""
    mine = {hash_id(each) for each in opened.conversation.skeleton.ids if each}
    first = glance.find_number_from(start)
    if glance.has_before(first, mine):
        return False
    return all(place < first and name not in mine for place, name in glance.forward_links)


def read_tail(cache: DocumentCache, cid: str, limit: int) -> BranchTail:
    """Return the last rows; their numbers count from the end."""
    if not cache.is_open(cid):
        found = _open_end(cache, cid, limit)
        if found is not None:
            details = build_tail(found, limit)
            cache.prepare(cid)
            return details
    return build_tail(cache.open(cid), limit)


def _open_end(cache: DocumentCache, cid: str, limit: int) -> OpenedSource | None:
    """Return the end of the source if it suffices and nothing in it was edited."""
    library = cache.get_library()
    with library.db.snapshot():
        kept, name = cache.find_library_entry(cid)
        history = read_edit_history(library.db, name.source)
        if name.number or history.standing or not history.is_saved:
            return None
        if compute_companions_stamp(library.db, name.source):
            return None  # sub-agents may begin at any of the last messages
        stamp = compute_edit_stamp(library.db, name.source, history)
        return open_end(library.db, library.archive, kept, stamp, limit)


def build_tail(opened: OpenedSource, limit: int) -> BranchTail:
    """Return the last rows of an open conversation."""
    rows = opened.get_rows()
    first = max(0, len(rows) - limit)
    found = RowMaker(opened, rows).make_page(first, limit)
    return BranchTail(
        title=opened.title,
        format=opened.kept.format,
        rows=tuple(replace(row, number=row.number - len(rows)) for row in found),
        stamp=opened.stamp,
    )
