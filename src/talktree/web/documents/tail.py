"""The end of the current branch, before anybody has looked at the rest.

The end of a long file of lines, read by itself: as much of the tree as stands there.

All below a record stands behind it, so what the end of a file holds below its own records is all
there is of that. Only where its first records hang is not known; whatever could depend on that is
not told from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from talktree.files import Source
from talktree.formats import by_slug
from talktree.formats.engine import read
from talktree.library.archive.file_content import InArchive
from talktree.library.extract.facts import key_of
from talktree.library.extract.packed_tree import Glance
from talktree.model.detached_messages import stranded
from talktree.model.outline import Trait
from talktree.model.skeleton import ROOT
from talktree.web.documents.cache import Desk, companions_stamp, edits_of, stamp_of
from talktree.web.documents.cache import Opened as OpenedSource
from talktree.web.documents.open_conversation import Opened, Paper
from talktree.web.documents.row_body import RowMaker
from talktree.web.schemas.transcript import Tail

if TYPE_CHECKING:
    from talktree.library.archive.store import Archive
    from talktree.library.database.connection import Database
    from talktree.library.listing import Kept


LARGEST = 12 << 20
"""If more of the end than this is needed, all of it may be read as well."""
MARGIN = 8
"""Rows above those that are wanted which must be there, too: what they show may depend on them."""
SLACK = 16
"""Rows that are read beyond that: not every message on the way up has a row of its own."""
_LINES = """
SELECT s.shape, f.generation, s.archived FROM sources AS s
JOIN files AS f ON f.source = s.id AND f.path = s.path
WHERE s.id = ? AND s.lines = 1 AND s.shape IS NOT NULL AND f.generation IS NOT NULL
"""


class Ends:
    """The end of a kept file of lines."""

    def __init__(self, kept: Kept, stamp: str, archive: Archive, generation: int) -> None:
        self._kept = kept
        self._stamp = stamp
        self._content = InArchive(archive, generation)

    def opened(self, start: int) -> Opened | None:
        """The records from a place on as a conversation; None if that is too much."""
        if self._content.size - start > LARGEST:
            return None
        source = Source.of_bytes(self._content.read(start), name=f"{self._kept.id}.jsonl")
        document = read(source, by_slug(self._kept.format))
        if len(document.conversations) != 1:
            return None
        paper = Paper(self._kept, document, self._stamp, edited=False, notice=None)
        return Opened(paper, 0, mend=False)


def end_of(db: Database, archive: Archive, kept: Kept, stamp: str, limit: int) -> Opened | None:
    """The end of a source with at least so many rows; None if only all of it can tell them."""
    row = db.one(_LINES, (kept.source,))
    if row is None:
        return None
    glance, ends = Glance(row[0]), Ends(kept, stamp, archive, row[1])
    start = None if glance.several or glance.inferred else _start(glance, limit + MARGIN + SLACK)
    found = None if start is None else ends.opened(start)
    if start is None or found is None or len(found.rows()) < limit + MARGIN:
        return None
    return found if _is_certain(found, glance, start) else None


def _start(glance: Glance, rows: int) -> int | None:
    """Where so many rows of the current branch begin, if that is not the whole of it."""
    for at, trait in glance.way_up():
        # Bookkeeping mostly has no row of its own.
        rows -= trait in (Trait.SAID, Trait.REPLY)
        if not rows:
            return at
    return None


def _is_certain(opened: Opened, glance: Glance, start: int) -> bool:
    """Whether the end of the branch is the same in the whole file."""
    bones = opened.conversation.skeleton
    if bones.native or bones.points_forward or bones.looped or stranded(bones):
        return False
    return _is_current(opened) and _stands_alone(opened, glance, start)


def _is_current(opened: Opened) -> bool:
    """Whether the branch is surely the one that was spoken on last."""
    tree, bones, path = opened.conversation.tree, opened.conversation.skeleton, opened.rows().path
    top = path[0]
    said = sum(bones.traits[each] == Trait.SAID for each in path)
    groups = {bones.group_numbers[each] for each in path if bones.traits[each] == Trait.REPLY}
    return bones.parents[top] == ROOT and tree.is_real(top) and (said > 0 or len(groups) > 2)


def _stands_alone(opened: Opened, glance: Glance, start: int) -> bool:
    """Whether nothing before the end of the file is named like what is in it, or hangs on that."""
    mine = {key_of(each) for each in opened.conversation.skeleton.ids if each}
    first = glance.number_from(start)
    if glance.has_before(first, mine):
        return False
    return all(place < first and name not in mine for place, name in glance.forward)


def tail(desk: Desk, cid: str, limit: int) -> Tail:
    """The last rows; their numbers count from the end."""
    if not desk.is_at_hand(cid):
        found = _end(desk, cid, limit)
        if found is not None:
            told = tail_of(found, limit)
            desk.prepare(cid)
            return told
    return tail_of(desk.open(cid), limit)


def _end(desk: Desk, cid: str, limit: int) -> OpenedSource | None:
    """The end of the source, if it can be told without the rest and nothing in it was edited."""
    library = desk.library()
    with library.db.snapshot():
        kept, name = desk.kept(cid)
        history = edits_of(library.db, name.source)
        if name.number or history.standing or not history.is_saved:
            return None
        if companions_stamp(library.db, name.source):
            return None  # sub-agents may begin at any of the last messages
        stamp = stamp_of(library.db, name.source, history)
        return end_of(library.db, library.archive, kept, stamp, limit)


def tail_of(opened: OpenedSource, limit: int) -> Tail:
    """The last rows of a conversation that is open."""
    rows = opened.rows()
    first = max(0, len(rows) - limit)
    found = RowMaker(opened, rows).page(first, limit)
    return Tail(
        title=opened.title,
        format=opened.kept.format,
        rows=tuple(replace(row, number=row.number - len(rows)) for row in found),
        stamp=opened.stamp,
    )
