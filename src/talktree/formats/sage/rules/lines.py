"""SAG1: the required members of every message line, and their types."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.fixes import repair_value
from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.formats.sage.lens_members import infer_type
from talktree.formats.sage.rules.message_line import (
    INSIDE,
    MEMBERS,
    SAGE,
    TOKENS,
    find_misfits,
    find_nearest_time,
    get_line_value,
    get_object,
    is_plain,
)
from talktree.text.json.value import Json
from talktree.text.times import from_iso, to_iso

REQUIRED = ("sessionId", "version", "context", "message")
REQUIRED_INSIDE = {"context": ("cwd", "platform"), "message": ("role", "content")}
DATE = len("2025-12-21")


def _find_missing_members(value: Object) -> Iterator[str]:
    """Yield the paths of required members that are missing."""
    if value["type"] == "tool_result" and value.get("message") is None:
        # The specification's own form of tool results has neither version nor context nor message.
        if value.get("sessionId") is None:
            yield "sessionId"
        return
    for name in REQUIRED:
        item = value.get(name)
        if item is None:
            yield name
        elif isinstance(item, dict):
            for inner in REQUIRED_INSIDE.get(name, ()):
                if item.get(inner) is None:
                    yield f"{name}/{inner}"


def _fill_missing_members(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    made = dict(value)
    for way in list(_find_missing_members(value)):
        name, _, inner = way.partition("/")
        if inner:
            made[name] = {**(get_object(made, name) or {}), inner: _default_value(way, value)}
        elif name == "context":
            made[name] = {"cwd": "", "platform": ""}
        elif name == "sessionId":
            sessions = list(seen.talk.facts.session_names)
            made[name] = sessions[0] if len(sessions) == 1 else ""
        elif name == "version":
            made[name] = ""
    return made


def _default_value(way: str, value: Object) -> str:
    if way != "message/role":
        return ""
    type = str(value["type"])
    return "tool" if infer_type("tool") == type else "system" if "_" in type else type


@rule(
    "SAG101",
    "missing-line-field",
    "error",
    on="message",
    formats=SAGE,
    fix=make_safe_fix(repair_value(_fill_missing_members)),
)
def missing_line_field(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message lacks a field that every line must have: sessionId, version, context with cwd and
    platform, or message with role and content. Tool results need the sessionId only.

    Why: Sage skips a line it cannot load whole, so the message is missing when the session is
    resumed, and all replies to it are cut off.

    Bad:
        {"type":"user","uuid":"u1","timestamp":"2026-01-05T08:00:00Z","sessionId":"s1",
         "context":{"cwd":"/home/ada","platform":"linux"},"message":{"role":"user","content":"Hi"}}

    Fix (safe): the field is filled in: the session of the other lines, the role of its type, and
    otherwise an empty text, which means unknown. A message that is missing as a whole is not made
    up.
    """
    if is_plain(seen):
        return
    value = get_line_value(seen)
    if value is None:
        return
    missing = list(_find_missing_members(value))
    if "message" in missing:
        missing.remove("message")
        yield Diagnostic("there is no message", fixable=False)
    if missing:
        yield Diagnostic(f"there is no {', '.join(missing).replace('/', '.')}")


def _set_timestamp(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value, time = seen.value, find_nearest_time(seen)
    assert isinstance(value, dict)
    return value if time is None else {**value, "timestamp": to_iso(time)}


@rule(
    "SAG102",
    "line-without-time",
    "error",
    on="message",
    formats=SAGE,
    fix=make_unsafe_fix(repair_value(_set_timestamp)),
)
def line_without_time(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message has no timestamp, or one that names no time.

    Why: the timestamp is required; Sage skips the line.

    Bad:
        {"type":"user","uuid":"u1","timestamp":"yesterday","sessionId":"s1","version":"0.1.0", ...}

    Fix (unsafe): the time of the nearest line is written, since the real one is unknown.
    """
    value = get_line_value(seen)
    if value is None or seen.entry.time_ns is not None:  # type: ignore[union-attr]
        return
    stamp = value.get("timestamp")
    if stamp is None or isinstance(stamp, str):
        what = "there is no timestamp" if stamp is None else f"{stamp[:40]!r} is no time"
        yield Diagnostic(what, "timestamp", fixable=find_nearest_time(seen) is not None)


def _report_misfits(value: Object) -> Iterator[Diagnostic]:
    for name in find_misfits(value, MEMBERS):
        yield Diagnostic(f"{name} is of another type", name)
    for name, kinds in INSIDE.items():
        held = value.get(name)
        if type(held) is dict:
            for inner in find_misfits(held, kinds):
                yield Diagnostic(f"{name}.{inner} is of another type", f"{name}/{inner}")


@rule("SAG103", "wrong-member-type", "error", on="message", formats=SAGE)
def wrong_member_type(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A member of a message is not of the type it must be: a text where a list is wanted, a
    number where a text is, a count of tokens that is no whole number.

    Why: Sage's types are strict; it skips the whole line.

    Bad:
        {"type":"user","uuid":"u1", ... "todos":"none","isSidechain":"no"}

    Fix: none, because it is unknown what was meant.
    """
    value = get_line_value(seen)
    if value is None:
        return
    if not is_plain(seen):
        yield from _report_misfits(value)
    usage = value.get("usage")
    if type(usage) is dict:
        for name in TOKENS:
            count = usage.get(name)
            if count is not None and (type(count) is not int or count < 0):
                yield Diagnostic(f"usage.{name} is no count of tokens", f"usage/{name}")


def _add_zone(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    return {**value, "timestamp": f"{value['timestamp']}Z"}


@rule(
    "SAG104",
    "time-without-zone",
    "error",
    on="message",
    formats=SAGE,
    fix=make_safe_fix(repair_value(_add_zone)),
)
def time_without_zone(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A timestamp does not say its time zone.

    Why: times are `DateTime<Utc>`; Sage refuses one without a zone and skips the line. Other
    programs take it for local time.

    Bad:
        {"type":"user","uuid":"u1","timestamp":"2026-01-05T08:00:00.000", ...}

    Fix (safe): a `Z` is added: the format knows only UTC.
    """
    value = seen.record.value
    stamp = value.get("timestamp") if isinstance(value, dict) else None
    if not isinstance(stamp, str) or not stamp or stamp[-1] in "Zz" or get_line_value(seen) is None:
        return
    if "+" not in stamp and "-" not in stamp[DATE:] and from_iso(stamp) is not None:
        yield Diagnostic(f"{stamp[:40]} names no time zone", "timestamp")
