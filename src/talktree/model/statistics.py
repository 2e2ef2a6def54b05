"""Counts a conversation in one pass: roles, tools, tokens, days, tasks and durations of replies.

What is copied into several files counts once: API messages and tool calls are recognised by their
ids. Memory grows with the number of days, models, tools, calls and API messages, not with contents.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from talktree.model.compaction import OPERATIONS, find_compaction
from talktree.model.conversation import Conversation
from talktree.model.derived import DONE, find_todos
from talktree.model.link_repair import with_inferred_links
from talktree.model.measures import (
    NO_MEASURES,
    MessageMeasures,
    get_recorded_seconds,
    iterate_number_measures,
    iterate_word_measures,
)
from talktree.model.message import SIDECHAIN, Message, Todo, Usage
from talktree.model.outline import Trait
from talktree.model.pairing import TurnPairing
from talktree.model.parts import Event, ToolCall
from talktree.model.replies import ReplyUsage, sum_tokens
from talktree.model.skeleton import NO_TIME, ROOT
from talktree.text.times import SECOND

NOTHING_RECORDED: Mapping[int, float] = MappingProxyType({})
IDLE_SECONDS = 3600.0
"""A longer gap is not the duration of an answer: the user was away, or times were rewritten."""


def compute_answer_seconds(asked: int | None, answered: int | None) -> float | None:
    """Return the seconds from a request to its answer, if the times (in nanoseconds) are
    plausible."""
    if asked is None or answered is None or NO_TIME in (asked, answered):
        return None
    seconds = (answered - asked) / 1e9
    return seconds if 0 <= seconds <= IDLE_SECONDS else None


def compute_latencies(
    conversation: Conversation, recorded: Mapping[int, float] = NOTHING_RECORDED
) -> array[float]:
    """Return the seconds from each prompt to its first reply, from the skeleton alone.

    Where the format recorded the duration of a reply, by position, that is used instead.
    """
    skeleton = conversation.skeleton
    waits = array("d")
    prompts: dict[int, int] = {}
    for here in conversation.tree.order:
        above = skeleton.parents[here]
        trait = skeleton.traits[here]
        before = prompts.get(above, ROOT)
        if trait == Trait.SAID and not skeleton.sidechain[here]:
            prompts[here] = here
        elif trait == Trait.NOTE and before != ROOT:
            prompts[here] = before
        elif trait == Trait.REPLY and here in recorded:
            waits.append(recorded[here])
        elif trait == Trait.REPLY and before != ROOT:
            seconds = compute_answer_seconds(skeleton.times[before], skeleton.times[here])
            if seconds is not None:
                waits.append(seconds)
    return waits


DAY = 86_400 * SECOND
UNKNOWN = "unknown"


class TokenTally:
    """Tokens and the number of API messages that used them."""

    def __init__(self) -> None:
        self.api_messages = 0
        self.input = 0
        self.output = 0
        self.cache_read = 0
        self.cache_write = 0

    def add_usage(self, usage: Usage, *, times: int = 1) -> None:
        """Add or subtract one API message."""
        self.api_messages += times
        self.input += times * usage.input
        self.output += times * usage.output
        self.cache_read += times * usage.cache_read
        self.cache_write += times * usage.cache_write


class ToolTally:
    """How often a tool was called and how often it failed."""

    def __init__(self) -> None:
        self.calls = 0
        self.failures = 0
        self.answered = 0
        self.seconds = array("d")
        """From call to result, where both have a time."""


class DayTally:
    """The counts of a day."""

    def __init__(self) -> None:
        self.messages = 0
        self.tokens = TokenTally()


class Model:
    """The counts of a model."""

    def __init__(self) -> None:
        self.messages = 0
        self.tokens = TokenTally()


class Tally:
    """The counts of any number of conversations."""

    def __init__(self) -> None:
        self.conversations = 0
        self.messages = 0
        self.records = 0
        self.threads = 0
        self.branches = 0
        """Without sidechains."""
        self.sidechains = 0
        self.kinds: Counter[str] = Counter()
        """Branches and sidechains by kind."""
        self.roles: Counter[str] = Counter()
        self.tools: dict[str, ToolTally] = {}
        self.tokens = TokenTally()
        self.days: dict[int, DayTally] = {}
        """By the number of the day since 1970."""
        self.models: dict[str, Model] = {}
        self.first: int | None = None
        self.last: int | None = None
        self.waits = array("d")
        self.words: dict[str, Counter[str]] = {}
        """How often each word was recorded, by the name of the measure."""
        self.numbers: dict[str, array[float]] = {}
        """The recorded numbers, by the name of the measure."""
        self.compactions: list[Event] = []
        """Events of compactions and restorations, in the order of the sources."""
        self._todos: dict[str, tuple[int, int]] = {}
        """Number of done and of open tasks, by conversation."""
        self._counted: dict[int, tuple[Usage, list[TokenTally]]] = {}
        """The counted usage of each API message, and the tallies that include it."""
        self._called: set[int] = set()
        self._answered: set[int] = set()
        """Calls and answers that were counted, by the ids of the calls."""
        self._turns: dict[tuple[bool, str | None], TurnPairing] = {}

    def add_conversation(self, conversation: Conversation) -> None:
        """Count one conversation, reading it once."""
        shown = with_inferred_links(conversation)
        counts = conversation.counts
        self.conversations += 1
        self.records += counts.records
        self.threads += counts.threads
        self.branches += counts.branches
        self.sidechains += counts.sidechains
        self.kinds.update(branch.kind for branch in shown.branches())
        todos: Sequence[Todo] = ()
        recorded: dict[int, float] = {}
        store = conversation.store
        for position, message, replies in _iterate_replies(conversation):
            self._add_message(message, replies)
            mark = find_compaction(message)
            if mark is not None and mark.kind in OPERATIONS:
                self.compactions.append(Event(mark.kind, data=mark.data))
            todos = find_todos(message) or todos
            seconds = self._add_measures(store.measures(message))
            if seconds is not None:
                recorded[position] = seconds
        self.waits.extend(compute_latencies(shown, recorded))
        for turn in self._turns.values():
            self._close_turn(turn)
        self._turns = {}
        if todos:
            done = sum(todo.status in DONE for todo in todos)
            self._todos[conversation.id] = (done, len(todos) - done)

    @property
    def todos_done(self) -> int:
        """The number of done tasks, in the last state of each conversation."""
        return sum(done for done, _ in self._todos.values())

    @property
    def todos_open(self) -> int:
        """The number of open tasks."""
        return sum(left for _, left in self._todos.values())

    def _add_message(self, message: Message, replies: Iterable[ReplyUsage]) -> None:
        self.messages += 1
        self.roles[message.role] += 1
        day, time = self._get_day(message.time_ns), message.time_ns
        if day is not None and time is not None:
            day.messages += 1
            self.first = time if self.first is None else min(self.first, time)
            self.last = time if self.last is None else max(self.last, time)
        if message.model is not None or message.usage is not None:
            self._get_model(message.model or UNKNOWN).messages += 1
        for reply in replies:
            self._add_reply(reply)
        self._follow_tools(message)

    def _add_measures(self, measures: MessageMeasures) -> float | None:
        """Count the measures of a message, and return the recorded seconds."""
        if measures is NO_MEASURES:
            return None
        for name, word in iterate_word_measures(measures):
            self.words.setdefault(name, Counter())[word] += 1
        for name, number in iterate_number_measures(measures):
            self.numbers.setdefault(name, array("d")).append(number)
        return get_recorded_seconds(measures)

    def _get_day(self, time: int | None) -> DayTally | None:
        if time is None:
            return None
        number = time // DAY
        found = self.days.get(number)
        if found is None:
            found = self.days[number] = DayTally()
        return found

    def _get_model(self, name: str) -> Model:
        found = self.models.get(name)
        if found is None:
            found = self.models[name] = Model()
        return found

    # tokens

    def _add_reply(self, reply: ReplyUsage) -> None:
        """Count a reply; its pieces and copies repeat its usage, and the one with the most tokens
        counts."""
        key, usage, day = hash(reply.name), reply.usage, self._get_day(reply.time)
        known = self._counted.get(key)
        if known is not None:
            before, books = known
            if sum_tokens(usage) <= sum_tokens(before):
                return
            for book in books:
                book.add_usage(before, times=-1)
        books = [self.tokens, self._get_model(reply.model or UNKNOWN).tokens]
        if day is not None:
            books.append(day.tokens)
        for book in books:
            book.add_usage(usage)
        self._counted[key] = (usage, books)

    # tools

    def _follow_tools(self, message: Message) -> None:
        line = (SIDECHAIN in message.flags, message.agent)
        turn = self._turns.get(line)
        if turn is None:
            turn = self._turns[line] = TurnPairing()
        if turn.is_ended_by(message):
            self._close_turn(turn)
        turn.take_message(message)
        for part in message.parts:
            if isinstance(part, ToolCall) and _is_new(part.id, self._called):
                self._get_tool(part.name).calls += 1
        if turn.results and turn.is_complete:
            self._close_turn(turn)

    def _get_tool(self, name: str) -> ToolTally:
        found = self.tools.get(name)
        if found is None:
            found = self.tools[name] = ToolTally()
        return found

    def _close_turn(self, turn: TurnPairing) -> None:
        for call, result in turn.close_turn():
            if call is None or not _is_new(call.id, self._answered):
                continue
            tool = self._get_tool(call.name)
            tool.answered += 1
            tool.failures += result.error
            if call.time is not None and result.time is not None and result.time >= call.time:
                tool.seconds.append((result.time - call.time) / 1e9)


def _iterate_replies(
    conversation: Conversation,
) -> Iterator[tuple[int, Message, Iterator[ReplyUsage]]]:
    """Yield all messages with their positions and the API replies they are pieces of."""
    skeleton, store = conversation.skeleton, conversation.store
    for position, entry in enumerate(conversation.entries):
        if isinstance(entry, Message) and position not in skeleton.copies:
            yield position, entry, store.replies(entry, skeleton.own_id(position))


def _is_new(id: str | None, known: set[int]) -> bool:
    """Whether a call was not counted before, in this file or another; one without an id always
    is."""
    if not id:
        return True
    key = hash(id)
    if key in known:
        return False
    known.add(key)
    return True
