"""Messages that stand on a sub-agent's line without being marked as its own."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from talktree.formats.change import Change, Revalue
from talktree.formats.rule import Told
from talktree.formats.talk import Seen, Talk
from talktree.model.message import SIDECHAIN, Message
from talktree.model.outline import Trait
from talktree.text.json_value import Json


def off_side(talk: Talk) -> Iterator[tuple[int, bool]]:
    """Messages that stand on a sidechain unmarked, and whether that is beyond doubt."""
    bones, agents = talk.bones, talk.facts.agents
    sides, traits = bones.sidechain, bones.traits
    if SIDECHAIN not in talk.format.can.flags or not any(sides):
        return
    below = {
        position
        for position, above in enumerate(map(bones.named_parent, range(len(bones))))
        if above >= 0 and sides[above] and not sides[position] and traits[position]
    }
    within = _surrounded(talk, below) if below else below
    for position in sorted(below):
        above = bones.named_parent(position)
        sure = position in within or (agents[position] and agents[position] == agents[above])
        # What a sub-agent said last may well be handed back; what it was asked may not.
        answers = (
            not talk.format.checks_sides
            and traits[position] == Trait.REPLY
            and traits[above] in (Trait.SAID, Trait.RESULT)
        )
        if (sure or answers) and _is_unmarked(talk, position):
            yield position, bool(sure)


def _surrounded(talk: Talk, below: set[int]) -> set[int]:
    """Those of some messages that have replies, all of which are marked."""
    bones = talk.bones
    within, without = set[int](), set[int]()
    for position, above in enumerate(bones.parents):
        if above in below and bones.traits[position]:
            (within if bones.sidechain[position] else without).add(above)
    return within - without


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
