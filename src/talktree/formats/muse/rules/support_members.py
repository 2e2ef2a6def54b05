"""Helpers of the rules for Muse records: members, their types, and the copy they are in.

The specification describes the analytics copy (`message_history`). It does not mention the
application's copy (`history`), so only rules that hold for both are applied to that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from talktree.formats.lens import Object
from talktree.formats.muse.detect import APPLICATION, detect_kind, find_history_key
from talktree.formats.muse.lens import NAMES
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.model.message import Message
from talktree.text.json.value import Json

MUSE: Final = ("muse",)
NUMBERS = (int, float)
Kinds = Mapping[str, tuple[type, ...]]
COPY = "muse: the application's copy"


def is_dressed(value: Json) -> bool:
    """Whether a value is in the wrapper of a database, readable or not."""
    return isinstance(value, dict) and len(value) == 1 and not NAMES.isdisjoint(value)


def find_misfits(value: Object, kinds: Kinds) -> Iterator[str]:
    """Yield the names of existing members of another type; values in wrappers are skipped."""
    for name, item in value.items():
        wanted = kinds.get(name)
        if wanted is None or item is None or type(item) in wanted or is_dressed(item):
            continue
        yield name


def get_message_value(seen: RuleRecord) -> Object | None:
    """Return the value of a message; None for other records."""
    value = seen.record.value
    return value if isinstance(value, dict) and isinstance(seen.entry, Message) else None


def get_root_value(seen: RuleRecord) -> Object | None:
    """Return the value of a conversation; None for other records."""
    value = seen.record.value
    if not isinstance(value, dict) or detect_kind(value) != "head":
        return None
    sheet, index = seen.talk.sheet(seen.position)
    return None if sheet.depth_of(index) else value


def is_application(value: Json) -> bool:
    """Whether a conversation is the application's copy."""
    return find_history_key(value) == APPLICATION


def is_application_copy(talk: CheckedConversation) -> bool:
    """Whether the messages of a conversation are in the application's copy, or in no list."""
    found = talk.notes.get(COPY)
    if found is None:
        first = talk.read_record(0).value if len(talk.skeleton) else None
        headed = isinstance(first, dict) and detect_kind(first) == "head"
        found = talk.notes[COPY] = not headed or is_application(first)
    return bool(found)
