"""The usage of a branch: tokens, seconds, tools and models. Replies and calls count once."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import NamedTuple

from talktree.home import data_home
from talktree.library.stats.prices import BANDS, UNIT, Prices, load_prices
from talktree.model.compaction import OPERATIONS, find_compaction
from talktree.model.conversation import Conversation
from talktree.model.measures import (
    MessageMeasures,
    get_recorded_seconds,
    iterate_number_measures,
    iterate_word_measures,
)
from talktree.model.message import Message, Usage
from talktree.model.parts import Event, ToolCall
from talktree.model.replies import sum_tokens
from talktree.model.statistics import DAY, compute_answer_seconds
from talktree.web.documents.row_list import ShownRow

FEELINGS = {"positive": 1.0, "neutral": 0.0, "negative": -1.0}


class ReplyCost(NamedTuple):
    """The cost of one reply."""

    row: int
    time: int | None
    model: str
    usage: Usage
    hour: int
    """The part of the cache writes that is kept for an hour."""


class ToolSpending:
    """How often a tool was called and failed, and how long it took."""

    def __init__(self) -> None:
        self.calls = 0
        self.failures = 0
        self.seconds = array("d")


class Spending:
    """The usage of a branch, collected row by row."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self.replies: dict[str, ReplyCost] = {}
        """By the ids that all pieces and copies of a reply share."""
        self.tools: dict[str, ToolSpending] = {}
        self.waits: dict[int, float] = {}
        """Seconds until the first reply, by row."""
        self.words: dict[str, Counter[str]] = {}
        """How often each word was recorded, by the name of the measure."""
        self.numbers: dict[str, array[float]] = {}
        """The recorded numbers, by the name of the measure."""
        self.feelings: list[tuple[int, float]] = []
        self.compactions: list[tuple[int, Event]] = []
        """Compactions and restorations, with their rows."""
        self._asked: int | None = None

    def add_row(self, shown: ShownRow) -> None:
        """Add the next row."""
        message = shown.head.message
        self._add_usage(shown)
        self._add_wait(shown.number, message)
        self._add_calls(shown)
        for step in shown.steps:
            self._add_measures(shown.number, self._conversation.store.measures(step.message))
            mark = find_compaction(step.message)
            if mark is not None and mark.kind in OPERATIONS:
                self.compactions.append((shown.number, Event(mark.kind, data=mark.data)))

    def _add_measures(self, row: int, measures: MessageMeasures) -> None:
        """Add what is recorded about a message."""
        for name, word in iterate_word_measures(measures):
            self.words.setdefault(name, Counter())[word] += 1
        for name, number in iterate_number_measures(measures):
            self.numbers.setdefault(name, array("d")).append(number)
        if measures.sentiment in FEELINGS:
            self.feelings.append((row, FEELINGS[measures.sentiment]))

    def _add_usage(self, shown: ShownRow) -> None:
        """Add usage; pieces of one reply repeat it, so the one with the most tokens counts."""
        skeleton, store = self._conversation.skeleton, self._conversation.store
        for step in shown.steps:
            for each in store.replies(step.message, skeleton.own_id(step.position)):
                known = self.replies.get(each.name)
                if known is None or sum_tokens(each.usage) > sum_tokens(known.usage):
                    model = each.model or "unknown"
                    reply = ReplyCost(shown.number, each.time, model, each.usage, each.hour)
                    self.replies[each.name] = reply

    def _add_wait(self, row: int, message: Message) -> None:
        if message.role == "user":
            self._asked = message.time_ns
        elif message.role == "assistant":
            seconds = get_recorded_seconds(self._conversation.store.measures(message))
            if seconds is None:
                seconds = compute_answer_seconds(self._asked, message.time_ns)
            if seconds is not None:
                self.waits[row] = seconds
            self._asked = None

    def _add_calls(self, shown: ShownRow) -> None:
        for number, part in enumerate(shown.head.message.parts):
            if isinstance(part, ToolCall):
                tool = self.tools.setdefault(part.name, ToolSpending())
                tool.calls += 1
                answer = shown.head.answers.get(number)
                tool.failures += answer is not None and answer.error
        self._add_call_times(shown)

    def _add_call_times(self, shown: ShownRow) -> None:
        """Add the duration of a call; with several results, the times are not distinguished."""
        calls = [part for part in shown.head.message.parts if isinstance(part, ToolCall)]
        if len(calls) != 1 or not shown.rest:
            return
        called, came = shown.head.message.time_ns, shown.rest[0].message.time_ns
        if called is not None and came is not None and came >= called:
            self.tools[calls[0].name].seconds.append((came - called) / 1e9)


class Costs:
    """The costs of replies in dollars, as far as prices are known."""

    def __init__(self) -> None:
        self._prices: Prices = load_prices(data_home())

    def find_price(self, reply: ReplyCost) -> float | None:
        """Return the price of one reply; None if its model has none."""
        usage = reply.usage
        day = None if reply.time is None else reply.time // DAY
        prompt = usage.input + usage.cache_read + usage.cache_write
        price = self._prices.find_price(reply.model, day, sum(prompt > band for band in BANDS))
        if price is None:
            return None
        units = price.compute_cost(
            usage.input, usage.output, usage.cache_read, usage.cache_write, reply.hour
        )
        return units / UNIT
