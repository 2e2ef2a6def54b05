"""What a source of any format tells, through the model, one record at a time.

The parts of one message as pieces, calls and outcomes.

The telling of entries: what a message, a title or a snapshot gives to find and to count.

This is what pieces and facts are, for every format.

Calls and results that do not name each other: order and parents tell which belong together.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from talktree.files import Content, Source
from talktree.formats import by_slug
from talktree.formats.engine import Origin, read
from talktree.formats.format import Format
from talktree.library.extract.collector import Telling
from talktree.library.extract.facts import (
    COMMAND,
    COMPACT,
    ERROR,
    FOLLOWS,
    MESSAGE,
    NODE,
    SIDECHAIN,
    TRAIT,
    Call,
    ConversationFacts,
    Link,
    Outcome,
    Piece,
    Reply,
    Told,
    group_of,
    key_of,
    moment,
    seconds,
    stamp_of,
    states,
    title_rank,
)
from talktree.library.extract.format_metrics import parent_session
from talktree.library.extract.texts import (
    call_files,
    call_text,
    event_text,
    is_todo_tool,
    result_text,
    short_title,
    spoken,
    tags_of,
    todo_text,
    whole,
)
from talktree.model import message as flags
from talktree.model import pairing
from talktree.model.compaction import RESTORED, compaction_of
from talktree.model.conversation import Conversation
from talktree.model.counts import ConversationCounts
from talktree.model.derived import rank, written_todos
from talktree.model.document import Document
from talktree.model.entries import Entry, Head, Snapshot
from talktree.model.habits import Habits
from talktree.model.identity import find_native_id
from talktree.model.measures import NO_MEASURES, searched_words
from talktree.model.message import Message, Todo
from talktree.model.outline import Listing
from talktree.model.parts import Attachment, Event, Part, Text, Thinking, ToolCall, ToolResult
from talktree.model.replies import ReplyUsage
from talktree.model.skeleton import ROOT, Skeleton
from talktree.model.vendor_walk import find_resume_point, walk_back, written_links

SUMMARIES = frozenset({"summary", "compacted"})
"""Events in whose place all that was said before is no longer sent."""


class Parts:
    """The parts of one message."""

    def __init__(
        self,
        telling: Telling,
        message: Message,
        at: int,
        time: int | None,
        reply: int | None,
        labels: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.telling = telling
        self.message = message
        self.at = at
        self.time = time
        self.reply = reply
        self.labels = labels
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
            self._states(error=error),
            self.labels,
        )
        time = None if self.time is None else self.time // 1_000_000_000
        piece = Piece(self.at, kind, role, whole(text), time, tags, whole(files))
        self.telling.pieces.append(piece)

    def _states(self, *, error: bool) -> tuple[str, ...]:
        found = states(self.error or error, self.side)
        return (*found, flags.DELETED) if flags.DELETED in self.message.flags else found

    def _text(self, part: Text) -> None:
        meta = flags.META in self.message.flags
        self.add("other" if meta else "text", part.text)
        if not meta:
            rank = title_rank(self.message.role, self.side)
            self.telling.prompted(part.text, rank)

    def _event(self, part: Event) -> None:
        if part.kind in SUMMARIES:
            self.compacts = True
            self.add("summary", part.text or "")
        elif part.kind == "command":
            text = event_text(part)
            self.add("text", text)
            if flags.META not in self.message.flags:
                self.telling.prompted(text, COMMAND)
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


def tell_entry(
    telling: Telling, entry: Entry, at: int, own: str = "", *, counts: bool = True
) -> int:
    """Tell of an entry with an id of its own; what comes back are the bits of its link.

    What is recorded about a message is not counted again for a copy of it.
    """
    match entry:
        case Message():
            return _message(telling, entry, at, own, counts=counts)
        case Head():
            _head(telling, entry, at)
        case Snapshot():
            names = "\n".join(whole(name) for name in entry.files)
            if names:
                tags = tags_of(telling.format, "other", "")
                time = seconds(entry.time_ns)
                telling.pieces.append(Piece(at, "other", "", "", time, tags, names))
        case _:
            pass
    return 0


def _message(telling: Telling, message: Message, at: int, own: str, *, counts: bool) -> int:
    context, time = message.context, moment(message.time_ns)
    telling.roles[message.role] = telling.roles.get(message.role, 0) + 1
    side = flags.SIDECHAIN in message.flags
    telling.place(
        message.session,
        message.agent,
        context.cwd if context else None,
        context.git_branch if context else None,
        time,
        parent_session(telling.format, message),
        side=side,
    )
    format = by_slug(telling.format)
    replies = format.replies(message, own)
    keys = [_reply(telling, each, at) for each in replies]
    reply = keys[0] if keys and message.usage is not None else None
    measures = format.measures(message)
    if counts and measures is not NO_MEASURES:
        telling.measured(measures, time)
    if counts:
        telling.compacted(message, time)
    teller = Parts(telling, message, at, time, reply, searched_words(measures))
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


def _reply(telling: Telling, found: ReplyUsage, at: int) -> int:
    used, key = found.usage, key_of(found.name)
    counts = (used.input, used.output, used.cache_read, used.cache_write, found.hour)
    model = None if found.model is None else whole(found.model)
    telling.replies.append(Reply(key, at, moment(found.time), model, *counts, found.sidechain))
    if model:
        telling.models[model] = None
    return key


def _head(telling: Telling, head: Head, at: int) -> None:
    if not head.title or head.title.isspace():
        return
    title = whole(head.title)
    good = rank(head)
    if good >= telling.rank:
        telling.title, telling.rank = short_title(title) or title[:100], good
    tags = tags_of(telling.format, "summary", "")
    telling.pieces.append(Piece(at, "summary", "", title, seconds(head.time_ns), tags, ""))


class LooseCalls:
    """Tells of the calls of one conversation that have no id, and of results that name no call."""

    def __init__(self, telling: Telling, conversation: str) -> None:
        self._telling = telling
        self._conversation = conversation
        self._turn = pairing.Turn()

    def take(self, message: Message, at: int) -> None:
        """The calls and results of a message."""
        turn = self._turn
        if turn.ends_before(message):
            self.close()
        turn.take(message)
        for number, part in enumerate(message.parts):
            if isinstance(part, ToolCall) and not part.id:
                key = self._key(message.id, number)
                time = moment(message.time_ns)
                self._telling.calls.append(Call(key, at, time, whole(part.name), None))
        if turn.results and turn.complete:
            self.close()

    def close(self) -> None:
        """Results that name no call, with the calls they are found to answer."""
        for call, result in self._turn.close():
            if call is None or (call.id and result.call):
                continue
            key = key_of(call.id) if call.id else self._key(call.message, call.part)
            self._telling.outcomes.append(Outcome(key, result.error, moment(result.time)))

    def _key(self, message: str, part: int) -> int:
        return key_of(f"{self._conversation}|{message}|{part}")


def told(source: Source, format: Format) -> Told:
    """What a source tells; the place of a piece is the number of its record."""
    document = read(source, format)
    telling = Telling(format.info.slug)
    found: list[ConversationFacts] = []
    at = 0
    ids: dict[int, str] = {}
    habits: list[Habits] = []
    roles: Counter[str] = Counter()
    for number, conversation in enumerate(document.conversations):
        telling.title, telling.rank = None, 0
        links = len(telling.links)
        _tell(telling, conversation, number, at, loose=format.can.calls == "loose")
        if len(telling.links) > links:
            # Links are those of the model, which has inferred what is missing.
            habits.append(conversation.skeleton.habits._replace(sequential=False, walk=False))
        roles.update(conversation.counts.roles)
        errors = sum(bool(link.bits & ERROR) for link in telling.links[links:])
        found.append(_facts(conversation, at, telling.title, errors))
        ids.update(enumerate(conversation.skeleton.ids, at))
        at += conversation.record_count
    telling.title = next((each.title for each in found if each.title), None)
    telling.native = found[0].native if found else None
    told = telling.told(sum(content.size for content in source.files.values()))
    told.ids = ids
    told.conversations = found
    told.damage = _damage(document)
    told.habits = habits
    told.roles = dict(roles)
    return told


def _damage(document: Document) -> str | None:
    origin = document.origin
    assert isinstance(origin, Origin)
    folder = origin.source.folder
    found = [f"{path}: {why}" if folder else why for path, why in origin.damaged.items()]
    return "; ".join(found) or None


def read_lines(name: bytes, content: Content, format: str) -> tuple[ConversationCounts, str | None]:
    """The numbers of the conversation in a file of lines, and its id, as the model has them."""
    text = os.fsdecode(name)
    document = read(Source(text, {text: content}, folder=False), by_slug(format))
    return document.conversation.counts, find_native_id(document.conversation)


def _facts(
    conversation: Conversation, at: int, title: str | None, errors: int
) -> ConversationFacts:
    counts = conversation.counts
    return ConversationFacts(
        start=at,
        key=conversation.id,
        native=conversation.native_id,
        title=title,
        first=counts.first_ns,
        last=counts.last_ns,
        messages=counts.messages,
        threads=counts.threads,
        branches=counts.branches,
        sidechains=counts.sidechains,
        errors=errors,
    )


def _tell(
    telling: Telling, conversation: Conversation, number: int, first: int, *, loose: bool
) -> None:
    """Tell of one conversation, whose first record has a number."""
    bones = conversation.skeleton
    groups = bones.groups()
    listings = _listings(bones)
    calls = LooseCalls(telling, conversation.id) if loose else None
    marks: dict[int, str] = {}
    links = len(telling.links)
    for position, entry in enumerate(conversation.entries):
        at = first + position
        counts = position not in bones.copies
        bits = tell_entry(telling, entry, at, bones.own_id(position), counts=counts)
        if isinstance(entry, Message) and calls is not None:
            calls.take(entry, at)
        if isinstance(entry, Message) and (mark := compaction_of(entry)) is not None:
            marks[at] = mark.kind
        trait = bones.traits[position]
        if not trait:
            continue
        above = bones.parents[position]
        bits &= ~SIDECHAIN
        bits |= NODE | (trait - 1) << TRAIT | bool(bones.sidechain[position]) * SIDECHAIN
        bits |= (position in bones.linked and above != ROOT) * FOLLOWS
        telling.links.append(
            Link(
                _name(bones.ids[position], number),
                0 if above == ROOT else _name(bones.ids[above], number),
                at,
                bits,
                group_of(groups[position]),
                stamp_of(bones.times[position], bones.roles[position]),
                number,
                listing=listings.get(position, int(Listing.LISTED)),
            )
        )
        telling.leaf = bones.own_id(position) or telling.leaf
    if calls is not None:
        calls.close()
    if RESTORED in marks.values():
        _take_back(telling, links, _restored(conversation, marks, first))


def _restored(conversation: Conversation, marks: dict[int, str], first: int) -> set[int]:
    """The compactions on the active branch that were taken back, by the places of their records."""
    leaf = conversation.tree.active_leaf()
    path = [] if leaf is None else [first + place for place in conversation.tree.path(leaf)]
    back = max((at for at, place in enumerate(path) if marks.get(place) == RESTORED), default=0)
    return set(path[:back])


def _take_back(telling: Telling, start: int, places: set[int]) -> None:
    """Let compactions at some places count for nothing: all of it is in the context again."""
    for number in range(start, len(telling.links)):
        link = telling.links[number]
        if link.at in places and link.bits & COMPACT:
            telling.links[number] = link._replace(bits=link.bits & ~COMPACT)


_MARKS = (int(Listing.ACTIVE), int(Listing.NEWEST))


def _listings(bones: Skeleton) -> dict[int, int]:
    """What the program's own reader returns, and from where the conversation continues."""
    if not bones.habits.walk:
        return {at: each for at, each in enumerate(bones.listings) if each in _MARKS}
    found = dict.fromkeys(walk_back(written_links(bones)), int(Listing.RETURNED))
    return found | {find_resume_point(bones): int(Listing.CURRENT)}


def _name(id: str, number: int) -> int:
    """The hash of an id; the same id in another conversation is another one."""
    return key_of(f"{number}:{id}" if number else id)
