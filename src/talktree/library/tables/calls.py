"""Tool calls with their results, as rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from talktree.library.extract.facts import hash_id
from talktree.library.extract.texts import result_text
from talktree.library.stats.filter import SourceInfo
from talktree.library.stats.totals import COUNTS_CALL
from talktree.library.tables.walk import TableRequest, Where
from talktree.model.conversation import Conversation
from talktree.model.message import SIDECHAIN, Message, find_hiding_flag
from talktree.model.pairing import Pair, TurnPairing
from talktree.model.parts import ToolCall, ToolResult
from talktree.text.json.encode import encode_json

Row = tuple[Any, ...]
_COPIES = "SELECT c.key FROM calls AS c WHERE c.source = ? AND NOT " + COUNTS_CALL


class _Open(Struct):
    """A call that waits for its result."""

    row: Row
    """The columns that are known from the call."""
    time: int | None
    id: str | None
    hidden: str | None


class _Calls:
    """The calls of one conversation that wait for their results."""

    def __init__(self, asked: TableRequest, place: Row, copies: frozenset[int]) -> None:
        self._asked = asked
        self._place = place
        self._copies = copies
        self._open: dict[tuple[str, int], _Open] = {}
        self._outputs: dict[tuple[str, int], str] = {}
        self._turns: dict[tuple[bool, str | None], TurnPairing] = {}

    def add_message(self, message: Message) -> Iterator[Row]:
        """Add the calls and results of a message; yield calls that are answered."""
        line = (SIDECHAIN in message.flags, message.agent)
        turn = self._turns.get(line)
        if turn is None:
            turn = self._turns[line] = TurnPairing()
        if turn.is_ended_by(message):
            yield from self._close_calls(turn.close_turn())
        turn.take_message(message)
        for number, part in enumerate(message.parts):
            if isinstance(part, ToolCall):
                self._open[message.id, number] = self._open_call(message, part)
            elif isinstance(part, ToolResult):
                shown = self._asked.is_shown(find_hiding_flag(message))
                self._outputs[message.id, number] = result_text(part) if shown else ""
        if turn.results and turn.is_complete:
            yield from self._close_calls(turn.close_turn())

    def take_rest(self) -> Iterator[Row]:
        """Yield the remaining calls at the end, including unanswered ones."""
        for turn in self._turns.values():
            yield from self._close_calls(turn.close_turn())
        for call in self._open.values():
            yield (*call.row, "open", None, None, self._is_counted(call), call.hidden)
        self._open.clear()

    def _open_call(self, message: Message, part: ToolCall) -> _Open:
        hidden = find_hiding_flag(message)
        given = (
            encode_json(part.input).decode("utf-8", "replace")
            if self._asked.is_shown(hidden)
            else ""
        )
        row = (
            *self._place,
            message.id,
            part.id,
            part.name,
            message.time_ns,
            message.model,
            SIDECHAIN in message.flags,
            given,
        )
        return _Open(row, message.time_ns, part.id, hidden)

    def _close_calls(self, pairs: list[Pair]) -> Iterator[Row]:
        for call, result in pairs:
            output = self._outputs.pop((result.message, result.part), "")
            found = None if call is None else self._open.pop((call.message, call.part), None)
            if found is None:
                continue
            seconds = None
            if found.time is not None and result.time is not None and result.time >= found.time:
                seconds = (result.time - found.time) / 1e9
            state = "failed" if result.error else "ok"
            if not self._asked.is_shown(found.hidden):
                output = ""
            yield (*found.row, state, seconds, output, self._is_counted(found), found.hidden)

    def _is_counted(self, call: _Open) -> bool:
        return not call.id or hash_id(call.id) not in self._copies


def iter_call_rows(
    asked: TableRequest, source: SourceInfo, place: Where, conversation: Conversation
) -> Iterator[Row]:
    """Yield the calls of a conversation, each when its result is known."""
    copies = frozenset(row[0] for row in asked.library.db.read(_COPIES, (source.id,)))
    calls = _Calls(asked, place, copies)
    time, model = len(place) + 3, len(place) + 4
    for message in conversation.messages():
        for row in calls.add_message(message):
            if asked.has_row(row[time], row[model]):
                yield row
    for row in calls.take_rest():
        if asked.has_row(row[time], row[model]):
            yield row
