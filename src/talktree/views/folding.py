"""Messages with each tool result moved to the call it answers, as a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from talktree.model.message import Message
from talktree.model.pairing import Turn
from talktree.model.parts import ToolCall, ToolResult

_TOOL_PARTS = (ToolCall, ToolResult)
_NOTHING: dict[int, Any] = {}
MOST_HELD = 64
"""Messages held back while a result is awaited; a later result is shown by itself."""


class Step(NamedTuple):
    """A message, the results of its calls, and which of its parts are shown elsewhere."""

    position: int
    message: Message
    answers: Mapping[int, ToolResult]
    """Results by the number of the calling part."""
    elsewhere: frozenset[int]
    names: Mapping[int, str]
    """Tool names of results that are shown here, by the number of the part."""


def fold(messages: Iterable[tuple[int, Message]]) -> Iterator[Step]:
    """The messages in order, results folded into their calls."""
    turn = Turn()
    held: list[tuple[int, Message]] = []
    for position, message in messages:
        if not held and not any(isinstance(part, _TOOL_PARTS) for part in message.parts):
            yield Step(position, message, _NOTHING, frozenset(), _NOTHING)
            continue
        if held and (turn.ends_before(message) or len(held) >= MOST_HELD):
            yield from _released(held, turn)
        held.append((position, message))
        turn.take(message)
        if turn.complete:
            yield from _released(held, turn)
    yield from _released(held, turn)


def _released(held: list[tuple[int, Message]], turn: Turn) -> Iterator[Step]:
    here = {message.id: message for _, message in held}
    answers: dict[str, dict[int, ToolResult]] = {}
    moved: dict[str, set[int]] = {}
    names: dict[str, dict[int, str]] = {}
    for call, result in turn.close():
        part = here[result.message].parts[result.part]
        assert isinstance(part, ToolResult)
        if call is not None and call.message in here:
            answers.setdefault(call.message, {})[call.part] = part
            moved.setdefault(result.message, set()).add(result.part)
        else:
            name = part.name or (call.name if call is not None else "")
            names.setdefault(result.message, {})[result.part] = name
    for position, message in held:
        yield Step(
            position,
            message,
            answers.get(message.id, {}),
            frozenset(moved.get(message.id, ())),
            names.get(message.id, {}),
        )
    held.clear()
