"""A conversation in the document cache: its document, its tree and its rows."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from talktree.errors import NotFound
from talktree.library.listing import LibraryEntry
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.link_repair import find_inferred_links, with_inferred_links
from talktree.views.transcript import find_path_through
from talktree.web.documents.ids import ConversationName
from talktree.web.documents.neighbours import NeighbourFinder
from talktree.web.documents.result_cache import RecentItems
from talktree.web.documents.row_list import RowList

BRANCHES_KEPT = 8
"""How many branches of a conversation keep their rows in memory."""
THINGS_KEPT = 8
"""How many other results that need a pass over it are kept."""


class LoadedSource:
    """A source as read, with all its conversations."""

    def __init__(
        self,
        kept: LibraryEntry,
        document: Document,
        stamp: str,
        *,
        edited: bool,
        notice: str | None,
        titles: Sequence[str | None] = (),
    ) -> None:
        self.kept = kept
        """Its first conversation, as the library lists it."""
        self.titles = titles
        """The titles of its conversations in the library."""
        self.document = document
        self.stamp = stamp
        self.edited = edited
        """Whether there are edits that are not saved."""
        self.notice = notice
        """Why edits are not shown, if they are not."""
        self.memory = RecentItems[object](THINGS_KEPT)
        """Cached results about the source as a whole."""
        self._opened: dict[int, OpenConversation] = {}
        self._lock = threading.RLock()

    @property
    def weight(self) -> int:
        """Its size in memory: the number of its records."""
        return 1000 + sum(each.record_count for each in self.document.conversations)

    def open_conversation(self, number: int) -> OpenConversation:
        """Return one of its conversations."""
        with self._lock:
            found = self._opened.get(number)
            if found is None:
                if number >= len(self.document.conversations):
                    raise NotFound("there is no such conversation", hint="the list shows all")
                found = self._opened[number] = OpenConversation(self, number)
            return found


class OpenConversation:
    """One conversation of a source, with the links that were inferred to show it."""

    def __init__(self, paper: LoadedSource, number: int, *, repair: bool = True) -> None:
        self.paper = paper
        self.kept = paper.kept
        self.number = number
        self.cid = str(ConversationName(paper.kept.source, number))
        self.document = paper.document
        self.stamp = paper.stamp
        self.edited = paper.edited
        read = paper.document.conversations[number]
        self.conversation: Conversation = with_inferred_links(read) if repair else read
        self._rows = RecentItems[RowList](BRANCHES_KEPT)
        self.memory = RecentItems[object](THINGS_KEPT)
        """Cached results about it, kept as long as it does not change."""
        # Computed before other threads can see it: joining links changes the skeleton.
        _ = self.conversation.tree

    @property
    def original_conversation(self) -> Conversation:
        """The conversation without inferred links, as it would be written."""
        return self.document.conversations[self.number]

    @cached_property
    def title(self) -> str:
        """Its title."""
        titles = self.paper.titles
        listed = titles[self.number] if self.number < len(titles) else None
        if listed is None and self.number == 0:
            listed = self.kept.title
        return listed or self.conversation.title or self.conversation.native_id

    @cached_property
    def leaf(self) -> str | None:
        """The last message of the current branch; None if it is empty."""
        end = self.conversation.tree.active_leaf()
        return None if end is None else self.conversation.skeleton.ids[end]

    @cached_property
    def inferred_links(self) -> dict[int, int]:
        """Positions of messages whose parent was inferred."""
        return find_inferred_links(self.conversation)

    @cached_property
    def neighbours(self) -> NeighbourFinder:
        """The neighbours of messages."""
        return NeighbourFinder(self.conversation)

    @cached_property
    def notices(self) -> dict[str, tuple[str, ...]]:
        """Codes of what reading noticed, by message."""
        found: dict[str, dict[str, None]] = {}
        for each in self.original_conversation.skeleton.findings:
            if each.entry:
                found.setdefault(each.entry, {})[each.code] = None
        return {entry: tuple(codes) for entry, codes in found.items()}

    def get_rows(self, leaf: str | None = None) -> RowList:
        """Return the rows of the branch through a message, or of the current branch."""
        name = self.leaf if leaf is None else leaf
        if name is None:
            return RowList(self.conversation, "", ())
        position = self.conversation.find_position(name)
        end, _ = self.neighbours.find_end(position)
        return self._rows.get(end, lambda: self._build_row_list(end))

    def _build_row_list(self, end: int) -> RowList:
        leaf = self.conversation.skeleton.ids[end]
        return RowList(self.conversation, leaf, find_path_through(self.conversation, leaf))

    def find_change(self, position: int) -> Literal["", "new", "changed"]:
        """Return what unsaved edits did to a message."""
        if not self.edited:
            return ""
        number = self.conversation.members[position]
        if number not in self.conversation.changed:
            return ""
        return "new" if number < 0 else "changed"
