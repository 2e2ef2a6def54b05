"""CLM1: the fields that the specification requires of every line, and their types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from talktree.formats.claude_messages.lens import UNTYPED
from talktree.formats.claude_messages.rules.message_types import (
    CLAUDE_MESSAGES,
    find_only_session,
    get_line_value,
    is_documented,
)
from talktree.formats.fixes import repair_value
from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.model.entries import Opaque
from talktree.text.json.value import Json
from talktree.text.times import from_iso, from_number, to_iso

TEXT, FLAG, OBJECT = (str,), (bool,), (dict,)
KINDS: dict[str, tuple[type, ...]] = {
    "uuid": TEXT,
    "parentUuid": TEXT,
    "sessionId": TEXT,
    "message": (str, dict),
    "subtype": TEXT,
    "userType": TEXT,
    "toolName": TEXT,
    "toolArguments": OBJECT,
    "metadata": OBJECT,
    "isSidechain": FLAG,
    "isDeleted": FLAG,
    "isAborted": FLAG,
    "isMeta": FLAG,
    "isError": FLAG,
}
"""The specified type of each field; null counts as absent."""
NAMES = {str: "text", bool: "true or false", dict: "an object"}
SAID: dict[Json, bool] = {"true": True, "false": False, 1: True, 0: False}
"""Other ways to write true and false."""
WORDS = frozenset({"response", "thinking", "error"})
"""Kinds of assistant lines that hold text."""
is_iso = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?", re.ASCII
).fullmatch


def _complete_line(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = get_line_value(seen)
    if value.get("sessionId") not in (None, "") or not isinstance(diagnostic.about, str):
        return value
    return {**value, "sessionId": diagnostic.about}


@rule(
    "CLM101",
    "incomplete-message",
    "error",
    on="message",
    formats=CLAUDE_MESSAGES,
    fix=make_safe_fix(repair_value(_complete_line)),
)
def incomplete_message(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A line lacks a field the document demands: `timestamp` and `sessionId` of every line,
    `message` of a compaction.

    Why: a line without a session belongs to no conversation, one without a time has no place in
    it, and a compaction without its word tells nothing.

    Bad:
        {"type":"user","uuid":"msg-001","message":"Hello"}

    Fix (safe): the session is filled in if all lines before name the same one. The rest is nowhere
    to be found.
    """
    value = get_line_value(seen)
    compact = value.get("type") == "compact_system"
    needed = ("timestamp", "sessionId", "message") if compact else ("timestamp", "sessionId")
    if all(value.get(key) not in (None, "") for key in needed):
        return ()
    return _report_missing_fields(seen, value, compact=compact)


def _report_missing_fields(
    seen: RuleRecord, value: Object, *, compact: bool
) -> Iterator[Diagnostic]:
    if value.get("timestamp") in (None, ""):
        yield Diagnostic("it has no timestamp", fixable=False)
    if value.get("sessionId") in (None, ""):
        session = find_only_session(seen.talk)
        yield Diagnostic("it has no sessionId", fixable=session is not None, about=session)
    if compact and value.get("message") in (None, ""):
        yield Diagnostic("a compaction that does not say what is done", fixable=False)


