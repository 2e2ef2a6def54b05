"""Where else the messages are that a conversation names and does not have.

First in the other conversations of its source, then in files beside it on disk.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from talktree.checks.evidence.siblings import siblings_of
from talktree.formats.engine import Origin
from talktree.formats.talk import Elsewhere, Talk

NOTE = "elsewhere"


def know_each_other(talks: Sequence[Talk], origin: Origin) -> None:
    """Let each conversation ask for messages that others have."""
    siblings = siblings_of(origin.source, origin.format)
    for talk in talks:
        talk.elsewhere = _asking(talk, talks, siblings.find if siblings else None)


def _asking(talk: Talk, talks: Sequence[Talk], beside: Elsewhere | None) -> Elsewhere:
    def _find(ids: Collection[str]) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for other in talks:
            if other is not talk:
                known = other.bones.by_id
                found |= {id: other.id for id in ids if id in known and id not in found}
        left = [id for id in ids if id not in found]
        return {**beside(left), **found} if beside and left else found

    return _find


def missing_elsewhere(talk: Talk) -> Mapping[str, str]:
    """The parents that are missing here and stand elsewhere, with the place."""
    found: Mapping[str, str] | None = talk.notes.get(NOTE)
    if found is None:
        wanted = set(talk.bones.dangling.values())
        found = talk.notes[NOTE] = talk.elsewhere(wanted) if wanted else {}
    return found
