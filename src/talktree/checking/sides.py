"""Messages that stand on a sub-agent's line without being marked as its own."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from talktree.formats.change import Change, Revalue
from talktree.formats.rule import Told
from talktree.formats.talk import Seen, Talk
from talktree.model.message import SIDECHAIN, Message
from talktree.text.json_value import Json


def off_side(talk: Talk) -> list[int]:
    """Messages whose parent is marked, and which beyond doubt should be too."""
    bones, agents = talk.bones, talk.facts.agents
    sides, traits = bones.sidechain, bones.traits
    if SIDECHAIN not in talk.format.can.flags or not any(sides):
        return []
    below = {
        position
        for position, above in enumerate(bones.parents)
        if above >= 0 and sides[above] and not sides[position] and traits[position]
    }
    if not below:
        return []
    within, without = set[int](), set[int]()
    for position, above in enumerate(bones.parents):
        if above in below and traits[position]:
            (within if sides[position] else without).add(above)
    within -= without
    return [
        position
        for position in sorted(below)
        if _is_unmarked(talk, position)
        and (
            position in within
            or (agents[position] and agents[position] == agents[bones.parents[position]])
        )
    ]


def _is_unmarked(talk: Talk, position: int) -> bool:
    """Whether the mark is missing in the record itself, not only in what is said of its place."""
    entry = talk.seen(position).entry
    return isinstance(entry, Message) and SIDECHAIN not in entry.flags


def put_on_side(talk: Talk, told: Told) -> Iterator[Change]:
    """The message is marked as a sub-agent's."""
    yield Revalue(talk, told.position, _marked)


def _marked(seen: Seen) -> Json:
    entry = seen.entry
    assert isinstance(entry, Message)
    return seen.put(replace(entry, flags=entry.flags | {SIDECHAIN}))
