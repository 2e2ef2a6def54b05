"""SAG4: file history snapshots: their required members, and the message they belong to."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.fixes import repair_value
from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.formats.sage.lens_snapshots import BACKUPS, TRACKED
from talktree.formats.sage.places import MESSAGES, SNAPSHOTS, name_of
from talktree.formats.sage.rules.message_line import SAGE, get_object, is_foreign
from talktree.model.entries import Snapshot
from talktree.text.json.value import Json

STATES = ("created", "modified", "deleted", "unchanged")
FIRSTS = "sage: the first snapshot of each message"
FILLED = ("isSnapshotUpdate", f"snapshot/{TRACKED}", f"snapshot/{BACKUPS}")


def _find_misfits(value: Object) -> Iterator[tuple[str, str]]:
    """Yield members that are missing or of another type, with their paths."""
    for name, kind in (("messageId", str), ("isSnapshotUpdate", bool), ("snapshot", dict)):
        item = value.get(name)
        if item is None or item == "":
            yield name, "is missing"
        elif not isinstance(item, kind):
            yield name, "is of another type"
    held = get_object(value, "snapshot")
    for name in (TRACKED, BACKUPS) if held is not None else ():
        item = held.get(name) if held is not None else None
        if not isinstance(item, dict):
            yield f"snapshot/{name}", "is missing" if item is None else "is of another type"


def _fill_member(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    name, _, inner = diagnostic.way.partition("/")
    if not inner:
        return {**value, name: False}
    return {**value, name: {**(get_object(value, name) or {}), inner: {}}}


@rule(
    "SAG401",
    "snapshot-fields",
    "error",
    on="snapshot",
    formats=SAGE,
    fix=make_safe_fix(repair_value(_fill_member)),
)
def snapshot_fields(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A snapshot lacks its messageId, its timestamp, isSnapshotUpdate, or one of its two lists of
    files, or has one of another type.

    Why: all of them are required; Sage skips the line, and nothing it holds can be undone.

    Bad:
        {"type":"file_history_snapshot","messageId":"u2","timestamp":"2026-01-05T08:00:05Z",
         "snapshot":{"trackedFiles":{}}}

    Fix (safe): a missing isSnapshotUpdate is false, a missing list of files is empty. Which
    message it belongs to, and when it was taken, are not made up.
    """
    value = seen.record.value
    if not isinstance(value, dict):
        return
    for way, what in _find_misfits(value):
        fixable = what == "is missing" and way in FILLED
        yield Diagnostic(f"{way.rpartition('/')[2]} {what}", way, fixable=fixable)
    if getattr(seen.entry, "time", None) is None:
        what = "there is no timestamp" if value.get("timestamp") is None else "this is no time"
        yield Diagnostic(what, "timestamp", fixable=False)


@rule("SAG402", "unknown-file-state", "warning", on="snapshot", formats=SAGE)
def unknown_file_state(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A tracked file has no state, or one that is none of created, modified, deleted, unchanged.

    Why: restoring deletes files that were created and writes back the others; if the state is
    unknown, neither is safe, so the file cannot be restored.

    Bad:
        "trackedFiles":{"notes.txt":{"contentHash":"5f70bf18","size":12,"state":"melted"}}

    Fix: none, because what happened to the file is not known.
    """
    value = seen.record.value
    held = get_object(value, "snapshot") if isinstance(value, dict) else None
    tracked = get_object(held, TRACKED) if held is not None else None
    for path, item in (tracked or {}).items():
        state = item.get("state") if isinstance(item, dict) else None
        if state not in STATES:
            named = "no state" if state is None else f"the state {str(state)[:40]!r}"
            yield Diagnostic(f"{path[:80]} has {named}", f"snapshot/{TRACKED}/{path}")


@rule("SAG403", "snapshot-of-nothing", "warning", on="snapshot", formats=SAGE)
def snapshot_of_nothing(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A snapshot names a message that is not in the session.

    Why: files are undone by going back to a message; this state of them is never found.

    Bad:
        {"type":"user","uuid":"u1", ...}
        {"type":"file_history_snapshot","messageId":"gone", ...}

    Fix: none, because which message changed the files is not known.
    """
    entry, skeleton = seen.entry, seen.talk.skeleton
    assert isinstance(entry, Snapshot)
    if entry.message and skeleton.by_id and entry.message not in skeleton.by_id:
        yield Diagnostic(f"the message {entry.message[:60]} is not here", "messageId")


def _mark_as_update(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    return {**value, "isSnapshotUpdate": True}


def _has_earlier(seen: RuleRecord, message: str) -> bool:
    """Whether the same message has a snapshot before this one."""
    firsts: dict[str, int] = seen.talk.notes.setdefault(FIRSTS, {})
    return firsts.setdefault(message, seen.position) < seen.position


@rule("SAG404", "update-of-nothing", "warning", on="snapshot", formats=SAGE)
def update_of_nothing(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A snapshot says that it is an update, and no snapshot of the same message is before it.

    Why: an update holds only what is new; without the snapshot it adds to, the state of the files
    is known in part, and undoing restores only that part.

    Bad:
        {"type":"file_history_snapshot","messageId":"u2","isSnapshotUpdate":true, ...}

    Fix: none, because the earlier snapshot may have been lost, and then the mark is right.
    """
    entry = seen.entry
    assert isinstance(entry, Snapshot)
    value = seen.record.value
    if entry.message and not _has_earlier(seen, entry.message) and entry.update:
        if isinstance(value, dict) and is_foreign(value):
            return
        yield Diagnostic("an update, and there is no snapshot before it", "isSnapshotUpdate")


@rule(
    "SAG405", "second-snapshot", "warning", on="snapshot", formats=SAGE,
    fix=make_safe_fix(repair_value(_mark_as_update)),
)  # fmt: skip
def second_snapshot(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message has a second snapshot that does not say that it is an update.

    Why: there is one snapshot a message, and updates of it; readers take one of the two and
    pass over the other.

    Bad:
        {"type":"file_history_snapshot","messageId":"u2","isSnapshotUpdate":false, ...}
        {"type":"file_history_snapshot","messageId":"u2","isSnapshotUpdate":false, ...}

    Fix (safe): the later one is marked as the update it is; both keep all they hold.
    """
    entry = seen.entry
    assert isinstance(entry, Snapshot)
    # Also checked for updates, since later snapshots are compared with all earlier ones.
    if entry.message and _has_earlier(seen, entry.message) and not entry.update:
        what = f"the message {entry.message[:60]} has a snapshot already"
        yield Diagnostic(what, "isSnapshotUpdate")


@rule("SAG406", "snapshot-among-messages", "note", on="snapshot", formats=SAGE)
def snapshot_among_messages(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A snapshot is in messages.jsonl instead of snapshots.jsonl.

    Why: the document shows both; Sage itself looks for snapshots in snapshots.jsonl only and
    skips this one.

    Bad:
        messages.jsonl: {"type":"file_history_snapshot","messageId":"u2", ...}

    Fix: none, because by the document it may stand here.
    """
    if seen.talk.origin.source.folder and name_of(seen.record.path) == MESSAGES:
        yield Diagnostic(f"Sage looks for it in {SNAPSHOTS}")
