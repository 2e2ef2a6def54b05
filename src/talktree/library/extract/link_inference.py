"""Whether a view of a source infers links that its packed tree does not have.

If the parent of a message is missing, or the message was recorded after a side note, views attach
it to the message it continues (`model/link_repair.py`). Counts must use the same tree, so the model
counts such a source. This only decides whether that may be needed.
"""

from __future__ import annotations

from array import array

from talktree.library.extract.facts import FOLLOWS, TRAIT
from talktree.library.extract.packed_tree import NOWHERE, PackedTree
from talktree.model.outline import Trait

_TRAITS = bytes((byte >> TRAIT) + 1 for byte in range(256))


def may_infer_links(shape: PackedTree) -> bool:
    """Whether the link of some record may be inferred."""
    if not len(shape):
        return False
    named, _, _ = shape.whole_parents()
    if any(named[place] == NOWHERE for place, _ in shape.forward):
        return True
    # Views look for such messages in the tree after inferring missing links.
    parents, bits = shape.resolved.parents, shape.resolved.records.bits
    traits = bits.translate(_TRAITS)
    return Trait.NOTE in traits and _may_be_stranded(bits, parents, traits)


def _may_be_stranded(bits: bytearray, parents: array[int], traits: bytes | bytearray) -> bool:
    """Whether a message follows a note while others follow the message the note starts from."""
    note = int(Trait.NOTE)
    tops: dict[int, int] = {}
    """For each message that has a note with messages below it, the last such message."""
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
    """Return the message that a chain of notes starts from; `NOWHERE` if it only follows."""
    here, seen = note, 0
    while here != NOWHERE and traits[here] == Trait.NOTE and seen <= len(parents):
        if bits[here] & FOLLOWS:
            return NOWHERE
        here = parents[here]
        seen += 1
    return here
