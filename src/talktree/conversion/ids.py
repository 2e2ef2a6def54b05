"""Ids in the form that a format requires, derived from the old ids so that they are stable.

Names for tool calls, for formats in which every result must name a call before it.

Sources omit ids, use an id twice, or keep results whose calls are elsewhere. Here each call gets an
id of its own and each result the id of its call. A result without a call has no id, and neither has
a call that was not answered before the conversation continued.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from msgspec.structs import replace

from talktree.conversion.fit import choose_role
from talktree.formats.engine import DocumentOrigin
from talktree.formats.format import Format, FormatCapabilities
from talktree.model.message import SIDECHAIN, Message
from talktree.model.pairing import Pair, PairedCall, TurnPairing
from talktree.model.parts import Part, Text, ToolCall, ToolResult
from talktree.text.uuids import is_uuid4 as is_uuid4
from talktree.text.uuids import make_uuid as make_uuid

Place = tuple[str, int]
"""A message and the index of a part in it."""


class CallNames:
    """The id of each call of a conversation, and the call that each result names."""

    def __init__(self, messages: Iterable[Message], can: FormatCapabilities) -> None:
        self._can = can
        self._calls: dict[Place, str] = {}
        self._results: dict[Place, str] = {}
        self._taken: set[str] = set()
        self._turns: dict[tuple[bool, str | None], TurnPairing] = {}
        self._order: dict[str, int] = {}
        self._last: dict[tuple[bool, str | None], str] = {}
        """The last message of each line, whose calls may still be answered."""
        for message in messages:
            self._order.setdefault(message.id, len(self._order))
            for pair in self._find_pairs(message):
                self._join_pair(pair)
        for turn in self._turns.values():
            for pair in turn.close_turn():
                self._join_pair(pair)
        self._answered = set(self._results.values())

    def rename_calls(self, message: Message) -> Message:
        """Return the message with its calls and results renamed."""
        if not any(isinstance(part, ToolCall | ToolResult) for part in message.parts):
            return message
        parts = (self._rename_part(part, (message.id, at)) for at, part in enumerate(message.parts))
        return replace(message, parts=tuple(parts))

    def _rename_part(self, part: Part, place: Place) -> Part:
        match part:
            case ToolCall():
                return replace(part, id=self._find_call_name(part, place))
            case ToolResult():
                return replace(part, call=self._results.get(place))
            case _:
                return part

    def _find_call_name(self, call: ToolCall, place: Place) -> str | None:
        name = self._calls.get(place, call.id)
        gone = name not in self._answered and place in self._calls
        return None if gone and place[0] not in self._last.values() else name

    def _find_pairs(self, message: Message) -> Iterator[Pair]:
        """Yield the pairs that are known once a message was read."""
        message = self._without_idle_calls(message)
        line = (SIDECHAIN in message.flags, message.agent)
        self._last[line] = message.id
        turn = self._turns.setdefault(line, TurnPairing())
        if turn.is_ended_by(message):
            yield from turn.close_turn()
        before = len(turn.calls)
        turn.take_message(message)
        for call in turn.calls[before:]:
            self._note_call(call)
        if turn.results and turn.is_complete:
            yield from turn.close_turn()

    def _without_idle_calls(self, message: Message) -> Message:
        """Remove calls of other roles, and calls whose result is in the same message."""
        speaks = choose_role(message.role, self._can) == "assistant"
        if speaks and not _has_results(message):
            return message
        parts = (Text("") if isinstance(part, ToolCall) else part for part in message.parts)
        return replace(message, parts=tuple(parts))

    def _note_call(self, call: PairedCall) -> None:
        name = call.id
        if not name or name in self._taken:
            name = f"{name or 'call'} {call.part} of {call.message}"
        self._taken.add(name)
        self._calls[call.message, call.part] = name

    def _join_pair(self, pair: Pair) -> None:
        call, result = pair
        # A result before the call cannot answer it.
        if call is not None and self._order[call.message] < self._order[result.message]:
            self._results[result.message, result.part] = self._calls[call.message, call.part]


def _has_results(message: Message) -> bool:
    return any(isinstance(part, ToolResult) for part in message.parts)


HEAD = 4096
MOST_HEADS = 64
"""Number of files, and bytes of each, that identify a source together with all names and sizes."""


def make_target_id(name: str, conversation: str, target: Format) -> str:
    """Return the id of a message of a conversation in another format."""
    return (
        make_uuid(name, conversation)
        if target.can.ids == "uuid"
        else target.id_for(name, conversation)
    )


def compute_source_id(origin: DocumentOrigin) -> str:
    """Return an id of a source: its name, the files with its records, and how these begin."""
    state = blake2b(origin.source.name.encode("utf-8", "surrogatepass"), digest_size=5)
    sheets = sorted((sheet for sheet in origin.sheets if len(sheet)), key=lambda each: each.path)
    for number, sheet in enumerate(sheets):
        content = sheet.content
        state.update(f"\0{sheet.path}\0{content.size}\0".encode("utf-8", "surrogatepass"))
        if number < MOST_HEADS:
            state.update(content.read(0, HEAD))
    return state.hexdigest()
