"""What was told of a source so far: a sum that every reader adds to.

Readers tell of records: `entries` of those that were read through the model, the reader of lines of
the usual lines in a shorter way.
"""

from __future__ import annotations

from collections.abc import Sequence

from talktree.library.extract.facts import (
    FOLLOWS,
    LOOSE,
    NODE,
    SAMPLED,
    TRAIT,
    Call,
    Heading,
    Link,
    Measure,
    Outcome,
    Piece,
    Reply,
    Told,
    group_of,
    key_of,
    stamp_of,
)
from talktree.library.extract.texts import Task, prompt_title, whole
from talktree.model.compaction import COMPACTED, RESTORED, compaction_of
from talktree.model.derived import DONE
from talktree.model.measures import MessageMeasures, measured_numbers, measured_words
from talktree.model.message import Message
from talktree.model.outline import CALLS, Listing

MOST_OPEN = 1000
"""Calls without a result whose tools are remembered."""

COMPACTIONS = "compactions"
"""The name under which compactions and restorations are counted."""


class Telling:
    """All that was told so far of a source, and what must be known to go on."""

    def __init__(self, format: str, head: Heading | None = None) -> None:
        head = head or Heading()
        self.format = format
        self.pieces: list[Piece] = []
        self.replies: list[Reply] = []
        self.calls: list[Call] = []
        self.outcomes: list[Outcome] = []
        self.measures: list[Measure] = []
        self.links: list[Link] = []
        self.marks: list[tuple[int, int]] = []
        self.roles: dict[str, int] = {}
        self.native, self.parent, self.leaf = head.native, head.parent, head.leaf
        self.title, self.rank = head.title, head.rank
        self.project, self.branch = head.project, head.branch
        self.first, self.last = head.first, head.last
        self.models = dict.fromkeys(head.models)
        self.open = dict(head.open)
        self.todo = head.todo

    def told(self, taken: int, lines: int = 0) -> Told:
        """Everything, when so many bytes were read."""
        return Told(
            pieces=self.pieces,
            replies=self.replies,
            calls=self.calls,
            outcomes=self.outcomes,
            measures=self.measures,
            links=self.links,
            marks=self.marks,
            head=Heading(
                native=self.native,
                title=self.title,
                rank=self.rank,
                project=self.project,
                branch=self.branch,
                first=self.first,
                last=self.last,
                models=tuple(self.models),
                parent=self.parent,
                leaf=self.leaf,
                open=self.open,
                todo=self.todo,
            ),
            taken=taken,
            lines=lines,
            roles=self.roles,
        )

    def place(
        self,
        session: str | None,
        agent: str | None,
        cwd: str | None,
        branch: str | None,
        time: int | None,
        parent: str | None,
        *,
        side: bool,
    ) -> None:
        """Where and when a record was written."""
        # The last message names the conversation; one of a sidechain only where no other does.
        if not side or self.native is None:
            self.native = agent or session or self.native
        if agent and self.parent is None:
            self.parent = session
        if parent and self.parent is None:
            self.parent = parent
        if cwd and self.project is None:
            self.project = cwd
        if branch:
            self.branch = branch
        if time is not None:
            if self.first is None or time < self.first:
                self.first = time
            if self.last is None or time > self.last:
                self.last = time

    def prompted(self, text: str, rank: int) -> None:
        """What was said first is the title as long as there is no better one."""
        if rank > self.rank:
            title = prompt_title(whole(text))
            if title:
                self.title, self.rank = title, rank

    def link(
        self,
        at: int,
        bits: int,
        trait: int,
        id: str | None,
        parent: str | None,
        follows: str | None,
        time: int,
        role: str,
        group: str | None,
        kept: str | None = None,
        listing: int = int(Listing.LISTED),
        request: str | None = None,
    ) -> None:
        """A record that takes part in the tree."""
        above = parent if parent is not None else follows
        bits |= NODE | (trait - 1) << TRAIT | (parent is None and follows is not None) * FOLLOWS
        name = key_of(id) if id else 0
        self.links.append(
            Link(
                name,
                key_of(above) if above is not None else 0,
                at,
                bits,
                group_of(group or None),
                stamp_of(time, role),
                kept=key_of(kept) if kept else 0,
                listing=listing,
                request=LOOSE if group and group.startswith(CALLS) else group_of(request or None),
            )
        )
        if id:
            self.leaf = id
            if not name % SAMPLED:
                self.marks.append((at, name))

    def tasks(self, listed: Sequence[Task], text: str, time: int | None) -> None:
        """The tasks as they stand, and how many of them are done, if that changed."""
        key = key_of(text)
        if listed and key != self.todo:
            done = sum(task.status in DONE for task in listed)
            self.measures.append(Measure(time, "todos_done", float(done)))
            self.measures.append(Measure(time, "todos_open", float(len(listed) - done)))
        self.todo = key

    def measured(self, measures: MessageMeasures, time: int | None) -> None:
        """What is recorded about a message."""
        self.measures += [Measure(time, *each) for each in measured_numbers(measures)]
        self.measures += [
            Measure(time, name, whole(word)) for name, word in measured_words(measures)
        ]

    def compacted(self, message: Message, time: int | None) -> None:
        """That a message says that the context was compacted or restored, if it does."""
        mark = compaction_of(message)
        if mark is not None and mark.kind in (COMPACTED, RESTORED):
            self.measures.append(Measure(time, COMPACTIONS, mark.kind))

    def called(self, key: int, tool: str) -> None:
        """A call waits for its result."""
        if len(self.open) < MOST_OPEN:
            self.open[key] = tool
