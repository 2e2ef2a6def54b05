"""The telling of entries: what a message, a title or a snapshot gives to find and to count.

This is what pieces and facts are, for every format. The reader of lines tells the same of the usual
lines in a shorter way, and comes here with all others.
"""

from __future__ import annotations

from collections.abc import Sequence

from talktree.library.reading.keys import (
    count,
    group_of,
    lone_key,
    moment,
    reply_key,
    seconds,
    stamp_of,
)
from talktree.library.reading.natives import Extras, carried, extras_of, measures_of
from talktree.library.reading.parts import Parts
from talktree.library.reading.tags import tags_of
from talktree.library.reading.texts import Task, prompt_title, short_title, whole
from talktree.library.reading.told import (
    COMPACT,
    ERROR,
    FOLLOWS,
    MESSAGE,
    NODE,
    SAMPLED,
    SIDECHAIN,
    TRAIT,
    Call,
    Heading,
    Link,
    Measure,
    Outcome,
    Piece,
    Reply,
    Told,
    key_of,
)
from talktree.model import message as flags
from talktree.model.derive import DONE
from talktree.model.entries import Entry, Head, Snapshot
from talktree.model.message import Message
from talktree.model.titles import rank

SYNTHETIC = "<synthetic>"
"""The model of an answer that no model gave; nobody pays for it."""
MOST_OPEN = 1000
"""Calls without a result whose tools are remembered."""


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
        self.talks = list(head.talks)

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
                talks=tuple(self.talks),
            ),
            taken=taken,
            lines=lines,
            roles=self.roles,
        )

    # entries

    def take(self, entry: Entry, at: int, own: str = "") -> int:
        """Tell of an entry with an id of its own; what comes back are the bits of its link."""
        match entry:
            case Message():
                return self._message(entry, at, own)
            case Head():
                self._head(entry, at)
            case Snapshot():
                names = "\n".join(whole(name) for name in entry.files)
                if names:
                    tags = tags_of(self.format, "other", "")
                    self.pieces.append(Piece(at, "other", "", "", seconds(entry.time), tags, names))
            case _:
                pass
        return 0

    def _message(self, message: Message, at: int, own: str) -> int:
        context, time = message.context, moment(message.time)
        self.roles[message.role] = self.roles.get(message.role, 0) + 1
        extras = extras_of(self.format, message)
        side = flags.SIDECHAIN in message.flags
        self.place(
            message.session,
            message.agent,
            context.cwd if context else None,
            context.git_branch if context else None,
            time,
            extras.parent,
        )
        reply = None
        if message.usage is not None and message.model != SYNTHETIC:
            reply = self._reply(message, at, own, extras)
        inner = carried(self.format, message)
        if inner is not None and inner.usage is not None and inner.model != SYNTHETIC:
            self._reply(inner, at, inner.id, extras_of(self.format, inner))
        if self.format == "muse":
            self.measures += measures_of(message, time)
        teller = Parts(self, message, at, time, reply)
        for part in message.parts:
            teller.take(part)
        if message.todos:
            teller.todos(message.todos, told_before=True)
        failed = flags.ERROR in message.flags or teller.failed
        return (
            bool(message.parts) * MESSAGE
            | teller.compacts * COMPACT
            | failed * ERROR
            | side * SIDECHAIN
        )

    def _reply(self, message: Message, at: int, own: str, extras: Extras) -> int:
        assert message.usage is not None
        used, time, request = message.usage, moment(message.time), extras.request
        counts = (
            count(used.input),
            count(used.output),
            count(used.cache_read),
            count(used.cache_write if extras.written is None else extras.written),
            extras.hour,
        )
        if message.api_message or request:
            key = reply_key(message.api_message, request)
        else:
            key = lone_key(own, message.session, time, message.model, counts)
        side = flags.SIDECHAIN in message.flags
        model = None if message.model is None else whole(message.model)
        self.replies.append(Reply(key, at, time, model, *counts, side))
        if model:
            self.models[model] = None
        return key

    def _head(self, head: Head, at: int) -> None:
        if not head.title or head.title.isspace():
            return
        title = whole(head.title)
        good = rank(head)
        if good >= self.rank:
            self.title, self.rank = short_title(title) or title[:100], good
        tags = tags_of(self.format, "summary", "")
        self.pieces.append(Piece(at, "summary", "", title, seconds(head.time), tags, ""))

    # the source as a whole

    def place(
        self,
        session: str | None,
        agent: str | None,
        cwd: str | None,
        branch: str | None,
        time: int | None,
        parent: str | None,
    ) -> None:
        """Where and when a record was written."""
        if agent:
            self.native = agent
            if self.parent is None:
                self.parent = session
        elif session:
            self.native = session
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
                group_of(group),
                stamp_of(time, role),
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

    def called(self, key: int, tool: str) -> None:
        """A call waits for its result."""
        if len(self.open) < MOST_OPEN:
            self.open[key] = tool
