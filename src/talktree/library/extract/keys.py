"""What records, replies and times are known by, as numbers that can be kept."""

from __future__ import annotations

from zlib import crc32

from talktree.library.extract.told import PROMPT, SIDE_PROMPT, WORDS, key_of
from talktree.model.replies import lone_name, reply_name

LATEST = 1 << 62
"""No time is later, and none as much before 1970."""
ROLES = {"user": 1, "assistant": 2, "system": 3}
STATES = ((), ("error",), ("sidechain",), ("error", "sidechain"))


def states(failed: bool, side: bool) -> tuple[str, ...]:  # noqa: FBT001
    """What is said of a piece by the tag `is`."""
    return STATES[failed + 2 * side]


def title_rank(role: str, side: bool) -> int:  # noqa: FBT001
    """How good a title the words of somebody make."""
    if role != "user":
        return WORDS
    return SIDE_PROMPT if side else PROMPT


def moment(time: int | None) -> int | None:
    """A time as it can be kept."""
    return time if time is not None and -LATEST < time < LATEST else None


def seconds(time: int | None) -> int | None:
    """A time in seconds."""
    return None if moment(time) is None else (time or 0) // 1_000_000_000


def reply_key(api: str | None, request: str | None) -> int:
    """What a reply is known by in all files."""
    return key_of(reply_name(api, request))


def lone_key(
    own: str, session: str | None, time: int | None, model: str | None, counts: tuple[int, ...]
) -> int:
    """What a reply is known by that has no id of its own."""
    return key_of(lone_name(own, session, time, model, counts))


def group_of(group: str | None) -> int:
    """A number for the reply a record is a piece of; 0 for none."""
    return 0 if group is None else crc32(group.encode("utf-8", "surrogatepass")) & 0x7FFFFFFF or 1


def stamp_of(time: int, role: str) -> int:
    """The same number only for the same time and role; 0 without a time."""
    if time < 0:
        return 0
    code = ROLES.get(role) or 4 + crc32(role.encode("utf-8", "surrogatepass")) % 1000
    return min(time, LATEST) + code
