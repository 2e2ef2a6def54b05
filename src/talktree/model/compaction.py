"""Compaction and restoration: the context that a model gets after them, and recorded numbers.

A compaction replaces the previous messages by a summary; a restoration brings all of them back.
Both are events of a message: `compacting` and `compacted`, `restoring` and `restored`. The messages
stay in the conversation; only the context of the model changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from talktree.model.message import DELETED, Message
from talktree.model.parts import Event

if TYPE_CHECKING:
    from talktree.model.conversation import Conversation

COMPACTING, COMPACTED = "compacting", "compacted"
RESTORING, RESTORED = "restoring", "restored"
SUMMARY = "summary"
COMPACTIONS = frozenset(
    {COMPACTING, COMPACTED, "microcompacted", RESTORING, RESTORED, "compaction"}
)
"""Events that divide the conversation."""
OPERATIONS = (COMPACTING, COMPACTED, RESTORING, RESTORED)
"""The events that describe changes of the context, in their order."""
_SIDES = {"messages_total": "messages_before", "messages_kept": "messages_after"}
_SIDES_BACK = {"messages_total": "messages_after", "messages_kept": "messages_before"}
_REPLACES = frozenset({COMPACTED, "compaction"})


class CompactionNumbers(Struct, frozen=True, kw_only=True):
    """The size of the context before and after, as far as it is recorded."""

    messages_before: int | None = None
    messages_after: int | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    ratio: float | None = None


def read_numbers(event: Event, names: Mapping[str, str]) -> CompactionNumbers:
    """Return the numbers in the data of an event, given the meaning of each native name.

    A meaning is a field, or `messages_total` or `messages_kept`: a compaction leads from the total
    to the kept messages, and a restoration back.
    """
    found: dict[str, int | float] = {}
    sides = _SIDES if event.kind not in (RESTORING, RESTORED) else _SIDES_BACK
    for name, item in event.data.items() if isinstance(event.data, Mapping) else ():
        field = sides.get(names.get(name, ""), names.get(name))
        if field is None or isinstance(item, bool) or not isinstance(item, int | float):
            continue
        if field == "ratio" or isinstance(item, int):
            found[field] = item
    return CompactionNumbers(**found)  # type: ignore[arg-type]


def find_compaction(message: Message) -> Event | None:
    """Return the event by which a message divides the conversation; None if it does not."""
    for part in message.parts:
        if isinstance(part, Event) and part.kind in COMPACTIONS:
            return part
    return None


def find_context_start(count: int, kind_at: Callable[[int], str]) -> int:
    """Return where in a path the context begins, given the effect of each message on the context.

    It begins after the last compaction, or at the start if that was restored. Messages are
    requested from the end, and only as far as needed.
    """
    for place in range(count - 1, -1, -1):
        kind = kind_at(place)
        if kind == RESTORED:
            return 0
        if kind in _REPLACES:
            return place + 1
    return 0


def list_context_messages(conversation: Conversation, leaf: str | None = None) -> list[Message]:
    """Return the context that a model gets at the end of a branch.

    After a compaction that is its summary, the messages that it keeps, and what follows; after a
    restoration it is the whole branch. Deleted messages and the events themselves are left out.
    """
    path = conversation.path(leaf)
    start = find_context_start(len(path), lambda place: _compaction_kind(path[place]))
    kept = _find_kept_messages(conversation, path[:start])
    behind = path[start:]
    summaries = 0
    while kept and summaries < len(behind) and _is_summary(behind[summaries]):
        summaries += 1
    found = [*behind[:summaries], *kept, *behind[summaries:]]
    return [each for each in found if find_compaction(each) is None and DELETED not in each.flags]


def _compaction_kind(message: Message) -> str:
    mark = find_compaction(message)
    return "" if mark is None else mark.kind


def _is_summary(message: Message) -> bool:
    return any(isinstance(part, Event) and part.kind == SUMMARY for part in message.parts)


def _find_kept_messages(conversation: Conversation, before: Sequence[Message]) -> Sequence[Message]:
    """Return the messages before a compaction that stay in the context, if it names the first."""
    if not before:
        return ()
    skeleton = conversation.skeleton
    first = skeleton.kept.get(conversation.find_position(before[-1].id))
    for place, message in enumerate(before):
        if first is not None and message.id == first:
            return before[place:-1]
    return ()
