"""Counting a conversation as it streams by: roles, tools, tokens, days, tasks.

Memory grows with the number of days, models, tools and API messages, never with the contents.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence

from talktree.model.conversation import Conversation
from talktree.model.derive import DONE, latencies, todos_of
from talktree.model.message import SIDECHAIN, Message, Todo, Usage
from talktree.model.pairing import Turn
from talktree.model.parts import ToolCall
from talktree.text.times import SECOND

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

    def add(self, usage: Usage) -> None:
        """One more API message."""
        self.api_messages += 1
        self.input += usage.input
        self.output += usage.output
        self.cache_read += usage.cache_read
        self.cache_write += usage.cache_write


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
        self.branches: Counter[str] = Counter()
        """Branches by kind."""
        self.roles: Counter[str] = Counter()
        self.tools: dict[str, ToolCount] = {}
        self.tokens = Tokens()
        self.days: dict[int, Day] = {}
        """By the number of the day since 1970."""
        self.models: dict[str, Model] = {}
        self.first: int | None = None
        self.last: int | None = None
        self.waits = array("d")
        self.todos_done = 0
        self.todos_open = 0
        self._counted: dict[int, int] = {}
        self._turns: dict[tuple[bool, str | None], Turn] = {}

    def add(self, conversation: Conversation) -> None:
        """Count one conversation, reading it once."""
        self.conversations += 1
        self.branches.update(branch.kind for branch in conversation.branches())
        self.waits.extend(latencies(conversation))
        todos: Sequence[Todo] = ()
        for message in conversation.messages():
            self._take(message)
            todos = todos_of(message) or todos
        for turn in self._turns.values():
            self._close(turn)
        self._turns = {}
        done = sum(todo.status in DONE for todo in todos)
        self.todos_done += done
        self.todos_open += len(todos) - done

    def _take(self, message: Message) -> None:
        self.messages += 1
        self.roles[message.role] += 1
        day = self._day(message.time)
        if day is not None:
            day.messages += 1
        if message.model is not None or message.usage is not None:
            self._model(message.model or UNKNOWN).messages += 1
        if message.usage is not None:
            self._spend(message, message.usage, day)
        self._follow_tools(message)

    def _day(self, time: int | None) -> Day | None:
        if time is None:
            return None
        self.first = time if self.first is None else min(self.first, time)
        self.last = time if self.last is None else max(self.last, time)
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

    def _spend(self, message: Message, usage: Usage, day: Day | None) -> None:
        """Pieces of one API message repeat its usage; the largest output count is the final one."""
        books = [self.tokens, self._model(message.model or UNKNOWN).tokens]
        if day is not None:
            books.append(day.tokens)
        known = None
        if message.api_message is not None:
            key = hash(message.api_message)
            known = self._counted.get(key)
            self._counted[key] = max(usage.output, known or 0)
        for book in books:
            if known is None:
                book.add(usage)
            elif usage.output > known:
                book.output += usage.output - known

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
            if isinstance(part, ToolCall):
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
            if call is None:
                continue
            tool = self._tool(call.name)
            tool.answered += 1
            tool.failures += result.error
            if call.time is not None and result.time is not None and result.time >= call.time:
                tool.seconds.append((result.time - call.time) / 1e9)
