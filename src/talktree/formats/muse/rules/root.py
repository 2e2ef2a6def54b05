"""MUS1: the required members of a conversation, and its versions and copies."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from talktree.formats.fixes import drop_record, repair_value
from talktree.formats.muse.adopt import SCHEMA
from talktree.formats.muse.detect import ANALYTICS, APPLICATION
from talktree.formats.muse.lens import read_text, unwrap
from talktree.formats.muse.rules.support_members import (
    MUSE,
    NUMBERS,
    Kinds,
    find_misfits,
    get_root_value,
    is_application,
)
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule
from talktree.formats.rule_context import CheckedConversation, RuleRecord, Setting
from talktree.model.entries import Head, Opaque
from talktree.model.message import Message
from talktree.model.skeleton import NO_TIME
from talktree.text.json.value import Json
from talktree.text.times import to_millis

KINDS: Kinds = {
    "_id": (str,),
    "schema_version": NUMBERS,
    "conversation_id": (str,),
    "title": (str,),
    ANALYTICS: (list,),
    APPLICATION: (list,),
}
UPDATED = "last_updated_timestamp"
REQUIRED = ("_id", "schema_version", "conversation_id", ANALYTICS, UPDATED)


def find_newest_time(talk: CheckedConversation) -> int | None:
    """Return the time of the newest message."""
    skeleton = talk.skeleton
    times = [time for time, trait in zip(skeleton.times, skeleton.traits, strict=True) if trait]
    latest = max(times, default=NO_TIME)
    return None if latest == NO_TIME else latest


def _infer_member(seen: RuleRecord, name: str) -> Json:
    """Return the value that a missing member must have, as far as the other data shows it."""
    value = seen.value
    assert isinstance(value, dict)
    match name:
        case "_id" | "conversation_id":
            other = "conversation_id" if name == "_id" else "_id"
            return read_text(value.get(other))
        case "message_history":
            return []
        case "last_updated_timestamp":
            latest = find_newest_time(seen.talk)
            return None if latest is None else to_millis(latest)
        case _:
            return None


def _fill_member(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    return {**value, diagnostic.way: _infer_member(seen, diagnostic.way)}


@rule(
    "MUS101",
    "missing-root-field",
    "warning",
    on="head",
    formats=MUSE,
    fix=make_safe_fix(repair_value(_fill_member)),
)
def missing_root_field(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A conversation lacks one of the five members of its root: `_id`, `schema_version`,
    `conversation_id`, `message_history`, `last_updated_timestamp`.

    Why: programs find a conversation by its ids, choose how to read it by its version and sort by
    its last update; one without is shown last, or not at all.

    Bad:
        {"_id": "5f1", "schema_version": 2, "message_history": [...]}

    Fix (safe): one id is taken from the other, the last update from the newest message, and a
    missing list is empty. A version that is not recorded is not made up.
    """
    value = get_root_value(seen)
    if value is None or is_application(value):
        return
    for name in REQUIRED:
        if value.get(name) is None:
            known = _infer_member(seen, name) is not None
            yield Diagnostic(f"there is no {name}", name, fixable=known)


