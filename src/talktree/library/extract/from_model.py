"""Facts extracted from a source of any format, through the model, record by record.

Splits messages into pieces, calls and outcomes, and entries (messages, titles, snapshots) into what
is searched and counted.

This defines what pieces and facts are, for every format.

Calls and results that do not name each other are matched by their order and parents.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from talktree.files import Content, Source
from talktree.formats import get_format
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.formats.format import Format
from talktree.library.extract.collector import FactsCollector
from talktree.library.extract.facts import (
    COMMAND,
    COMPACT,
    ERROR,
    FOLLOWS,
    MESSAGE,
    NODE,
    SIDECHAIN,
    TRAIT,
    CallFacts,
    CallOutcome,
    ConversationFacts,
    ExtractedFacts,
    ReplyFacts,
    SearchPiece,
    TreeRecord,
    hash_group,
    hash_id,
    hash_stamp,
    piece_states,
    title_rank,
    to_seconds,
    to_storable_time,
)
from talktree.library.extract.format_metrics import parent_session
from talktree.library.extract.texts import (
    call_files,
    call_text,
    event_text,
    is_todo_tool,
    part_text,
    replace_surrogates,
    result_text,
    short_title,
    tags_of,
    todo_text,
)
from talktree.model import message as flags
from talktree.model import pairing
from talktree.model.compaction import RESTORED, find_compaction
from talktree.model.conversation import Conversation
from talktree.model.counts import ConversationCounts
from talktree.model.derived import rank_title, read_written_todos
from talktree.model.document import Document
from talktree.model.entries import Entry, Head, Snapshot
from talktree.model.habits import WriterHabits
from talktree.model.identity import find_native_id
from talktree.model.measures import NO_MEASURES, list_search_words
from talktree.model.message import Message, Todo
from talktree.model.outline import Listing
from talktree.model.parts import Attachment, Event, Part, Text, Thinking, ToolCall, ToolResult
from talktree.model.replies import ReplyUsage
from talktree.model.skeleton import ROOT, Skeleton
from talktree.model.vendor_walk import find_resume_point, make_written_links, walk_back

SUMMARIES = frozenset({"summary", "compacted"})
"""Events that replace the earlier messages in the context."""


class Parts:
    """The parts of one message."""

    def __init__(
        self,
        telling: FactsCollector,
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

    def add_part(self, part: Part) -> None:
        """Extract facts from one part."""
        match part:
            case Text():
                self._add_text(part)
            case Thinking():
                self.add("thinking", part.text)
            case ToolCall():
                self._add_call(part)
            case ToolResult():
                self._add_result(part)
            case Event():
                self._add_event(part)
            case Attachment():
                self.add("other", "", files=part.name or "")
            case _:
                self.add("other", part_text(part))

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
        """Add one piece, unless it has no text to search."""
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
        piece = SearchPiece(
            self.at, kind, role, replace_surrogates(text), time, tags, replace_surrogates(files)
        )
        self.telling.pieces.append(piece)

    def _states(self, *, error: bool) -> tuple[str, ...]:
        found = piece_states(self.error or error, self.side)
        return (*found, flags.DELETED) if flags.DELETED in self.message.flags else found

    def _add_text(self, part: Text) -> None:
        meta = flags.META in self.message.flags
        self.add("other" if meta else "text", part.text)
        if not meta:
            rank = title_rank(self.message.role, self.side)
            self.telling.suggest_title(part.text, rank)

    def _add_event(self, part: Event) -> None:
        if part.kind in SUMMARIES:
            self.compacts = True
            self.add("summary", part.text or "")
        elif part.kind == "command":
            text = event_text(part)
            self.add("text", text)
            if flags.META not in self.message.flags:
                self.telling.suggest_title(text, COMMAND)
        else:
            self.add("other", event_text(part))

    def _add_call(self, part: ToolCall) -> None:
        listed = read_written_todos(part) if is_todo_tool(part.name) else None
        if listed is not None:
            self.add_todos(listed, tool=part.name)
        else:
            text = call_text(part.name, part.input)
            self.add("call", text, tool=part.name, files=call_files(part.input))
        if part.id:
            key, tool = hash_id(part.id), replace_surrogates(part.name)
            self.telling.calls.append(CallFacts(key, self.at, self.time, tool, self.reply))
            self.telling.add_call(key, tool)

    def _add_result(self, part: ToolResult) -> None:
        tool = part.name
        if part.call:
            key = hash_id(part.call)
            tool = self.telling.open.pop(key, tool)
            self.telling.outcomes.append(CallOutcome(key, part.error, self.time))
        self.failed = self.failed or part.error
        self.add("result", result_text(part), role="tool", tool=tool, error=part.error)

    def add_todos(
        self, listed: Sequence[Todo], *, tool: str | None = None, known_before: bool = False
    ) -> None:
        """Add a task list; one that goes with many messages is added when it changes."""
        text = todo_text(listed)
        if not known_before or hash_id(replace_surrogates(text)) != self.telling.todo:
            self.add("todo", text, tool=tool)
        self.telling.set_tasks(listed, replace_surrogates(text), self.time)


def extract_entry(
    telling: FactsCollector, entry: Entry, at: int, own: str = "", *, counts: bool = True
) -> int:
    """Extract facts from an entry with an id of its own; return the bits of its link.

    What is recorded about a message is not counted again for a copy of it.
    """
    match entry:
        case Message():
            return _extract_message(telling, entry, at, own, counts=counts)
        case Head():
            _extract_head(telling, entry, at)
        case Snapshot():
            names = "\n".join(replace_surrogates(name) for name in entry.files)
            if names:
                tags = tags_of(telling.format, "other", "")
                time = to_seconds(entry.time_ns)
                telling.pieces.append(SearchPiece(at, "other", "", "", time, tags, names))
        case _:
            pass
    return 0


def _extract_message(
    telling: FactsCollector, message: Message, at: int, own: str, *, counts: bool
) -> int:
    context, time = message.context, to_storable_time(message.time_ns)
    telling.roles[message.role] = telling.roles.get(message.role, 0) + 1
    side = flags.SIDECHAIN in message.flags
    telling.set_place(
        message.session,
        message.agent,
        context.cwd if context else None,
        context.git_branch if context else None,
        time,
        parent_session(telling.format, message),
        side=side,
    )
    format = get_format(telling.format)
    replies = format.replies(message, own)
    keys = [_extract_reply(telling, each, at) for each in replies]
    reply = keys[0] if keys and message.usage is not None else None
    measures = format.measures(message)
    if counts and measures is not NO_MEASURES:
        telling.add_measures(measures, time)
    if counts:
        telling.note_compaction(message, time)
    teller = Parts(telling, message, at, time, reply, list_search_words(measures))
    for part in message.parts:
        teller.add_part(part)
    if message.todos:
        teller.add_todos(message.todos, known_before=True)
    failed = flags.ERROR in message.flags or teller.failed
    return (
        bool(message.parts) * MESSAGE
        | teller.compacts * COMPACT
        | failed * ERROR
        | side * SIDECHAIN
    )


def _extract_reply(telling: FactsCollector, found: ReplyUsage, at: int) -> int:
    used, key = found.usage, hash_id(found.name)
    counts = (used.input, used.output, used.cache_read, used.cache_write, found.hour)
    model = None if found.model is None else replace_surrogates(found.model)
    telling.replies.append(
        ReplyFacts(key, at, to_storable_time(found.time), model, *counts, found.sidechain)
    )
    if model:
        telling.models[model] = None
    return key


def _extract_head(telling: FactsCollector, head: Head, at: int) -> None:
    if not head.title or head.title.isspace():
        return
    title = replace_surrogates(head.title)
    good = rank_title(head)
    if good >= telling.rank:
        telling.title, telling.rank = short_title(title) or title[:100], good
    tags = tags_of(telling.format, "summary", "")
    telling.pieces.append(SearchPiece(at, "summary", "", title, to_seconds(head.time_ns), tags, ""))


class LooseCalls:
    """Matches calls without an id with results that do not name a call, in one conversation."""

    def __init__(self, telling: FactsCollector, conversation: str) -> None:
        self._telling = telling
        self._conversation = conversation
        self._turn = pairing.TurnPairing()

    def add_message(self, message: Message, at: int) -> None:
        """Add the calls and results of a message."""
        turn = self._turn
        if turn.is_ended_by(message):
            self.match_results()
        turn.take_message(message)
        for number, part in enumerate(message.parts):
            if isinstance(part, ToolCall) and not part.id:
                key = self._make_key(message.id, number)
                time = to_storable_time(message.time_ns)
                self._telling.calls.append(
                    CallFacts(key, at, time, replace_surrogates(part.name), None)
                )
        if turn.results and turn.is_complete:
            self.match_results()

    def match_results(self) -> None:
        """Add outcomes for results that do not name a call, matched with their calls."""
        for call, result in self._turn.close_turn():
            if call is None or (call.id and result.call):
                continue
            key = hash_id(call.id) if call.id else self._make_key(call.message, call.part)
            self._telling.outcomes.append(
                CallOutcome(key, result.error, to_storable_time(result.time))
            )

    def _make_key(self, message: str, part: int) -> int:
        return hash_id(f"{self._conversation}|{message}|{part}")


def extract_source(source: Source, format: Format) -> ExtractedFacts:
    """Extract facts from a source; the place of a piece is the number of its record."""
    document = read_document(source, format)
    telling = FactsCollector(format.info.slug)
    found: list[ConversationFacts] = []
    at = 0
    ids: dict[int, str] = {}
    habits: list[WriterHabits] = []
    roles: Counter[str] = Counter()
    for number, conversation in enumerate(document.conversations):
        telling.title, telling.rank = None, 0
        links = len(telling.links)
        _extract_conversation(telling, conversation, number, at, loose=format.can.calls == "loose")
        if len(telling.links) > links:
            # The links are those of the model, which has inferred the missing ones.
            habits.append(conversation.skeleton.habits._replace(sequential=False, walk=False))
        roles.update(conversation.counts.roles)
        errors = sum(bool(link.bits & ERROR) for link in telling.links[links:])
        found.append(_make_conversation_facts(conversation, at, telling.title, errors))
        ids.update(enumerate(conversation.skeleton.ids, at))
        at += conversation.record_count
    telling.title = next((each.title for each in found if each.title), None)
    telling.native = found[0].native if found else None
    facts = telling.collect(sum(content.size for content in source.files.values()))
    facts.ids = ids
    facts.conversations = found
    facts.damage = _describe_damage(document)
    facts.habits = habits
    facts.roles = dict(roles)
    return facts


def _describe_damage(document: Document) -> str | None:
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    folder = origin.source.folder
    found = [f"{path}: {why}" if folder else why for path, why in origin.damaged_files.items()]
    return "; ".join(found) or None


def read_counts_and_id(
    name: bytes, content: Content, format: str
) -> tuple[ConversationCounts, str | None]:
    """Return the numbers of the conversation in a file of lines, and its id, from the model."""
    text = os.fsdecode(name)
    document = read_document(Source(text, {text: content}, folder=False), get_format(format))
    return document.conversation.counts, find_native_id(document.conversation)


def _make_conversation_facts(
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


def _extract_conversation(
    telling: FactsCollector, conversation: Conversation, number: int, first: int, *, loose: bool
) -> None:
    """Extract facts from one conversation, whose first record has this number."""
    skeleton = conversation.skeleton
    groups = skeleton.groups()
    listings = _find_listings(skeleton)
    calls = LooseCalls(telling, conversation.id) if loose else None
    marks: dict[int, str] = {}
    links = len(telling.links)
    for position, entry in enumerate(conversation.entries):
        at = first + position
        counts = position not in skeleton.copies
        bits = extract_entry(telling, entry, at, skeleton.own_id(position), counts=counts)
        if isinstance(entry, Message) and calls is not None:
            calls.add_message(entry, at)
        if isinstance(entry, Message) and (mark := find_compaction(entry)) is not None:
            marks[at] = mark.kind
        trait = skeleton.traits[position]
        if not trait:
            continue
        above = skeleton.parents[position]
        bits &= ~SIDECHAIN
        bits |= NODE | (trait - 1) << TRAIT | bool(skeleton.sidechain[position]) * SIDECHAIN
        bits |= (position in skeleton.linked and above != ROOT) * FOLLOWS
        telling.links.append(
            TreeRecord(
                _hash_id(skeleton.ids[position], number),
                0 if above == ROOT else _hash_id(skeleton.ids[above], number),
                at,
                bits,
                hash_group(groups[position]),
                hash_stamp(skeleton.times[position], skeleton.roles[position]),
                number,
                listing=listings.get(position, int(Listing.LISTED)),
            )
        )
        telling.leaf = skeleton.own_id(position) or telling.leaf
    if calls is not None:
        calls.match_results()
    if RESTORED in marks.values():
        _discount_compactions(
            telling, links, _find_restored_compactions(conversation, marks, first)
        )


def _find_restored_compactions(
    conversation: Conversation, marks: dict[int, str], first: int
) -> set[int]:
    """Return the compactions on the active branch that were undone, by their records' places."""
    leaf = conversation.tree.active_leaf()
    path = [] if leaf is None else [first + place for place in conversation.tree.path(leaf)]
    back = max((at for at, place in enumerate(path) if marks.get(place) == RESTORED), default=0)
    return set(path[:back])


def _discount_compactions(telling: FactsCollector, start: int, places: set[int]) -> None:
    """Do not count compactions at some places: their messages are in the context again."""
    for number in range(start, len(telling.links)):
        link = telling.links[number]
        if link.at in places and link.bits & COMPACT:
            telling.links[number] = link._replace(bits=link.bits & ~COMPACT)


_MARKS = (int(Listing.ACTIVE), int(Listing.NEWEST))


def _find_listings(skeleton: Skeleton) -> dict[int, int]:
    """Return what the program's own reader returns, and where the conversation continues."""
    if not skeleton.habits.walk:
        return {at: each for at, each in enumerate(skeleton.listings) if each in _MARKS}
    found = dict.fromkeys(walk_back(make_written_links(skeleton)), int(Listing.RETURNED))
    return found | {find_resume_point(skeleton): int(Listing.CURRENT)}


def _hash_id(id: str, number: int) -> int:
    """Return the hash of an id; the same id in another conversation has another hash."""
    return hash_id(f"{number}:{id}" if number else id)
