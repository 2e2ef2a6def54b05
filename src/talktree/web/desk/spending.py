"""What a branch cost: tokens, seconds, tools and models, each reply and each call once."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import NamedTuple

from talktree.home import data_home
from talktree.library.reading.natives import measures_of
from talktree.library.stats.prices import BANDS, UNIT, Prices, load_prices
from talktree.model.message import Message, Usage
from talktree.model.parts import ToolCall
from talktree.model.tally import DAY, SYNTHETIC, total
from talktree.web.desk.steps import Shown

FEELINGS = {"positive": 1.0, "neutral": 0.0, "negative": -1.0}


class Reply(NamedTuple):
    """What one reply cost."""

    row: int
    time: int | None
    model: str
    usage: Usage


class ToolCount:
    """How often a tool was called, how often that failed, and how long it took."""

    def __init__(self) -> None:
        self.calls = 0
        self.failures = 0
        self.seconds = array("d")


class Spending:
    """Grows row by row."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {}
        """By their API message, or the message itself."""
        self.tools: dict[str, ToolCount] = {}
        self.waits: dict[int, float] = {}
        """Seconds of answers by row, from what was asked to the first reply."""
        self.topics: Counter[str] = Counter()
        self.feelings: list[tuple[int, float]] = []
        self._asked: int | None = None

    def take(self, shown: Shown) -> None:
        """Note the next row."""
        message = shown.head.message
        self._spend(shown.number, message)
        self._wait(shown.number, message)
        self._call(shown)
        for each in measures_of(message, message.time):
            if each.name == "topic" and isinstance(each.value, str):
                self.topics[each.value] += 1
            elif each.name == "sentiment" and each.value in FEELINGS:
                self.feelings.append((shown.number, FEELINGS[str(each.value)]))

    def _spend(self, row: int, message: Message) -> None:
        """Pieces of one reply repeat its usage; the one that tells most counts."""
        usage = message.usage
        if usage is None or message.model == SYNTHETIC:
            return
        key = message.api_message or f"\0{message.id}"
        known = self.replies.get(key)
        if known is None or total(usage) > total(known.usage):
            self.replies[key] = Reply(row, message.time, message.model or "unknown", usage)

    def _wait(self, row: int, message: Message) -> None:
        if message.role == "user":
            self._asked = message.time
        elif message.role == "assistant" and self._asked is not None:
            if message.time is not None and message.time >= self._asked:
                self.waits[row] = (message.time - self._asked) / 1e9
            self._asked = None

    def _call(self, shown: Shown) -> None:
        for number, part in enumerate(shown.head.message.parts):
            if isinstance(part, ToolCall):
                tool = self.tools.setdefault(part.name, ToolCount())
                tool.calls += 1
                answer = shown.head.answers.get(number)
                tool.failures += answer is not None and answer.error
        self._time(shown)

    def _time(self, shown: Shown) -> None:
        """How long a call took; which of several results came when is not told apart."""
        calls = [part for part in shown.head.message.parts if isinstance(part, ToolCall)]
        if len(calls) != 1 or not shown.rest:
            return
        called, came = shown.head.message.time, shown.rest[0].message.time
        if called is not None and came is not None and came >= called:
            self.tools[calls[0].name].seconds.append((came - called) / 1e9)


class Costs:
    """What replies cost in dollars, as far as prices are known."""

    def __init__(self) -> None:
        self._prices: Prices = load_prices(data_home())

    def of(self, reply: Reply) -> float | None:
        """The price of one reply; None if its model has none."""
        usage = reply.usage
        day = None if reply.time is None else reply.time // DAY
        prompt = usage.input + usage.cache_read + usage.cache_write
        price = self._prices.price(reply.model, day, sum(prompt > band for band in BANDS))
        if price is None:
            return None
        units = price.of(usage.input, usage.output, usage.cache_read, usage.cache_write, 0)
        return units / UNIT
