"""Checkpoints: which copies of files Claude Code kept for a session, and from which moment.

Before each prompt it records the files it has edited so far, each with a copy of its content. A
file that is edited for the first time is added to the running turn: by a second snapshot that is
marked as an update, or in newer versions by a separate line (`file-history-delta`). The first
record is the state before the turn, so later records do not replace it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from talktree.model.conversation import Conversation
from talktree.model.entries import Entry, FileState, Opaque, Snapshot
from talktree.model.message import Message
from talktree.text.json.value import Json
from talktree.text.times import from_iso

FIRST_LINES = 50
"""Maximum number of messages that are searched for the folder the session was started in."""


class CheckpointFile(NamedTuple):
    """The record of one file in a checkpoint."""

    name: str
    """Its path as recorded: relative to the folder the session was started in, or absolute."""
    copy: str | None
    """The name of the copy; None if the file did not exist, or if no copy is named."""
    absent: bool
    """Whether the record says that the file did not exist."""
    time: int | None


class Checkpoint(NamedTuple):
    """The files as they were when a prompt was given."""

    message: str
    time: int | None
    files: Mapping[str, CheckpointFile]
    place: int
    """The position in the conversation at which it was first recorded."""


class _Note(NamedTuple):
    message: str
    time: int | None
    files: list[CheckpointFile]
    adds: bool
    """Whether it only adds files to an existing record."""


def list_checkpoints(conversation: Conversation) -> list[Checkpoint]:
    """Return all checkpoints of a session, in the order in which they were made."""
    found: dict[str, Checkpoint] = {}
    for place, note in _iterate_notes(conversation):
        known = found.get(note.message)
        old = {} if known is None else known.files
        new = {each.name: each for each in note.files}
        files = {**new, **old} if note.adds else {**old, **new}
        if known is None:
            found[note.message] = Checkpoint(note.message, note.time, files, place)
        else:
            found[note.message] = known._replace(files=files)
    return list(found.values())


def find_start_folder(conversation: Conversation) -> str | None:
    """Return the folder that paths in checkpoints are relative to, or None."""
    traits = conversation.skeleton.traits
    spoken = [place for place, trait in enumerate(traits) if trait][:FIRST_LINES]
    for entry in conversation.entries_at(spoken):
        if isinstance(entry, Message) and entry.context is not None and entry.context.cwd:
            return entry.context.cwd
    return None


def _iterate_notes(conversation: Conversation) -> Iterator[tuple[int, _Note]]:
    traits = conversation.skeleton.traits
    silent = [place for place, trait in enumerate(traits) if not trait]
    for place, entry in zip(silent, conversation.entries_at(silent), strict=True):
        note = _parse_note(entry)
        if note is not None:
            yield place, note


def _parse_note(entry: Entry) -> _Note | None:
    match entry:
        case Snapshot():
            inner = entry.extra.get("snapshot")
            named = inner.get("messageId") if isinstance(inner, Mapping) else None
            message = named if isinstance(named, str) else entry.message
            files = [_to_checkpoint_file(path, state) for path, state in entry.files.items()]
            return None if not message else _Note(message, entry.time_ns, files, entry.update)
        case Opaque(kind="file-history-delta", value=dict() as value):
            return _parse_delta(value)
        case _:
            return None


def _to_checkpoint_file(path: str, state: FileState) -> CheckpointFile:
    return CheckpointFile(path, state.backup, state.absent_before, state.time_ns)


def _parse_delta(value: Mapping[str, Json]) -> _Note | None:
    path, backup = _text_or_none(value.get("trackingPath")), value.get("backup")
    message = _text_or_none(value.get("snapshotMessageId")) or _text_or_none(value.get("messageId"))
    if not path or not message or not isinstance(backup, Mapping):
        return None
    name = backup.get("backupFileName", "")
    time = _text_or_none(backup.get("backupTime"))
    kept = CheckpointFile(
        path, _text_or_none(name) or None, name is None, from_iso(time) if time else None
    )
    return _Note(message, kept.time, [kept], adds=True)


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None
