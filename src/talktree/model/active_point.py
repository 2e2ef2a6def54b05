"""The active point of a conversation, where its source states it.

After an undo, a session is at an earlier message than the newest one. The statement is valid as
long as no message followed: `Listing.NEWEST` marks the message that was the newest one then.
"""

from __future__ import annotations

from talktree.model.outline import Listing

NOWHERE = -1
_ACTIVE, _NEWEST = int(Listing.ACTIVE), int(Listing.NEWEST)


def mark_active(listings: bytearray, active: int, newest: int) -> None:
    """Mark the active message and the newest one."""
    listings[newest] = _NEWEST
    listings[active] = _ACTIVE


def find_active(listings: bytes | bytearray, newest: int) -> int:
    """Return the active message, given the newest one on the main line; -1 if none is marked."""
    if newest == NOWHERE or listings[newest] not in (_ACTIVE, _NEWEST):
        return NOWHERE
    return listings.rfind(_ACTIVE)


def find_newest_message(
    traits: bytes | bytearray, sidechain: bytes | bytearray, stop: int | None = None
) -> int:
    """Return the last message before a position that is not a sub-agent's; -1 if there is none."""
    for position in range((len(traits) if stop is None else stop) - 1, -1, -1):
        if traits[position] and not sidechain[position]:
            return position
    return NOWHERE
