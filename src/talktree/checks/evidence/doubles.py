"""The doubled ids of a conversation that is being checked, found once."""

from __future__ import annotations

from talktree.formats.engine.duplicates import Doubles, find_doubles
from talktree.formats.talk import Talk

NOTE = "doubles"


def doubles_of(talk: Talk) -> Doubles:
    """The doubled ids of a conversation, looked at once."""
    found: Doubles | None = talk.notes.get(NOTE)
    if found is None:
        found = talk.notes[NOTE] = find_doubles(talk.conversation, talk.origin)
    return found