@rule("MUS102", "root-field-type", "error", on="head", formats=MUSE)
def root_field_type(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A member of a conversation is not of the type it must be: an id that is no text, a version
    that is no number, messages that are no list.

    Why: a conversation without a list of messages shows none, one without a readable id cannot be
    found.

    Bad:
        {"_id": 17, "schema_version": "two", "conversation_id": "abc", "message_history": {}}

    Fix: none, because it is unknown what was meant.
    """
    value = get_root_value(seen)
    if value is not None:
        for name in find_misfits(value, KINDS):
            yield Diagnostic(f"{name} is of another type", name)


@rule("MUS103", "unknown-schema-version", "warning", on="head", formats=MUSE)
def unknown_schema_version(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The schema version is newer than 2, the one that is documented, or no whole number.

    Why: other versions may have other fields, so some of what this one says may be misunderstood.
    It is read as far as it is understood, and nothing is lost.

    Bad:
        {"_id": "5f1", "schema_version": 3, "conversation_id": "abc", "message_history": []}

    Fix: none, because only the program that wrote it knows its version.
    """
    value = get_root_value(seen)
    version = None if value is None else unwrap(value.get("schema_version"))
    if type(version) not in NUMBERS:
        return
    if version not in range(SCHEMA + 1):
        yield Diagnostic(f"the schema version is {str(version)[:20]}", "schema_version")


@rule("MUS104", "two-histories", "warning", on="head", formats=MUSE)
def two_histories(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A conversation has a list of messages under `message_history` and another under `history`.

    Why: the first is the analytics copy, the second the application's. Each program shows one and
    passes over the other.

    Bad:
        {"conversation_id": "abc", "message_history": [{...}], "history": [{...}]}

    Fix: none, because both may hold messages the other has not.
    """
    value = get_root_value(seen)
    if value is None or APPLICATION not in value:
        return
    if isinstance(value[APPLICATION], list) and isinstance(value.get(ANALYTICS), list):
        yield Diagnostic("messages stand under both names", APPLICATION)


def _raise_updated(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    assert isinstance(seen.entry, Head)
    return seen.replace_entry(replace(seen.entry, updated_ns=find_newest_time(seen.talk)))


@rule(
    "MUS105",
    "stale-update-time",
    "warning",
    on="head",
    formats=MUSE,
    fix=make_safe_fix(repair_value(_raise_updated)),
)
def stale_update_time(seen: RuleRecord) -> Iterator[Diagnostic]:
    """`last_updated_timestamp` is earlier than the newest message.

    Why: it tracks the most recent update; lists are sorted by it, and programs that fetch only
    what is new pass over the conversation.

    Bad:
        {"message_history": [{"timestamp": 1732782425694, ...}],
         "last_updated_timestamp": 1732782400000, ...}

    Fix (safe): it is raised to the time of the newest message.
    """
    value, entry = get_root_value(seen), seen.entry
    if value is None or not isinstance(entry, Head) or entry.updated_ns is None:
        return
    latest = find_newest_time(seen.talk)
    if latest is not None and to_millis(entry.updated_ns) < to_millis(latest):
        yield Diagnostic(f"the newest message is of {to_millis(latest)}", UPDATED)


@rule("MUS106", "shared-conversation-id", "warning", on="source", formats=MUSE)
def shared_conversation_id(setting: Setting) -> Iterator[Diagnostic]:
    """Two conversations of a source have the same `conversation_id` or the same `_id`.

    Why: both ids are unique; programs that file conversations by them keep one and lose the other.

    Bad:
        [{"conversation_id": "abc", "message_history": [...]},
         {"conversation_id": "abc", "message_history": [...]}]

    Fix: none, because which of the two is to go on under the id is for people to decide.
    """
    known: set[tuple[str, str]] = set()
    for talk in setting.talks:
        first = talk.read_record(0) if len(talk.skeleton) else None
        value = None if first is None else get_root_value(first)
        for name in ("conversation_id", "_id") if value is not None else ():
            id = read_text(value.get(name)) if value is not None else None
            if not id:
                continue
            if (name, id) in known:
                what = f"the {name} {id[:60]} stands more than once"
                yield Diagnostic(what, name, path=talk.path(0), line=talk.line(0))
                break
            known.add((name, id))


@rule(
    "MUS107",
    "item-is-no-message",
    "error",
    on="record",
    formats=MUSE,
    fix=make_unsafe_fix(drop_record),
)
def item_is_no_message(seen: RuleRecord) -> Iterator[Diagnostic]:
    """An item in the list of messages is no message: a bare value, or another conversation.

    Why: programs go through the list and ask each item for its role and content; they stop at
    this one, or show an empty message.

    Bad:
        "message_history": [{"id": "m1", "role": "user", "content": "Hello"}, "oops", null]

    Fix (unsafe): the item goes to quarantine.
    """
    entry = seen.entry
    if type(entry) is Message or (isinstance(entry, Opaque) and entry.kind == "unknown"):
        return
    sheet, index = seen.talk.sheet(seen.position)
    if sheet.depth_of(index):
        yield Diagnostic("this is no message")
