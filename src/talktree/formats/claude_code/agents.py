"""Which tool call started which sub-agent.

There are three generations of recordings: inline sidechains that share only the prompt's text with
the call, files whose agent id the call's result names, and files whose first line names its parent.
The last kind needs no work; the first two are resolved here, from contents, when a tree is
requested.
"""

from __future__ import annotations

from collections import deque

from msgspec import Struct

from talktree.model.conversation import Reading
from talktree.model.inferred_links import SEQUENCE
from talktree.model.message import Message
from talktree.model.outline import Trait
from talktree.model.parts import ToolCall, ToolResult
from talktree.model.skeleton import ROOT, Skeleton

SPAWNING = frozenset({"Task", "Agent"})


class _Call(Struct):
    """A call that starts a sub-agent."""

    position: int
    id: str
    prompt: str | None
    taken: bool = False


class _Calls:
    """The calls that start sub-agents, found by id, agent, prompt or position.

    Each queue discards the taken calls that it meets, so each agent costs only one lookup.
    """

    def __init__(self) -> None:
        self.of_agent: dict[str, str] = {}
        """The call that each named agent answers."""
        self._by_id: dict[str, _Call] = {}
        self._by_prompt: dict[str | None, deque[_Call]] = {}
        self._waiting: list[_Call] = []
        """Calls before the current position, in order."""
        self._ahead: deque[_Call] = deque()

    def __bool__(self) -> bool:
        return bool(self._by_id)

    def add(self, call: _Call) -> None:
        """Add a call; calls come in the order of the records."""
        self._by_id.setdefault(call.id, call)
        self._by_prompt.setdefault(call.prompt, deque()).append(call)
        self._ahead.append(call)

    def find_by_id(self, id: str) -> _Call | None:
        """Return the call with an id, or None."""
        return self._by_id.get(id)

    def find_by_prompt(self, prompt: str, *, before: int | None = None) -> _Call | None:
        """Return the first call with a prompt that has no sub-agent yet, or None."""
        queue = self._by_prompt.get(prompt)
        while queue and queue[0].taken:
            queue.popleft()
        if not queue or (before is not None and queue[0].position >= before):
            return None
        return queue[0]

    def find_last_before(self, before: int) -> _Call | None:
        """Return the last call before a position without a sub-agent; positions must rise."""
        while self._ahead and self._ahead[0].position < before:
            self._waiting.append(self._ahead.popleft())
        while self._waiting and self._waiting[-1].taken:
            self._waiting.pop()
        return self._waiting[-1] if self._waiting else None


def link_agents(skeleton: Skeleton, read: Reading) -> None:
    """Attach sidechains to the calls that started them."""
    starts = [
        position
        for position, trait in enumerate(skeleton.traits)
        if trait and skeleton.sidechain[position] and _is_unattached_sidechain(skeleton, position)
    ]
    calls = _collect_calls(skeleton, read) if starts else None
    if not calls:
        return
    for position, first in zip(starts, read(starts), strict=True):
        call = _find_caller(first, position, calls) if isinstance(first, Message) else None
        if call is not None:
            call.taken = True
            skeleton.parents[position] = call.position
            skeleton.linked[position] = "spawned"
            skeleton.named.pop(position, None)
            skeleton.spawned[position] = call.id


def _is_unattached_sidechain(skeleton: Skeleton, position: int) -> bool:
    """Whether a sidechain starts here whose file does not say where it belongs."""
    above = skeleton.parents[position]
    if above == ROOT:
        return True
    return skeleton.linked.get(position) == SEQUENCE and not skeleton.sidechain[above]


def _collect_calls(skeleton: Skeleton, read: Reading) -> _Calls:
    calls = _Calls()
    telling = [
        position
        for position, trait in enumerate(skeleton.traits)
        if trait in (Trait.REPLY, Trait.RESULT) and not skeleton.sidechain[position]
    ]
    for position, entry in zip(telling, read(telling), strict=True):
        for part in entry.parts if isinstance(entry, Message) else ():
            match part:
                case ToolCall(name=name, id=str(id)) if name in SPAWNING:
                    asked = part.input.get("prompt") if isinstance(part.input, dict) else None
                    calls.add(_Call(position, id, asked if isinstance(asked, str) else None))
                case ToolResult(call=str(call), detail={"agentId": str(agent)}):
                    calls.of_agent[agent] = call
                case _:
                    pass
    return calls


def _find_caller(first: Message, position: int, calls: _Calls) -> _Call | None:
    named = calls.of_agent.get(first.agent or "")
    if named is not None:
        return calls.find_by_id(named)
    if first.agent is not None:
        # A separate file that no result names was not started by a known call.
        return calls.find_by_prompt(first.text)
    return calls.find_by_prompt(first.text, before=position) or calls.find_last_before(position)
