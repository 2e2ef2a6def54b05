"""How long replies took, from the times of the messages."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from talktree.model.conversation import Conversation
from talktree.model.outline import Trait
from talktree.model.skeleton import NO_TIME, ROOT


def latencies(conversation: Conversation) -> array[float]:
    """Seconds from each prompt to the first reply to it, from the skeleton alone."""
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
        elif trait == Trait.REPLY and before != ROOT:
            waits.extend(_wait(bones.times[before], bones.times[here]))
    return waits


def _wait(asked: int, answered: int) -> Iterator[float]:
    if NO_TIME not in (asked, answered) and answered >= asked:
        yield (answered - asked) / 1e9
