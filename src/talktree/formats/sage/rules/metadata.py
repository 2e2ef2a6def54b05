"""SAG6: metadata.json compared with the log."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.fixes import Change, RemakeFile, repair_value
from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule
from talktree.formats.rule_context import CheckedConversation, RuleRecord, Setting
from talktree.formats.sage.detect_kinds import METADATA
from talktree.formats.sage.migrate import SESSION
from talktree.formats.sage.parse import MetadataSheet
from talktree.formats.sage.places import name_of
from talktree.formats.sage.repair import (
    build_metadata,
    compute_time_span,
    count_of,
    encode_metadata,
)
from talktree.formats.sage.rules.message_line import SAGE, is_foreign
from talktree.model.entries import Head
from talktree.text.json.value import Json
from talktree.text.times import SECOND, from_iso, to_iso

STATES = ("active", "paused", "completed", "failed", "cancelled")
TIMES = ("createdAt", "updatedAt")
TOLERATED = SECOND
"""Tolerance for times: log and metadata are written one after the other."""


def _find_conversation(setting: Setting, sheet: MetadataSheet) -> CheckedConversation | None:
    return next((talk for talk in setting.talks if talk.id == sheet.group), None)


def _rebuild_file(setting: Setting, diagnostic: Diagnostic) -> Iterator[Change]:
    for sheet in setting.origin.sheets:
        if sheet.path == diagnostic.path and isinstance(sheet, MetadataSheet):
            talk = _find_conversation(setting, sheet)
            if talk is not None:
                yield RemakeFile(sheet.path, encode_metadata(talk))


@rule(
    "SAG601",
    "ruined-metadata",
    "error",
    on="source",
    formats=SAGE,
    fix=make_safe_fix(_rebuild_file),
)
def ruined_metadata(setting: Setting) -> Iterator[Diagnostic]:
    """The metadata.json of a session is empty, filled with NULs, or no object that describes one.

    Why: Sage lists sessions by their metadata, so the session is gone from the list though its
    log is whole. A crash while the file is written over leaves it like this.

    Bad:
        metadata.json: 0 bytes, or nothing but NUL bytes

    Fix (safe): the file is made anew from the log: id, times, prompts, place, version and count.
    What it held goes to quarantine. A title that was only there is lost already; where something
    can still be read, as in a list of two objects, nothing is changed.
    """
    for sheet in setting.origin.sheets:
        if isinstance(sheet, MetadataSheet) and sheet.ruined:
            talk = _find_conversation(setting, sheet)
            fixable = sheet.lost and talk is not None and count_of(talk) > 0
            yield Diagnostic(sheet.ruined, path=sheet.path, fixable=fixable)


def _get_metadata(seen: RuleRecord) -> Object | None:
    value = seen.record.value
    return value if isinstance(value, dict) and name_of(seen.record.path) == METADATA else None


def _fill_member(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    return {**value, diagnostic.way: build_metadata(seen.talk)[diagnostic.way]}


@rule(
    "SAG602",
    "metadata-fields",
    "error",
    on="head",
    formats=SAGE,
    fix=make_safe_fix(repair_value(_fill_member)),
)
def metadata_fields(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The metadata of a session lack a field they must have, or have one of another type: id,
    createdAt, updatedAt, workingDirectory, version, messageCount, state.

    Why: Sage cannot load the metadata and leaves the session out of its list.

    Bad:
        {"id":"s1","createdAt":"2026-01-05T08:00:00Z","state":"active"}

    Fix (safe): a field that is missing is filled in from the log. One of another type stays.
    """
    value = _get_metadata(seen)
    if value is None:
        return
    known = count_of(seen.talk) > 0
    for name, kind in SESSION.items():
        item = value.get(name)
        if item is None:
            yield Diagnostic(f"there is no {name}", name, fixable=known)
        elif not isinstance(item, kind) or isinstance(item, bool):
            yield Diagnostic(f"{name} is of another type", name, fixable=False)
        elif name in TIMES and from_iso(str(item)) is None:
            yield Diagnostic(f"{name} names no time", name, fixable=False)


