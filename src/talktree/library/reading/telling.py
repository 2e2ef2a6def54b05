"""The telling of entries: what a message, a title or a snapshot gives to find and to count.

This is what pieces and facts are, for every format. The reader of lines tells the same of the usual
lines in a shorter way, and comes here with all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from talktree.library.reading.natives import extras_of, measures_of
from talktree.library.reading.tags import tags_of
from talktree.library.reading.texts import (
    Task,
    call_files,
    call_text,
    event_text,
    is_todo_tool,
    result_text,
    short_title,
    spoken,
    todo_text,
    whole,
)
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
from talktree.model.derive import DONE, written_todos
from talktree.model.entries import Entry, Head, Snapshot
from talktree.model.message import Message, Todo
from talktree.model.parts import Attachment, Event, Part, Text, Thinking, ToolCall, ToolResult

SYNTHETIC = "<synthetic>"
"""The model of an answer that no model gave; nobody pays for it."""
MOST = 1 << 53
"""No count and no time in seconds is larger."""
LATEST = 1 << 62
PROMPT, SIDE_PROMPT, COMMAND = 3, 2, 1
RANKS = {"custom-title": 7, "ai-title": 6, "agent-name": 4}
"""How good a title is by the kind of its record."""
NAMED = 5
"""How good any other title is that a source gives."""
SUMMARIES = frozenset({"summary", "compacted"})
ROLES = {"user": 1, "assistant": 2, "system": 3}
STATES = ((), ("error",), ("sidechain",), ("error", "sidechain"))
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
        self.native, self.parent, self.leaf = head.native, head.parent, head.leaf
        self.title, self.rank = head.title, head.rank
        self.project, self.branch = head.project, head.branch
        self.first, self.last = head.first, head.last
        self.models = dict.fromkeys(head.models)
        self.open = dict(head.open)
        self.todo = head.todo
        self.talks = list(head.talks)

    def told(self, taken: int) -> Told:
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
            reply = self._reply(message, at, own, extras.request, extras.hour)
        if self.format == "muse":
            self.measures += measures_of(message, time)
        teller = _Parts(self, message, at, time, reply)
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

    def _reply(self, message: Message, at: int, own: str, request: str | None, hour: int) -> int:
        assert message.usage is not None
        used, time = message.usage, moment(message.time)
        counts = (
            count(used.input),
            count(used.output),
            count(used.cache_read),
            count(used.cache_write),
            count(hour),
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
        rank = RANKS.get(head.kind, NAMED)
        if rank >= self.rank:
            self.title, self.rank = short_title(title) or title[:100], rank
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
        """A prompt is the title as long as there is no better one."""
        if rank > self.rank:
            title = short_title(text)
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


class _Parts:
    """The parts of one message."""

    def __init__(
        self, telling: Telling, message: Message, at: int, time: int | None, reply: int | None
    ) -> None:
        self.telling = telling
        self.message = message
        self.at = at
        self.time = time
        self.reply = reply
        self.compacts = False
        self.failed = False
        context = message.context
        self.project = context.cwd if context else None
        self.branch = context.git_branch if context else None
        self.side = flags.SIDECHAIN in message.flags
        self.error = flags.ERROR in message.flags

    def take(self, part: Part) -> None:
        """Tell of one part."""
        match part:
            case Text():
                self._text(part)
            case Thinking():
                self.add("thinking", part.text)
            case ToolCall():
                self._call(part)
            case ToolResult():
                self._result(part)
            case Event():
                self._event(part)
            case Attachment():
                self.add("other", "", files=part.name or "")
            case _:
                self.add("other", spoken(part))

    def add(
        self,
        kind: str,
        text: str,
        *,
        role: str | None = None,
        tool: str | None = None,
        error: bool = False,
        files: str = "",
    ) -> None:
        """One more piece, unless it has nothing to be found."""
        if not files and (not text or text.isspace()):
            return
        role = self.message.role if role is None else role
        tags = tags_of(
            self.telling.format,
            kind,
            role,
            tool,
            self.message.model,
            self.project,
            self.branch,
            states(self.error or error, self.side),
        )
        time = None if self.time is None else self.time // 1_000_000_000
        piece = Piece(self.at, kind, role, whole(text), time, tags, whole(files))
        self.telling.pieces.append(piece)

    def _text(self, part: Text) -> None:
        meta = flags.META in self.message.flags
        self.add("other" if meta else "text", part.text)
        if self.message.role == "user" and not meta:
            self.telling.prompted(whole(part.text), SIDE_PROMPT if self.side else PROMPT)

    def _event(self, part: Event) -> None:
        if part.kind in SUMMARIES:
            self.compacts = True
            self.add("summary", part.text or "")
        elif part.kind == "command":
            text = event_text(part)
            self.add("text", text)
            if flags.META not in self.message.flags:
                self.telling.prompted(whole(text), COMMAND)
        else:
            self.add("other", event_text(part))

    def _call(self, part: ToolCall) -> None:
        listed = written_todos(part) if is_todo_tool(part.name) else None
        if listed is not None:
            self.todos(listed, tool=part.name)
        else:
            text = call_text(part.name, part.input)
            self.add("call", text, tool=part.name, files=call_files(part.input))
        if part.id:
            key, tool = key_of(part.id), whole(part.name)
            self.telling.calls.append(Call(key, self.at, self.time, tool, self.reply))
            self.telling.called(key, tool)

    def _result(self, part: ToolResult) -> None:
        tool = part.name
        if part.call:
            key = key_of(part.call)
            tool = self.telling.open.pop(key, tool)
            self.telling.outcomes.append(Outcome(key, part.error, self.time))
        self.failed = self.failed or part.error
        self.add("result", result_text(part), role="tool", tool=tool, error=part.error)

    def todos(
        self, listed: Sequence[Todo], *, tool: str | None = None, told_before: bool = False
    ) -> None:
        """A list of tasks; one that goes with many messages is told when it changes."""
        text = todo_text(listed)
        if not told_before or key_of(whole(text)) != self.telling.todo:
            self.add("todo", text, tool=tool)
        self.telling.tasks(listed, whole(text), self.time)


def states(failed: bool, side: bool) -> tuple[str, ...]:  # noqa: FBT001
    """What is said of a piece by the tag `is`."""
    return STATES[failed + 2 * side]


def moment(time: int | None) -> int | None:
    """A time as it can be kept."""
    return time if time is not None and -LATEST < time < LATEST else None


def seconds(time: int | None) -> int | None:
    """A time in seconds."""
    return None if moment(time) is None else (time or 0) // 1_000_000_000


def count(number: int) -> int:
    """A count as it can be kept."""
    return number if 0 <= number < MOST else 0


def reply_key(api: str | None, request: str | None) -> int:
    """What a reply is known by in all files."""
    return key_of(f"{api or ''} {request or ''}")


def lone_key(
    own: str, session: str | None, time: int | None, model: str | None, counts: Sequence[int]
) -> int:
    """What a reply is known by that has no id of its own."""
    return key_of(f"{own}|{session}|{time}|{model}|{' '.join(map(str, counts))}")


def group_of(group: str | None) -> int:
    """A number for the reply a record is a piece of; 0 for none."""
    return 0 if group is None else crc32(group.encode("utf-8", "surrogatepass")) & 0x7FFFFFFF or 1


def stamp_of(time: int, role: str) -> int:
    """The same number only for the same time and role; 0 without a time."""
    if time < 0:
        return 0
    code = ROLES.get(role) or 4 + crc32(role.encode("utf-8", "surrogatepass")) % 1000
    return min(time, LATEST) + code
