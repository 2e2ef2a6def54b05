"""Pairs tool results with their calls.

A result that names its call is paired with it. Otherwise the parent chain decides: a single result
below a call belongs to it. Of the others, the first result answers the first open call, the second
the second, as parallel calls are recorded. This works on one turn at a time, so a stream needs
little memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from talktree.model.message import META, Message
from talktree.model.parts import ToolCall, ToolResult

MOST_OPEN = 4096
"""Maximum number of open calls of one turn; a file with more unanswered ones is not worth the
memory."""


class PairedCall(NamedTuple):
    """A tool call and its place."""

    message: str
    part: int
    id: str | None
    name: str
    time: int | None


class PairedResult(NamedTuple):
    """A tool result and its place."""

    message: str
    parent: str | None
    part: int
    call: str | None
    error: bool
    time: int | None


class Pair(NamedTuple):
    """A result and the call it answers, if one was found."""

    call: PairedCall | None
    result: PairedResult


def iterate_calls(message: Message) -> Iterator[PairedCall]:
    """Yield the calls of a message."""
    for number, part in enumerate(message.parts):
        if isinstance(part, ToolCall):
            yield PairedCall(message.id, number, part.id, part.name, message.time_ns)


def iterate_results(message: Message) -> Iterator[PairedResult]:
    """Yield the results in a message."""
    for number, part in enumerate(message.parts):
        if isinstance(part, ToolResult):
            yield PairedResult(
                message.id, message.parent, number, part.call, part.error, message.time_ns
            )


def pair_results(calls: Sequence[PairedCall], results: Sequence[PairedResult]) -> list[Pair]:
    """Return the results of a turn, each with its call."""
    open_calls = dict.fromkeys(range(len(calls)))
    by_id = {call.id: number for number, call in enumerate(calls) if call.id}
    found: dict[int, int] = {}
    for number, result in enumerate(results):
        named = by_id.get(result.call) if result.call else None
        if named is not None and named in open_calls:
            found[number] = named
            del open_calls[named]
    loose = [number for number, result in enumerate(results) if not result.call]
    if loose:
        _pair_by_parent(calls, results, loose, open_calls, found)
        waiting = iter(list(open_calls))
        for number in loose:
            if number not in found and (following := next(waiting, None)) is not None:
                found[number] = following
    return [
        Pair(calls[found[number]] if number in found else None, result)
        for number, result in enumerate(results)
    ]


def _pair_by_parent(
    calls: Sequence[PairedCall],
    results: Sequence[PairedResult],
    loose: Sequence[int],
    open_calls: dict[int, None],
    found: dict[int, int],
) -> None:
    """Pair a result that is the only one below the message of one call with that call.

    The results of all calls of a turn, or the first of several, may be below its last call; so
    there it must be the only one left.
    """
    at: dict[str | None, list[int]] = {}
    for number in open_calls:
        at.setdefault(calls[number].message, []).append(number)
    hanging: dict[str | None, list[int]] = {}
    for number in loose:
        hanging.setdefault(results[number].parent, []).append(number)
    last = calls[-1].message if calls else None
    there = hanging.pop(last, [])
    for parent, own in hanging.items():
        asked = at.get(parent, ())
        if len(own) == 1 and len(asked) == 1:
            found[own[0]] = asked[0]
            del open_calls[asked[0]]
    asked = at.get(last, ())
    if (
        len(there) == 1
        and len(asked) == 1
        and all(number in found for number in loose if number != there[0])
    ):
        found[there[0]] = asked[0]
        del open_calls[asked[0]]


class TurnPairing:
    """The open calls of one thread and the results seen for them so far."""

    def __init__(self) -> None:
        self.calls: list[PairedCall] = []
        self.results: list[PairedResult] = []
        self._earlier: dict[str, PairedCall] = {}
        """Unanswered calls of earlier turns, by id: a result may come much later."""
        self._known: set[str] = set()
        """The ids of the calls."""
        self._early: set[str] = set()
        """Calls that results name before they occur: a result may come first."""

    def is_ended_by(self, message: Message) -> bool:
        """Whether a message belongs to the next turn."""
        if not self.calls and not self.results:
            return False
        if _is_new_speech(message):
            return True
        # Without ids only the order counts, so a new round of calls must not mix with the previous
        # one.
        return bool(self.results) and any(not call.id for call in iterate_calls(message))

    def take_message(self, message: Message) -> None:
        """Add the calls and results of a message."""
        for call in iterate_calls(message):
            self.calls.append(call)
            if call.id:
                self._known.add(call.id)
                self._early.discard(call.id)
        for result in iterate_results(message):
            self.results.append(result)
            named = result.call
            if named and named not in self._known and named not in self._earlier:
                self._early.add(named)

    @property
    def is_complete(self) -> bool:
        """Whether no more results are awaited."""
        if len(self.calls) >= MOST_OPEN or len(self.results) >= MOST_OPEN:
            return True
        return len(self.results) >= len(self.calls) and not self._early

    def close_turn(self) -> list[Pair]:
        """Return the pairs of the turn, and begin a new one."""
        pairs = pair_results(self.calls, self.results)
        answered = {each.call for each in pairs}
        pairs = [each if each.call else self._make_late_pair(each.result) for each in pairs]
        for call in self.calls:
            if call.id and call not in answered and len(self._earlier) < MOST_OPEN:
                self._earlier[call.id] = call
        self.calls, self.results = [], []
        self._known, self._early = set(), set()
        return pairs

    def _make_late_pair(self, result: PairedResult) -> Pair:
        return Pair(self._earlier.pop(result.call, None) if result.call else None, result)


def _is_new_speech(message: Message) -> bool:
    """Whether a message is a new prompt or reply, so that earlier calls are not awaited any
    more."""
    return (
        message.role == "user"
        and META not in message.flags
        and not any(isinstance(part, ToolResult) for part in message.parts)
    )