def _update_member(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value, span = seen.value, compute_time_span(seen.talk)
    assert isinstance(value, dict)
    if diagnostic.way == "messageCount":
        return {**value, diagnostic.way: count_of(seen.talk)}
    if span is None:
        return value
    return {**value, diagnostic.way: to_iso(span[diagnostic.way == "updatedAt"])}


@rule(
    "SAG603",
    "stale-metadata",
    "warning",
    on="head",
    formats=SAGE,
    fix=make_safe_fix(repair_value(_update_member)),
)
def stale_metadata(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The metadata of a session do not fit its log: another number of messages, last updated
    before the newest message, or created after the earliest.

    Why: lists are sorted by the last update and show the count; a stale one hides the session
    people look for. A count of 0 is not reported: the program never counts.

    Bad:
        {"id":"s1", ... "updatedAt":"2026-01-05T08:00:00Z","messageCount":3}
        (and messages.jsonl has 5 messages, the newest of 08:10)

    Fix (safe): count and times are taken from the log.
    """
    value, entry = _get_metadata(seen), seen.entry
    count = count_of(seen.talk)
    if value is None or not isinstance(entry, Head) or not count:
        return
    diagnostic = value.get("messageCount")
    if type(diagnostic) is int and diagnostic not in (0, count):
        yield Diagnostic(f"it counts {diagnostic} messages, there are {count}", "messageCount")
    span = compute_time_span(seen.talk)
    if span is None:
        return
    if entry.updated_ns is not None and entry.updated_ns < span[1] - TOLERATED:
        yield Diagnostic(f"the newest message is of {to_iso(span[1])}", "updatedAt")
    if entry.time_ns is not None and entry.time_ns > span[0] + TOLERATED:
        yield Diagnostic(f"the earliest message is of {to_iso(span[0])}", "createdAt")


def _set_session_id(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    return {**value, "id": diagnostic.about}  # type: ignore[dict-item]


@rule(
    "SAG604",
    "other-session",
    "warning",
    on="head",
    formats=SAGE,
    fix=make_safe_fix(repair_value(_set_session_id)),
)
def other_session(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The metadata have the id of another session than the messages.

    Why: resuming by the id in the list opens another session, or none. The metadata may have been
    copied from elsewhere.

    Bad:
        metadata.json:  {"id":"s2", ...}
        messages.jsonl: {"type":"user","uuid":"u1","sessionId":"s1", ...}

    Fix (safe): the id becomes the one that all messages name; if they name several, nothing is
    changed.
    """
    value = _get_metadata(seen)
    names = seen.talk.facts.session_names
    own = None if value is None else value.get("id")
    if value is None or not isinstance(own, str) or is_foreign(value):
        return
    if not names or own in names:
        return
    only = next(iter(names))
    what = f"the messages are of the session {only[:60]}"
    yield Diagnostic(what, "id", fixable=len(names) == 1, about=only)


def _set_active(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    return {**value, "state": STATES[0]}


@rule(
    "SAG605",
    "session-state",
    "error",
    on="head",
    formats=SAGE,
    fix=make_unsafe_fix(repair_value(_set_active)),
)
def session_state(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The state of a session is none of active, paused, completed, failed and cancelled.

    Why: Sage cannot load the metadata and leaves the session out of its list.

    Bad:
        {"id":"s1", ... "state":"asleep"}

    Fix (unsafe): the state becomes active, as that of a new session.
    """
    value = _get_metadata(seen)
    state = None if value is None else value.get("state")
    if isinstance(state, str) and state not in STATES:
        yield Diagnostic(f"{state[:40]!r} is no state of a session", "state")


@rule("SAG606", "branch-of-nothing", "warning", on="head", formats=SAGE)
def branch_of_nothing(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A session says that it is a sidechain, and not of which session.

    Why: a sidechain is a session that branches off another; without the other's id it is alone and
    its origin is lost.

    Bad:
        {"id":"s1", ... "isSidechain":true}

    Fix: none, because the session it left is not named anywhere.
    """
    value = _get_metadata(seen)
    if value is not None and value.get("isSidechain") is True and not value.get("parentSessionId"):
        yield Diagnostic("a sidechain without parentSessionId", "isSidechain")
