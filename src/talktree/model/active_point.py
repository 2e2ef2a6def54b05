"""The message that a conversation is at, where its source says so.

A session that was undone is at an earlier message than the newest one. What a source says holds as
long as nothing was said since: `Listing.NEWEST` marks the message that was the newest one then.
"""

from __future__ import annotations

from talktree.model.outline import Listing

NOWHERE = -1
_ACTIVE, _NEWEST = int(Listing.ACTIVE), int(Listing.NEWEST)


def mark_active(listings: bytearray, active: int, newest: int) -> None:
    """Mark the message that a conversation is at, and the newest one."""
    listings[newest] = _NEWEST
    listings[active] = _ACTIVE


def find_active(listings: bytes | bytearray, newest: int) -> int:
    """The marked message, given the newest one on the main line; -1 if there is none."""
    if newest == NOWHERE or listings[newest] not in (_ACTIVE, _NEWEST):
        return NOWHERE
    return listings.rfind(_ACTIVE)


def find_newest_message(
    traits: bytes | bytearray, sidechain: bytes | bytearray, stop: int | None = None
) -> int:
    """The last message before a position that is not a sub-agent's; -1 if there is none."""
    for position in range((len(traits) if stop is None else stop) - 1, -1, -1):
        if traits[position] and not sidechain[position]:
            return position
    return NOWHERE
