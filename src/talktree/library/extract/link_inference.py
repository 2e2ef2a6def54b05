"""Whether a view of a source infers links that its shape does not have.

Views hang a message whose parent is missing, or that was recorded behind a note beside the talk, on
the message it continues (`model/link_repair.py`). What is counted must be counted in the same
tree, so the model counts such a source. This only says whether that may be needed.
"""

from __future__ import annotations

from array import array

from talktree.library.extract.facts import FOLLOWS, TRAIT
from talktree.library.extract.packed_tree import NOWHERE, PackedTree
from talktree.model.outline import Trait

_TRAITS = bytes((byte >> TRAIT) + 1 for byte in range(256))


def may_infer_links(shape: PackedTree) -> bool:
    """Whether a link of some record may be inferred."""
    if not len(shape):
        return False
    named, _, _ = shape.whole_parents()
    if any(named[place] == NOWHERE for place, _ in shape.forward):
        return True
    # Views look for such messages in the tree with the links that are missing inferred.
    parents, bits = shape.resolved.parents, shape.resolved.records.bits
    traits = bits.translate(_TRAITS)
    return Trait.NOTE in traits and _may_be_stranded(bits, parents, traits)


def _may_be_stranded(bits: bytearray, parents: array[int], traits: bytes | bytearray) -> bool:
    """Whether a message hangs on a note while other talk hangs on what the note starts from."""
    note = int(Trait.NOTE)
    tops: dict[int, int] = {}
    """Of each message on which a note with talk below it hangs the last such talk."""
    for here, above in enumerate(parents):
        if above == NOWHERE or traits[above] != note or traits[here] == note:
            continue
        top = _find_note_start(bits, parents, traits, above)
        if top != NOWHERE:
            tops[top] = here
    return any(
        above in tops and here < tops[above] and traits[here] != note
        for here, above in enumerate(parents)
    )


def _find_note_start(
    bits: bytearray, parents: array[int], traits: bytes | bytearray, note: int
) -> int:
    """What a row of notes starts from; nothing if it only follows."""
    here, seen = note, 0
    while here != NOWHERE and traits[here] == Trait.NOTE and seen <= len(parents):
        if bits[here] & FOLLOWS:
            return NOWHERE
        here = parents[here]
        seen += 1
    return here
