"""Messages that stand on a sub-agent's line without being marked as its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from talktree.formats.change import Change, Revalue
from talktree.formats.rule import Diagnostic
from talktree.formats.talk import Seen, Talk
from talktree.model.message import SIDECHAIN, Message
from talktree.model.outline import Trait
from talktree.text.json.value import Json


def off_side(talk: Talk) -> Iterator[tuple[int, bool]]:
    """Messages that stand on a sidechain unmarked, and whether that is beyond doubt."""
    bones, agents = talk.bones, talk.facts.agents
    sides, traits = bones.sidechain, bones.traits
    if SIDECHAIN not in talk.format.can.flags or not any(sides):
        return
    above_all = list(map(bones.named_parent, range(len(bones))))
    below = {
        position
        for position, above in enumerate(above_all)
        if above >= 0 and sides[above] and not sides[position] and traits[position]
    }
    held = _held_back(talk, above_all) if talk.format.only_replies_leave else set[int]()
    within = _surrounded(talk, below) if below else below
    for position in sorted(below | held):
        above = above_all[position]
        sure = position in within or (agents[position] and agents[position] == agents[above])
        if position in held:
            # The result of a sub-agent's call is the sub-agent's; what a user says may not be.
            if _is_unmarked(talk, position):
                yield position, bool(sure) or traits[position] == Trait.RESULT
            continue
        # What a sub-agent said last may well be handed back; what it was asked may not.
        answers = (
            not talk.format.checks_sides
            and traits[position] == Trait.REPLY
            and traits[above] in (Trait.SAID, Trait.RESULT)
        )
        if (sure or answers) and _is_unmarked(talk, position):
            yield position, bool(sure)


def _held_back(talk: Talk, above_all: Sequence[int]) -> set[int]:
    """Messages that hang on a sidechain without a mark and are not the reply that leaves it."""
    bones = talk.bones
    held = set[int]()
    for position, above in enumerate(above_all):
        if above < 0 or bones.sidechain[position]:
            continue
        if bones.traits[position] in (0, Trait.REPLY):
            continue
        if bones.sidechain[above] or above in held:
            held.add(position)
    return held


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


def put_on_side(talk: Talk, told: Diagnostic) -> Iterator[Change]:
    """The message is marked as a sub-agent's."""
    yield Revalue(talk, told.position, _marked)


def _marked(seen: Seen) -> Json:
    entry = seen.entry
    assert isinstance(entry, Message)
    return seen.put(replace(entry, flags=entry.flags | {SIDECHAIN}))
