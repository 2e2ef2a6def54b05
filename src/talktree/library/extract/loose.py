"""Calls and results that do not name each other: order and parents tell which belong together."""

from __future__ import annotations

from talktree.library.extract.collector import Telling
from talktree.library.extract.keys import moment
from talktree.library.extract.texts import whole
from talktree.library.extract.told import Call, Outcome, key_of
from talktree.model import pairing
from talktree.model.message import Message
from talktree.model.parts import ToolCall


class LooseCalls:
    """Tells of the calls of one conversation that have no id, and of results that name no call."""

    def __init__(self, telling: Telling, conversation: str) -> None:
        self._telling = telling
        self._conversation = conversation
        self._turn = pairing.Turn()

    def take(self, message: Message, at: int) -> None:
        """The calls and results of a message."""
        turn = self._turn
        if turn.ends_before(message):
            self.close()
        turn.take(message)
        for number, part in enumerate(message.parts):
            if isinstance(part, ToolCall) and not part.id:
                key = self._key(message.id, number)
                time = moment(message.time_ns)
                self._telling.calls.append(Call(key, at, time, whole(part.name), None))
        if turn.results and turn.complete:
            self.close()

    def close(self) -> None:
        """Results that name no call, with the calls they are found to answer."""
        for call, result in self._turn.close():
            if call is None or (call.id and result.call):
                continue
            key = key_of(call.id) if call.id else self._key(call.message, call.part)
            self._telling.outcomes.append(Outcome(key, result.error, moment(result.time)))

    def _key(self, message: str, part: int) -> int:
        return key_of(f"{self._conversation}|{message}|{part}")
