"""How long replies took, from the times of the messages."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from types import MappingProxyType

from talktree.model.conversation import Conversation
from talktree.model.outline import Trait
from talktree.model.skeleton import NO_TIME, ROOT

NOTHING_RECORDED: Mapping[int, float] = MappingProxyType({})
IDLE_SECONDS = 3600.0
"""A longer gap is not the time of an answer: a person was away, or times were rewritten."""


def answer_seconds(asked: int | None, answered: int | None) -> float | None:
    """Seconds from a request to its answer, if the times (in nanoseconds) can mean that."""
    if asked is None or answered is None or NO_TIME in (asked, answered):
        return None
    seconds = (answered - asked) / 1e9
    return seconds if 0 <= seconds <= IDLE_SECONDS else None


def latencies(
    conversation: Conversation, recorded: Mapping[int, float] = NOTHING_RECORDED
) -> array[float]:
    """Seconds from each prompt to the first reply to it, from the skeleton alone.

    Where the format recorded how long a reply took, by position, that counts instead.
    """
    bones = conversation.skeleton
    waits = array("d")
    prompts: dict[int, int] = {}
    for here in conversation.tree.order:
        above = bones.parents[here]
        trait = bones.traits[here]
        before = prompts.get(above, ROOT)
        if trait == Trait.SAID and not bones.sidechain[here]:
            prompts[here] = here
        elif trait == Trait.NOTE and before != ROOT:
            prompts[here] = before
        elif trait == Trait.REPLY and here in recorded:
            waits.append(recorded[here])
        elif trait == Trait.REPLY and before != ROOT:
            seconds = answer_seconds(bones.times[before], bones.times[here])
            if seconds is not None:
                waits.append(seconds)
    return waits
