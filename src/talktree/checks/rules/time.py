"""TIM1: the times of messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import time_ns
from typing import TypeGuard

from talktree.checks.support.message_ids import find_carried_over
from talktree.formats.fixes import repair_value
from talktree.formats.rule import Diagnostic, make_unsafe_fix, rule
from talktree.formats.rule_batch import RecordBatch
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.model.message import Message
from talktree.model.skeleton import NO_TIME
from talktree.text.json.value import Json
from talktree.text.times import (
    MILLI,
    SECOND,
    SECONDS_END,
    SECONDS_START,
    from_iso,
    from_number,
    to_iso,
)

TOLERATED = 300 * SECOND
"""How much earlier than its parent a message may be. Records of one moment are written in any
order, and a command that takes minutes (compacting) has the time at which it was typed, but its
parent is what it made. A clock that was set back, or a wrong time zone, makes a larger
difference."""
DAY = 86_400 * SECOND
FIRST_TALK = from_iso("2015-01-01T00:00:00Z") or 0
"""Earlier times are wrong, because no such programs existed before."""
MILLIS_END = 100_000_000_000_000
"""Numbers from here on can only be microseconds, and a thousand times larger ones nanoseconds."""
MICROS_END = MILLIS_END * 1000
SHOWN = 40


@rule("TIM101", "time-runs-backwards", "note", on="talk")
def time_runs_backwards(talk: CheckedConversation) -> Iterable[Diagnostic]:
    """A message is more than five minutes earlier than the message it answers.

    Why: a clock was set back, or records of several computers came together. Programs that sort by
    time show the messages in the wrong order; the links tell the right one.

    Bad:
        {"uuid":"1","parentUuid":null,"timestamp":"2026-03-04T10:00:00Z"}
        {"uuid":"2","parentUuid":"1","timestamp":"2026-03-04T07:00:00Z"}

    Fix: none, because it is not known which of the two times is right.
    """
    skeleton, latest = talk.skeleton, time_ns() + DAY
    times, linked = skeleton.times, skeleton.linked
    carried = find_carried_over(skeleton) if skeleton.astray else ()
    for position, above in enumerate(skeleton.parents):
        if above < 0:
            continue
        now, before = times[position], times[above]
        # An impossible time is reported by its own rule.
        if (
            FIRST_TALK <= now < before - TOLERATED
            and before <= latest
            and position not in linked
            and position not in carried
        ):
            yield Diagnostic(
                f"{_format_span(before - now)} before the message it answers", position=position
            )


@rule("TIM102", "impossible-time", "warning", on="talk")
def impossible_time(talk: CheckedConversation) -> Iterable[Diagnostic]:
    """A message is from the future, or from before there were such conversations.

    Why: a clock was wrong, or a time that was not known was written as 1970. Whatever sorts or
    deletes by age goes wrong with it.

    Bad:
        {"type":"user","uuid":"1","timestamp":"1970-01-01T00:00:00.000Z"}

    Fix: none, because the right time is not in the file.
    """
    latest = time_ns() + DAY
    for position, now in enumerate(talk.skeleton.times):
        if FIRST_TALK <= now <= latest or now == NO_TIME:
            continue
        if now == 0 and _is_converted(talk.read_record(position)):
            continue
        why = "in the future" if now > latest else "before there were such conversations"
        yield Diagnostic(f"{_format_time(now)} is {why}", position=position)


def _convert_to_millis(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    key, stamp = seen.talk.format.stamp_key, _read_stamp(seen)
    meant = _guess_time(stamp) if _is_number(stamp) else None
    if key is None or not isinstance(seen.value, dict) or meant is None:
        return seen.value
    return {**seen.value, key: meant // MILLI}


@rule(
    "TIM103",
    "wrong-time-unit",
    "warning",
    on="message",
    optional=True,
    fix=make_unsafe_fix(repair_value(_convert_to_millis)),
)
def wrong_time_unit(seen: RuleRecord) -> Sequence[Diagnostic]:
    """A time is written in another unit than the format has: in seconds, microseconds or
    nanoseconds instead of milliseconds.

    Why: programs that take the number as it is show a date in 1970, or none at all.

    Bad:
        {"id":"1","type":"user","timestamp":1732588756,"content":"seconds, not milliseconds"}

    Fix (unsafe): the time is written in milliseconds, going by the size of the number: only one
    unit gives a date of our days.
    """
    stamp = _read_stamp(seen)
    if not _is_number(stamp) or SECONDS_END <= stamp < MILLIS_END:
        return ()
    meant = _guess_time(stamp)
    if meant is None:
        return ()
    what = f"{stamp} is in {_guess_unit(stamp)}, not milliseconds: {_format_time(meant)}"
    return [Diagnostic(what, way=seen.talk.format.stamp_key or "")]


def _add_zone(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    key, stamp = seen.talk.format.stamp_key, _read_stamp(seen)
    if key is None or not isinstance(seen.value, dict) or not isinstance(stamp, str):
        return seen.value
    return {**seen.value, key: f"{stamp}Z"}


def _find_not_utc(batch: RecordBatch) -> Sequence[RuleRecord]:
    """Return messages whose timestamp does not end in Z; nearly all do."""
    key = batch.talk.format.stamp_key or ""
    return [
        seen
        for seen in batch.messages
        if type(value := seen.record.value) is dict
        and type(stamp := value.get(key)) is str
        and stamp[-1:] != "Z"
    ]


@rule(
    "TIM104",
    "no-time-zone",
    "warning",
    on="message",
    glance=_find_not_utc,
    optional=True,
    fix=make_unsafe_fix(repair_value(_add_zone)),
)
def no_time_zone(seen: RuleRecord) -> Sequence[Diagnostic]:
    """A date does not say in which time zone it is.

    Why: each program takes it for its own zone or for UTC, so that messages are hours apart from
    what they answer; some programs refuse it.

    Bad:
        {"type":"user","uuid":"1","timestamp":"2026-03-04T09:00:00"}

    Fix (unsafe): it is taken for UTC, as it is read here, and says so.
    """
    stamp = _read_stamp(seen)
    if type(stamp) is not str or from_iso(stamp) is None:
        return ()
    if stamp[-1:] in ("Z", "z") or "+" in stamp or "-" in stamp[10:]:
        return ()
    return [Diagnostic(f"{stamp[:SHOWN]} names no zone", way=seen.talk.format.stamp_key or "")]


def _find_untimed(batch: RecordBatch) -> Sequence[RuleRecord]:
    return [seen for seen in batch.messages if seen.entry.time_ns is None]  # type: ignore[union-attr]


@rule("TIM105", "unreadable-time", "warning", on="message", optional=True, glance=_find_untimed)
def unreadable_time(seen: RuleRecord) -> Sequence[Diagnostic]:
    """A message has a time that cannot be read.

    Why: it is sorted as if it had none, and programs that need the time refuse the record.

    Bad:
        {"type":"user","uuid":"1","timestamp":"last Tuesday"}

    Fix: none, because the right time cannot be known.
    """
    entry = seen.entry
    if not isinstance(entry, Message) or entry.time_ns is not None:
        return ()
    stamp = _read_stamp(seen)
    if not isinstance(stamp, str):
        # A missing time, or a value of another type, is reported by the format's own rules.
        return ()
    shown = stamp[:SHOWN] or "an empty text"
    return [Diagnostic(f"{shown} is no time", way=seen.talk.format.stamp_key or "")]


# shared by the rules


def _is_converted(seen: RuleRecord) -> bool:
    """Whether a record has embedded source data; it has no time if none was known there."""
    return seen.talk.format.take_carry(seen.value)[0] is not None


def _read_stamp(seen: RuleRecord) -> Json:
    """Return the time as the record has it."""
    key, value = seen.talk.format.stamp_key, seen.record.value
    return value.get(key) if key is not None and type(value) is dict else None


def _is_number(stamp: Json) -> TypeGuard[int | float]:
    return type(stamp) is int or type(stamp) is float


def _guess_unit(number: float) -> str:
    if number < SECONDS_END:
        return "seconds"
    if number < MILLIS_END:
        return "milliseconds"
    return "microseconds" if number < MICROS_END else "nanoseconds"


def _guess_time(number: float) -> int | None:
    """Return the plausible time that a number means in any unit, or None."""
    if not SECONDS_START <= number < MICROS_END * 1000:
        return None
    while number >= MILLIS_END:
        number /= 1000
    return from_number(number)


def _format_time(time: int) -> str:
    try:
        return to_iso(time, digits=0)
    except OverflowError:
        return "a year nobody can name"


def _format_span(time: int) -> str:
    minutes = time // (60 * SECOND)
    if minutes < 120:
        return f"{minutes} minutes"
    hours = minutes // 60
    return f"{hours} hours" if hours < 72 else f"{hours // 24:,} days"
