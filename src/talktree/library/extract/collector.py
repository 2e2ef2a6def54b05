"""The facts collected from a source so far: a sum that every reader adds to.

`entries` adds records that were read through the model; the line reader adds the usual lines
directly.
"""

from __future__ import annotations

from collections.abc import Sequence

from talktree.library.extract.facts import (
    FOLLOWS,
    LOOSE,
    NODE,
    SAMPLED,
    TRAIT,
    CallFacts,
    CallOutcome,
    ExtractedFacts,
    Heading,
    Measure,
    ReplyFacts,
    SearchPiece,
    TreeRecord,
    hash_group,
    hash_id,
    hash_stamp,
)
from talktree.library.extract.texts import TaskLike, prompt_title, replace_surrogates
from talktree.model.compaction import COMPACTED, RESTORED, find_compaction
from talktree.model.derived import DONE
from talktree.model.measures import MessageMeasures, iterate_number_measures, iterate_word_measures
from talktree.model.message import Message
from talktree.model.outline import CALLS, Listing

MOST_OPEN = 1000
"""Maximum number of calls without a result whose tools are remembered."""

COMPACTIONS = "compactions"
"""The name under which compactions and restorations are counted."""


class FactsCollector:
    """All facts collected so far from a source, and the state needed to continue."""

    def __init__(self, format: str, head: Heading | None = None) -> None:
        head = head or Heading()
        self.format = format
        self.pieces: list[SearchPiece] = []
        self.replies: list[ReplyFacts] = []
        self.calls: list[CallFacts] = []
        self.outcomes: list[CallOutcome] = []
        self.measures: list[Measure] = []
        self.links: list[TreeRecord] = []
        self.marks: list[tuple[int, int]] = []
        self.roles: dict[str, int] = {}
        self.native, self.parent, self.leaf = head.native, head.parent, head.leaf
        self.title, self.rank = head.title, head.rank
        self.project, self.branch = head.project, head.branch
        self.first, self.last = head.first, head.last
        self.models = dict.fromkeys(head.models)
        self.open = dict(head.open)
        self.todo = head.todo

    def collect(self, taken: int, lines: int = 0) -> ExtractedFacts:
        """Return everything, when this many bytes were read."""
        return ExtractedFacts(
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

    def set_place(
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
        """Set where and when a record was written."""
        # The last message names the conversation; one of a sidechain only if no other does.
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

    def suggest_title(self, text: str, rank: int) -> None:
        """Use the first words as the title as long as there is no better one."""
        if rank > self.rank:
            title = prompt_title(replace_surrogates(text))
            if title:
                self.title, self.rank = title, rank

    def add_record(
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
        """Add a record that takes part in the tree."""
        above = parent if parent is not None else follows
        bits |= NODE | (trait - 1) << TRAIT | (parent is None and follows is not None) * FOLLOWS
        name = hash_id(id) if id else 0
        self.links.append(
            TreeRecord(
                name,
                hash_id(above) if above is not None else 0,
                at,
                bits,
                hash_group(group or None),
                hash_stamp(time, role),
                kept=hash_id(kept) if kept else 0,
                listing=listing,
                request=LOOSE if group and group.startswith(CALLS) else hash_group(request or None),
            )
        )
        if id:
            self.leaf = id
            if not name % SAMPLED:
                self.marks.append((at, name))

    def set_tasks(self, listed: Sequence[TaskLike], text: str, time: int | None) -> None:
        """Set the present tasks, and how many of them are done, if that changed."""
        key = hash_id(text)
        if listed and key != self.todo:
            done = sum(task.status in DONE for task in listed)
            self.measures.append(Measure(time, "todos_done", float(done)))
            self.measures.append(Measure(time, "todos_open", float(len(listed) - done)))
        self.todo = key

    def add_measures(self, measures: MessageMeasures, time: int | None) -> None:
        """Add what is recorded about a message."""
        self.measures += [Measure(time, *each) for each in iterate_number_measures(measures)]
        self.measures += [
            Measure(time, name, replace_surrogates(word))
            for name, word in iterate_word_measures(measures)
        ]

    def note_compaction(self, message: Message, time: int | None) -> None:
        """Record a message's compaction or restoration of the context, if it has one."""
        mark = find_compaction(message)
        if mark is not None and mark.kind in (COMPACTED, RESTORED):
            self.measures.append(Measure(time, COMPACTIONS, mark.kind))

    def add_call(self, key: int, tool: str) -> None:
        """Remember a call that waits for its result."""
        if len(self.open) < MOST_OPEN:
            self.open[key] = tool
