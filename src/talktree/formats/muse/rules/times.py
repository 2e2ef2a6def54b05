"""MUS3: times in milliseconds, what a database wraps them in, and how long answers took."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.fixes import repair_value
from talktree.formats.muse.lens import DATE, is_wrapper, read_text, read_time, unwrap
from talktree.formats.muse.rules.support_members import (
    MUSE,
    NUMBERS,
    get_message_value,
    get_root_value,
    is_application_copy,
    is_dressed,
)
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.model.message import Message
from talktree.text.json.value import Json
from talktree.text.times import SECONDS_END, SECONDS_START, to_millis

STAMPS = ("timestamp", "last_updated_timestamp")
IDS = ("_id", "id", "conversation_id", "request_id")
STREAMING, FINISHED = "seconds_until_streaming", "seconds_until_finished"


def _get_timestamp(seen: RuleRecord) -> tuple[str, Json]:
    """Return the name and the value of a record's own time."""
    value = seen.record.value
    name = STAMPS[0] if type(seen.entry) is Message else STAMPS[1]
    return name, value.get(name) if isinstance(value, dict) else None


def _convert_to_millis(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    time = read_time(value.get(diagnostic.way))
    return value if time is None else {**value, diagnostic.way: to_millis(time)}


@rule(
    "MUS301",
    "time-in-seconds",
    "warning",
    on="record",
    formats=MUSE,
    fix=make_safe_fix(repair_value(_convert_to_millis)),
)
def time_in_seconds(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A timestamp is in seconds; all timestamps are milliseconds since 1970.

    Why: programs divide by a thousand and show January 1970, and sort the message before all
    others. That it is seconds shows in its size: as milliseconds it would be before 1973.

    Bad:
        {"id": "m1", "timestamp": 1732782425, "role": "user", "content": "Hello"}

    Fix (safe): the same moment is written in milliseconds.
    """
    name, stamp = _get_timestamp(seen)
    number = unwrap(stamp) if isinstance(stamp, dict) and DATE not in stamp else stamp
    if type(number) in NUMBERS and SECONDS_START <= number < SECONDS_END:  # type: ignore[operator]
        yield Diagnostic(f"{number} can only be seconds", name)


@rule("MUS302", "unreadable-timestamp", "error", on="record", formats=MUSE)
def unreadable_timestamp(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A timestamp is no number, or one that names no time.

    Why: programs sort messages by time and show it; this one has none they can use.

    Bad:
        {"id": "m1", "timestamp": "yesterday", "role": "user", "content": "Hello"}

    Fix: none, because when it was is not known.
    """
    if get_root_value(seen) is None and get_message_value(seen) is None:
        return
    name, stamp = _get_timestamp(seen)
    if stamp is not None and not is_dressed(stamp) and read_time(stamp) is None:
        yield Diagnostic("this names no time", name)


@rule("MUS303", "missing-timestamp", "warning", on="message", formats=MUSE)
def missing_timestamp(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message of the analytics copy has no timestamp.

    Why: it is a core field; programs that sort by time take a missing one for 0 and show the
    message first.

    Bad:
        {"id": "m1", "request_id": "r1", "role": "user", "content": "Hello", "author": "ida",
         "tags": []}

    Fix: none, because when it was said is not known.
    """
    value = get_message_value(seen)
    if value is not None and value.get("timestamp") is None and not is_application_copy(seen.talk):
        yield Diagnostic("there is no timestamp", "timestamp")


@rule("MUS304", "unreadable-wrapper", "error", on="record", formats=MUSE)
def unreadable_wrapper(seen: RuleRecord) -> Iterator[Diagnostic]:
    """An id or a time is in the wrapper of a database export, and what is in it cannot be read:
    digits that are no number, a date that is none.

    Why: what the database held is lost in the export; importing the file again fails here.

    Bad:
        {"id": {"$oid": 4}, "timestamp": {"$numberLong": "12e"}, "role": "user", "content": "Hello"}

    Fix: none, because the value is not in the file.
    """
    value = seen.record.value
    if not isinstance(value, dict):
        return
    for name in (*STAMPS, *IDS):
        item = value.get(name)
        if type(item) is not dict or not is_dressed(item):
            continue
        read = read_time(item) if name in STAMPS else read_text(item)
        if read is None:
            yield Diagnostic(f"the {next(iter(item))} of {name} cannot be read", name)


@rule("MUS311", "odd-latency", "warning", on="message", formats=MUSE)
def odd_latency(seen: RuleRecord) -> Iterator[Diagnostic]:
    """How long an answer took is no number, is below zero, or it is finished before it began to
    stream.

    Why: these are the performance metrics; averages over them come out wrong.

    Bad:
        {"id": "m2", "role": "assistant", "content": "Yes.",
         "seconds_until_streaming": 6.5, "seconds_until_finished": 1.75}

    Fix: none, because how long it took is not known.
    """
    value = get_message_value(seen)
    if value is None or (STREAMING not in value and FINISHED not in value):
        return
    taken = {name: _read_seconds(value.get(name)) for name in (STREAMING, FINISHED)}
    for name, seconds in taken.items():
        if value.get(name) is not None and (seconds is None or seconds < 0):
            yield Diagnostic(f"{name} is no length of time", name)
            return
    began, ended = taken.values()
    if began is not None and ended is not None and began > ended:
        yield Diagnostic("it was finished before it began to stream", FINISHED)


def _read_seconds(value: Json) -> int | float | None:
    if is_wrapper(value):
        value = unwrap(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
