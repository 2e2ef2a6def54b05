"""Counting a conversation as it streams by: roles, tools, tokens, days, tasks.

What is copied into several files counts once: API messages and tool calls are known by their ids.
Memory grows with the number of days, models, tools, calls and API messages, not with contents.

How long replies took, from the times of the messages.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from talktree.model.compaction import OPERATIONS, compaction_of
from talktree.model.conversation import Conversation
from talktree.model.derived import DONE, todos_of
from talktree.model.link_repair import mended
from talktree.model.measures import (
    NO_MEASURES,
    MessageMeasures,
    measured_numbers,
    measured_words,
    recorded_seconds,
)
from talktree.model.message import SIDECHAIN, Message, Todo, Usage
from talktree.model.outline import Trait
from talktree.model.pairing import Turn
from talktree.model.parts import Event, ToolCall
from talktree.model.replies import ReplyUsage, total
from talktree.model.skeleton import NO_TIME, ROOT
from talktree.text.times import SECOND

NOTHING_RECORDED: Mapping[int, float] = MappingProxyType({})
IDLE_SECONDS = 3600.0
"""A longer gap is not the time of an answer: a person was away, or times were rewritten."""


def answer_seconds(asked: int | None, answered: int | None) -> float | None:
    """Seconds from a request to its answer, if the times (in nanoseconds) can mean that."""
    if asked is None or answered is None or NO_TIME in (asked, answered):
        return None
    seconds = (answered - asked) / 1e9
    return seconds if 0 <= seconds <= IDLE_SECONDS else None


def latencies(
    conversation: Conversation, recorded: Mapping[int, float] = NOTHING_RECORDED
) -> array[float]:
    """Seconds from each prompt to the first reply to it, from the skeleton alone.

    Where the format recorded how long a reply took, by position, that counts instead.
    """
    bones = conversation.skeleton
    waits = array("d")
    prompts: dict[int, int] = {}
    for here in conversation.tree.order:
        above = bones.parents[here]
        trait = bones.traits[here]
        before = prompts.get(above, ROOT)
        if trait == Trait.SAID and not bones.sidechain[here]:
            prompts[here] = here
        elif trait == Trait.NOTE and before != ROOT:
            prompts[here] = before
        elif trait == Trait.REPLY and here in recorded:
            waits.append(recorded[here])
        elif trait == Trait.REPLY and before != ROOT:
            seconds = answer_seconds(bones.times[before], bones.times[here])
            if seconds is not None:
                waits.append(seconds)
    return waits


DAY = 86_400 * SECOND
UNKNOWN = "unknown"


class Tokens:
    """Tokens and how many API messages they were spent on."""

    def __init__(self) -> None:
        self.api_messages = 0
        self.input = 0
        self.output = 0
        self.cache_read = 0
        self.cache_write = 0

    def add(self, usage: Usage, *, times: int = 1) -> None:
        """One more API message, or one less."""
        self.api_messages += times
        self.input += times * usage.input
        self.output += times * usage.output
        self.cache_read += times * usage.cache_read
        self.cache_write += times * usage.cache_write


class ToolCount:
    """How often a tool was called and how often that failed."""

    def __init__(self) -> None:
        self.calls = 0
        self.failures = 0
        self.answered = 0
        self.seconds = array("d")
        """From call to result, where both have a time."""


class Day:
    """What happened on a day."""

    def __init__(self) -> None:
        self.messages = 0
        self.tokens = Tokens()


class Model:
    """What a model did."""

    def __init__(self) -> None:
        self.messages = 0
        self.tokens = Tokens()


class Tally:
    """Counts over any number of conversations."""

    def __init__(self) -> None:
        self.conversations = 0
        self.messages = 0
        self.records = 0
        self.threads = 0
        self.branches = 0
        """Sidechains are not among them."""
        self.sidechains = 0
        self.kinds: Counter[str] = Counter()
        """Branches and sidechains by kind."""
        self.roles: Counter[str] = Counter()
        self.tools: dict[str, ToolCount] = {}
        self.tokens = Tokens()
        self.days: dict[int, Day] = {}
        """By the number of the day since 1970."""
        self.models: dict[str, Model] = {}
        self.first: int | None = None
        self.last: int | None = None
        self.waits = array("d")
        self.words: dict[str, Counter[str]] = {}
        """How often each word was recorded, by the name of the measure."""
        self.numbers: dict[str, array[float]] = {}
        """The numbers that were recorded, by the name of the measure."""
        self.compactions: list[Event] = []
        """What compactions and restorations say, in the order of the sources."""
        self._todos: dict[str, tuple[int, int]] = {}
        """Tasks that are done and that are open, by conversation."""
        self._counted: dict[int, tuple[Usage, list[Tokens]]] = {}
        """What was told of each API message, and the books it stands in."""
        self._called: set[int] = set()
        self._answered: set[int] = set()
        """Calls and answers that were counted, by the ids of the calls."""
        self._turns: dict[tuple[bool, str | None], Turn] = {}

    def add(self, conversation: Conversation) -> None:
        """Count one conversation, reading it once."""
        shown = mended(conversation)
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
        for position, message, replies in _spoken(conversation):
            self._take(message, replies)
            mark = compaction_of(message)
            if mark is not None and mark.kind in OPERATIONS:
                self.compactions.append(Event(mark.kind, data=mark.data))
            todos = todos_of(message) or todos
            seconds = self._measure(store.measures(message))
            if seconds is not None:
                recorded[position] = seconds
        self.waits.extend(latencies(shown, recorded))
        for turn in self._turns.values():
            self._close(turn)
        self._turns = {}
        if todos:
            done = sum(todo.status in DONE for todo in todos)
            self._todos[conversation.id] = (done, len(todos) - done)

    @property
    def todos_done(self) -> int:
        """Tasks that are done, as each conversation told them last."""
        return sum(done for done, _ in self._todos.values())

    @property
    def todos_open(self) -> int:
        """Tasks that are not."""
        return sum(left for _, left in self._todos.values())

    def _take(self, message: Message, replies: Iterable[ReplyUsage]) -> None:
        self.messages += 1
        self.roles[message.role] += 1
        day, time = self._day(message.time_ns), message.time_ns
        if day is not None and time is not None:
            day.messages += 1
            self.first = time if self.first is None else min(self.first, time)
            self.last = time if self.last is None else max(self.last, time)
        if message.model is not None or message.usage is not None:
            self._model(message.model or UNKNOWN).messages += 1
        for reply in replies:
            self._spend(reply)
        self._follow_tools(message)

    def _measure(self, measures: MessageMeasures) -> float | None:
        """Count what is recorded about a message; the seconds it took are returned."""
        if measures is NO_MEASURES:
            return None
        for name, word in measured_words(measures):
            self.words.setdefault(name, Counter())[word] += 1
        for name, number in measured_numbers(measures):
            self.numbers.setdefault(name, array("d")).append(number)
        return recorded_seconds(measures)

    def _day(self, time: int | None) -> Day | None:
        if time is None:
            return None
        number = time // DAY
        found = self.days.get(number)
        if found is None:
            found = self.days[number] = Day()
        return found

    def _model(self, name: str) -> Model:
        found = self.models.get(name)
        if found is None:
            found = self.models[name] = Model()
        return found

    # tokens

    def _spend(self, reply: ReplyUsage) -> None:
        """Pieces and copies of one reply repeat its usage; the one with the most tokens counts."""
        key, usage, day = hash(reply.name), reply.usage, self._day(reply.time)
        known = self._counted.get(key)
        if known is not None:
            before, books = known
            if total(usage) <= total(before):
                return
            for book in books:
                book.add(before, times=-1)
        books = [self.tokens, self._model(reply.model or UNKNOWN).tokens]
        if day is not None:
            books.append(day.tokens)
        for book in books:
            book.add(usage)
        self._counted[key] = (usage, books)

    # tools

    def _follow_tools(self, message: Message) -> None:
        line = (SIDECHAIN in message.flags, message.agent)
        turn = self._turns.get(line)
        if turn is None:
            turn = self._turns[line] = Turn()
        if turn.ends_before(message):
            self._close(turn)
        turn.take(message)
        for part in message.parts:
            if isinstance(part, ToolCall) and _is_new(part.id, self._called):
                self._tool(part.name).calls += 1
        if turn.results and turn.complete:
            self._close(turn)

    def _tool(self, name: str) -> ToolCount:
        found = self.tools.get(name)
        if found is None:
            found = self.tools[name] = ToolCount()
        return found

    def _close(self, turn: Turn) -> None:
        for call, result in turn.close():
            if call is None or not _is_new(call.id, self._answered):
                continue
            tool = self._tool(call.name)
            tool.answered += 1
            tool.failures += result.error
            if call.time is not None and result.time is not None and result.time >= call.time:
                tool.seconds.append((result.time - call.time) / 1e9)


def _spoken(conversation: Conversation) -> Iterator[tuple[int, Message, Iterator[ReplyUsage]]]:
    """All messages with their positions and the API replies they are pieces of."""
    bones, store = conversation.skeleton, conversation.store
    for position, entry in enumerate(conversation.entries):
        if isinstance(entry, Message) and position not in bones.copies:
            yield position, entry, store.replies(entry, bones.own_id(position))


def _is_new(id: str | None, known: set[int]) -> bool:
    """Whether a call was not met before, in this file or another; one without an id always is."""
    if not id:
        return True
    key = hash(id)
    if key in known:
        return False
    known.add(key)
    return True