def _with_flags(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = dict(get_line_value(seen))
    for key, kinds in KINDS.items():
        if kinds is FLAG and _is_flag(value.get(key)):
            value[key] = _parse_flag(value[key])
    return value


def _is_flag(item: Json) -> bool:
    return not isinstance(item, bool) and _parse_flag(item) is not None


def _parse_flag(item: Json) -> bool | None:
    return SAID.get(item.lower() if isinstance(item, str) else item) if _is_scalar(item) else None


def _is_scalar(item: Json) -> bool:
    return isinstance(item, str | int)


@rule(
    "CLM102",
    "wrong-field-kind",
    "error",
    on="message",
    formats=CLAUDE_MESSAGES,
    fix=make_safe_fix(repair_value(_with_flags)),
)
def wrong_field_kind(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A field is of another kind than the document says: a flag that is a word, arguments that are
    text, an id that is a number.

    Why: readers take the kind for granted; they fail here, or take `"false"` for true.

    Bad:
        {"type":"system","uuid":"msg-007","isError":"true","message":"Permission denied"}

    Fix (safe): `"true"`, `"false"`, 1 and 0 become true and false. Other fields stay as they are,
    since it is unknown what was meant.
    """
    value = get_line_value(seen)
    for key, item in value.items():
        kinds = KINDS.get(key)
        if kinds is not None and type(item) not in kinds and item is not None:
            return _report_wrong_kinds(value)
    return ()


def _report_wrong_kinds(value: Object) -> Iterator[Diagnostic]:
    for key, kinds in KINDS.items():
        item = value.get(key)
        if item is not None and type(item) not in kinds:
            yield Diagnostic(
                f"{key} is not {NAMES[kinds[0]]}",
                way=key,
                fixable=kinds is FLAG and _is_flag(item),
            )


def _fix_timestamp(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = get_line_value(seen)
    stamp = value.get("timestamp")
    new = None if _is_iso(stamp) else _convert_to_iso(stamp)
    return value if new is None else {**value, "timestamp": new}


def _is_iso(stamp: Json) -> bool:
    return isinstance(stamp, str) and is_iso(stamp) is not None and from_iso(stamp) is not None


def _convert_to_iso(stamp: Json) -> str | None:
    """Return the same time in ISO 8601 if it is unambiguous; a missing zone stays missing."""
    if isinstance(stamp, int | float) and not isinstance(stamp, bool):
        time = from_number(stamp)
        return None if time is None else to_iso(time, digits=0)
    if not isinstance(stamp, str) or from_iso(stamp) is None:
        return None
    new = f"{stamp[:10]}T{stamp[11:].replace(' ', '').upper()}"
    return new if is_iso(new) else None


@rule(
    "CLM103",
    "timestamp-not-iso",
    "error",
    on="message",
    formats=CLAUDE_MESSAGES,
    fix=make_safe_fix(repair_value(_fix_timestamp)),
)
def timestamp_not_iso(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A timestamp is not written as ISO 8601.

    Why: the document demands that form. Strict readers refuse any other, and lines that are
    compared as text come into a wrong order.

    Bad:
        {"type":"user","uuid":"msg-001","timestamp":"2025-01-27 10:00:00Z","message":"Hello"}

    Fix (safe): a date in another spelling, or a number of seconds or milliseconds, is written as
    the same moment in ISO 8601. What cannot be read stays.
    """
    stamp = get_line_value(seen).get("timestamp")
    if stamp in (None, "") or _is_iso(stamp):
        return ()
    what = f"{stamp[:40]} is not ISO 8601" if isinstance(stamp, str) else "not text in ISO 8601"
    return [Diagnostic(what, way="timestamp", fixable=_convert_to_iso(stamp) is not None)]


@rule("CLM104", "no-words", "error", on="message", formats=CLAUDE_MESSAGES)
def no_words(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A line that should say something has no `message`: what a user said, an answer, a thought, a
    result, an error.

    Why: the line is there, but what it was written for is lost.

    Bad:
        {"type":"assistant","subtype":"response","uuid":"msg-003","parentUuid":"msg-002"}

    Fix: none, because the words are nowhere to be found.
    """
    value = get_line_value(seen)
    if value.get("message") is not None:
        return ()
    kind, subtype = value.get("type"), value.get("subtype")
    silent = {
        "user": subtype != "command",
        "assistant": str(subtype) in WORDS,
        "system": True,
    }
    if not silent.get(str(kind), False) or not is_documented(value):
        return ()
    return [Diagnostic(f"nothing is said in a line of type {kind}")]


def _extract_plain_text(value: Object) -> str | None:
    """Return the text of an object that holds only a text and the role of its line, or None."""
    said = value.get("message")
    if not isinstance(said, dict) or said.get("role", value.get("type")) != value.get("type"):
        return None
    if said.keys() - {"role", "content"}:
        return None
    content = said.get("content")
    if isinstance(content, list) and len(content) == 1 and isinstance(block := content[0], dict):
        content = block.get("text") if block.keys() == {"type", "text"} else None
    return content if isinstance(content, str) else None


def _replace_object_with_text(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = get_line_value(seen)
    text = _extract_plain_text(value)
    return value if text is None else {**value, "message": text}


def _has_only_text(said: Object) -> bool:
    """Whether an object has no content that requires an API object."""
    content = said.get("content")
    if not isinstance(content, list):
        return True
    return all(isinstance(each, dict) and each.get("type") == "text" for each in content)


@rule(
    "CLM105",
    "object-for-text",
    "error",
    on="message",
    formats=CLAUDE_MESSAGES,
    fix=make_safe_fix(repair_value(_replace_object_with_text)),
)
def object_for_text(seen: RuleRecord) -> Iterable[Diagnostic]:
    """`message` is an object in a line that says nothing but text.

    An object with blocks that the document has no field for, such as a tool call or a thought in
    the middle of a text, is not reported: files that mix the two dialects hold them.

    Why: the document says that `message` is text. Programs that go by it show the object, or fail.

    Bad:
        {"type":"user","uuid":"msg-001","message":{"role":"user","content":"Hello"}}

    Fix (safe): an object with nothing but the text, and the role that the line names anyway,
    becomes the text. Others stay, because something would be lost.
    """
    value = get_line_value(seen)
    said = value.get("message")
    if type(said) is not dict or not _has_only_text(said):
        return ()
    diagnostic = Diagnostic("message is an object, not text", way="message")
    return [diagnostic._replace(fixable=_extract_plain_text(value) is not None)]


@rule("CLM106", "missing-type", "error", on="record", formats=CLAUDE_MESSAGES)
def missing_type(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A line with a `uuid` has no `type`, or one that is not text.

    Why: the document requires it of every message. Without it no program knows who speaks, and the
    line is passed over.

    Bad:
        {"uuid":"msg-002","parentUuid":"msg-001","message":"Hello"}

    Fix: none, because who speaks is not known.
    """
    entry = seen.entry
    if type(entry) is not Opaque or entry.kind != UNTYPED:
        return ()
    return [Diagnostic("it has no type", fixable=False)]
