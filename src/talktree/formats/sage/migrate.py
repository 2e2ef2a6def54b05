"""Older and incomplete sessions: the single file in snake_case, lines that Sage would skip.

A current session is a folder whose lines have everything that the specification's struct requires.
Tool results inside the message, as the program writes them, are as current as those beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from talktree.files import Source
from talktree.formats.format import ConversationInfo, Format, Record
from talktree.formats.lens import Object
from talktree.formats.migration import Renewal
from talktree.formats.record_file import Sheet
from talktree.formats.sage.adopt import METADATA as KNOWN
from talktree.formats.sage.adopt import adopt_snapshot, make_session_head
from talktree.formats.sage.detect_kinds import METADATA, detect_kind
from talktree.formats.sage.lens_members import get_inner_object
from talktree.formats.sage.parse import SessionSheet
from talktree.formats.sage.places import MESSAGES, SNAPSHOTS, name_of
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Context, Message
from talktree.text.json.value import Json
from talktree.text.times import from_iso

OLDER = "the older session file"
LINE: dict[str, type] = {
    "type": str,
    "uuid": str,
    "timestamp": str,
    "sessionId": str,
    "version": str,
    "context": dict,
    "message": dict,
}
INSIDE: dict[str, dict[str, type]] = {
    "context": {"cwd": str, "platform": str},
    "message": {"role": str, "content": str},
}
SNAPSHOT: dict[str, type] = {"timestamp": str, "isSnapshotUpdate": bool, "snapshot": dict}
SESSION: dict[str, type] = {
    "id": str,
    "createdAt": str,
    "updatedAt": str,
    "workingDirectory": str,
    "version": str,
    "messageCount": int,
    "state": str,
}
RENAMED = {
    "working_directory": "workingDirectory",
    "git_branch": "gitBranch",
    "message_count": "messageCount",
    "token_usage": "tokenUsage",
    "parent_session_id": "parentSessionId",
    "first_prompt": "firstPrompt",
    "last_prompt": "lastPrompt",
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "cache_read_tokens": "cacheReadTokens",
    "cache_write_tokens": "cacheWriteTokens",
    "cost_estimate": "costEstimate",
}
"""Names of members in the head of an older file, and their names in metadata.json."""
PLACES = {"cwd": "workingDirectory", "git_branch": "gitBranch", "version": "version"}


class SessionRenewal(Renewal):
    """Detects and migrates older sessions."""

    headless = f"no {METADATA}"
    _in_folder = False

    def make_reader(self, source: Source) -> Format:
        self._in_folder = source.folder
        return super().make_reader(source)

    def describe_old_record(
        self, record: Record, entry: Entry, about: ConversationInfo
    ) -> Iterator[str]:
        value = record.value
        if not isinstance(value, dict):
            return
        match detect_kind(value, record.path):
            case "legacy" | "session":
                yield OLDER
            case "message":
                yield from _describe_missing(value, LINE)
                for name, required in INSIDE.items():
                    inner = value.get(name)
                    if isinstance(inner, dict):
                        yield from (
                            f"in {name}: {what}" for what in _describe_missing(inner, required)
                        )
                yield from _describe_odd_time(value, "timestamp")
            case "snapshot" if isinstance(entry, Snapshot) and entry.message:
                yield from _describe_missing(value, SNAPSHOT)
                yield from _describe_odd_time(value, "timestamp")
                if self._in_folder and name_of(record.path) == MESSAGES:
                    yield f"a snapshot outside {SNAPSHOTS}"
            case "metadata":
                yield from _describe_missing(value, SESSION)
                yield from _describe_odd_time(value, "createdAt", "updatedAt")
            case _:
                pass

    # migrating

    def complete_about(self, about: ConversationInfo, heads: Sequence[Head]) -> ConversationInfo:
        """Return the facts of a session; its folder comes from the head if no message names it."""
        diagnostic = {
            RENAMED.get(key, key): item for head in heads for key, item in head.extra.items()
        }
        known = {
            field: diagnostic[name]
            for field, name in PLACES.items()
            if isinstance(diagnostic.get(name), str) and diagnostic[name]
        }
        if about.context is not None or not known:
            return about
        return replace(about, context=Context(**known))

    def migrate_message(self, message: Message, about: ConversationInfo, *, moment: int) -> Message:
        # Under these names there are only values of the wrong type.
        kept: Object = {name: item for name, item in message.extra.items() if name not in LINE}
        for name, required in INSIDE.items():
            inner = get_inner_object(message.extra, name)
            if rest := {key: item for key, item in inner.items() if key not in required}:
                kept[name] = rest
        return super().migrate_message(replace(message, extra=kept), about, moment=moment)

    def migrate_other(
        self, record: Record, entry: Entry, about: ConversationInfo, *, depth: int
    ) -> Json:
        value = record.value
        if not isinstance(value, dict):
            return None
        old = any(self.describe_old_record(record, entry, about))
        match entry:
            case Head():
                return self.format.put(_migrate_head(entry, about), None) if old else value
            case Snapshot():
                renewed = _migrate_snapshot(entry, about) if old else None
                return value if renewed is None else self.format.put(renewed, None)
            case _:
                # Lines of unknown kinds stay where they are; the older file has no lines.
                return value if isinstance(entry, Opaque) and not depth else None

    def make_opening_entries(
        self, about: ConversationInfo, *, headed: bool, folder: bool
    ) -> Sequence[Entry]:
        if headed or not folder:
            return ()
        return (make_session_head(about),)

    # output files

    def is_folder(self, source: Source, sheets: Sequence[Sheet]) -> bool:
        return source.folder or any(isinstance(sheet, SessionSheet) for sheet in sheets)

    def choose_file(self, sheet: Sheet, entry: Entry, *, folder: bool) -> str:
        path = sheet.path
        if isinstance(sheet, SessionSheet):
            # A session's folder is named after it; if the folder was the whole source, it is that
            # folder.
            stem = path.removesuffix(".json") if folder else ""
            path = f"{stem}/{MESSAGES}" if stem else MESSAGES
        if name_of(path) not in (MESSAGES, SNAPSHOTS, METADATA) or isinstance(entry, Opaque):
            return path
        return self.format.choose_file(entry, path, before=path)


def _migrate_head(head: Head, about: ConversationInfo) -> Head:
    """Return the head of a session under the names of metadata.json."""
    diagnostic = {
        RENAMED.get(name, name): _rename_counts(item) for name, item in head.extra.items()
    }
    usual = make_session_head(about)
    started = usual.time_ns if head.time_ns is None else head.time_ns
    return replace(
        head,
        id=head.id or about.session,
        time_ns=started,
        updated_ns=max(started or 0, usual.updated_ns or 0)
        if head.updated_ns is None
        else head.updated_ns,
        extra={**usual.extra, **_select_valid_members(diagnostic)},
    )


def _rename_counts(value: Json) -> Json:
    """Return the counts of tokens under their new names; other values unchanged."""
    if not isinstance(value, dict) or not value.keys() & RENAMED.keys():
        return value
    return {RENAMED.get(name, name): item for name, item in value.items()}


def _select_valid_members(diagnostic: Object) -> Object:
    """Return the members that have the required type."""
    return {
        name: item
        for name, item in diagnostic.items()
        if name not in KNOWN or isinstance(item, SESSION[name])
    }


def _migrate_snapshot(snapshot: Snapshot, about: ConversationInfo) -> Snapshot | None:
    usual = adopt_snapshot(snapshot, about)
    return None if usual is None else replace(snapshot, time_ns=usual.time_ns)


def _describe_missing(value: Object, required: dict[str, type]) -> Iterator[str]:
    for name, kind in required.items():
        item = value.get(name)
        if item is None:
            yield f"no {name}"
        elif not isinstance(item, kind):
            yield f"{name} of another type"


def _describe_odd_time(value: Object, *names: str) -> Iterator[str]:
    for name in names:
        stamp = value.get(name)
        if isinstance(stamp, str) and from_iso(stamp) is None:
            yield f"{name} that names no time"


RENEWAL = SessionRenewal
