"""Which tool call started which sub-agent.

Three generations of recordings: inline sidechains that only share the prompt's text with the call,
files whose agent id the call's result names, and files whose first line names its parent. The last
kind needs nothing; the first two are found here, from contents, when a tree is asked for.
"""

from __future__ import annotations

from msgspec import Struct

from talktree.model.conversation import Reading
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


def link_agents(bones: Skeleton, read: Reading) -> None:
    """Hang sidechains on the calls that started them."""
    starts = [
        position
        for position, trait in enumerate(bones.traits)
        if trait and bones.sidechain[position] and bones.parents[position] == ROOT
    ]
    if not starts:
        return
    calls, of_agent = _calls(bones, read)
    if not calls:
        return
    for position, first in zip(starts, read(starts), strict=True):
        call = _caller(first, position, calls, of_agent) if isinstance(first, Message) else None
        if call is not None:
            call.taken = True
            bones.parents[position] = call.position
            bones.linked[position] = "spawned"
            bones.spawned[position] = call.id


def _calls(bones: Skeleton, read: Reading) -> tuple[list[_Call], dict[str, str]]:
    """Calls that start sub-agents, and which call each named agent answers."""
    calls: list[_Call] = []
    of_agent: dict[str, str] = {}
    telling = [
        position
        for position, trait in enumerate(bones.traits)
        if trait in (Trait.REPLY, Trait.RESULT) and not bones.sidechain[position]
    ]
    for position, entry in zip(telling, read(telling), strict=True):
        for part in entry.parts if isinstance(entry, Message) else ():
            match part:
                case ToolCall(name=name, id=str(id)) if name in SPAWNING:
                    asked = part.input.get("prompt") if isinstance(part.input, dict) else None
                    calls.append(_Call(position, id, asked if isinstance(asked, str) else None))
                case ToolResult(call=str(call), detail={"agentId": str(agent)}):
                    of_agent[agent] = call
                case _:
                    pass
    return calls, of_agent


def _caller(
    first: Message, position: int, calls: list[_Call], of_agent: dict[str, str]
) -> _Call | None:
    named = of_agent.get(first.agent or "")
    if named is not None:
        return next((call for call in calls if call.id == named), None)
    if first.agent is not None:
        # A file of its own that no result names was not started by a call we know of.
        return next((call for call in calls if call.prompt == first.text and not call.taken), None)
    free = [call for call in calls if not call.taken and call.position < position]
    same = [call for call in free if call.prompt == first.text]
    return next(iter(same or free[::-1]), None)
