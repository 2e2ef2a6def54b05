"""The surroundings of a session on disk: its age, its copies of files, its neighbours."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from weakref import WeakKeyDictionary

from talktree.files import Content, Source
from talktree.files.content import OnDisk
from talktree.formats.claude_code.places import detect_kind
from talktree.formats.claude_code.rule_support import is_uuid
from talktree.formats.rule_context import CheckedConversation
from talktree.model.message import Message
from talktree.text.json.decode import decode

DAYS_KEPT = 30
"""Number of days without changes after which Claude Code deletes a session, by default."""
FIRST_LINES = 20
LARGEST_INDEX = 16 << 20
DAY = 86_400
_COPY = re.compile(r"(?:.*/)?file-history/(?P<session>[^/]+)/(?P<name>[^/]+)")


def is_session_file(path: str) -> bool:
    """Whether a file is a session, named as Claude Code names them."""
    name = path.rpartition("/")[2].removesuffix(".jsonl")
    return detect_kind(path) == "session" and is_uuid(name) is not None


def group_sessions_by_folder(paths: Iterable[str]) -> dict[str, set[str]]:
    """Return the existing sessions, by their folder."""
    found: dict[str, set[str]] = {}
    for path in paths:
        if is_session_file(path):
            folder, _, name = path.rpartition("/")
            found.setdefault(folder, set()).add(name.removesuffix(".jsonl"))
    return found


def find_first_directory(talk: CheckedConversation) -> str | None:
    """Return the folder in which a session was started, from its first lines, or None."""
    for position in range(min(FIRST_LINES, talk.conversation.record_count)):
        entry = talk.read_record(position).entry
        if isinstance(entry, Message) and entry.context is not None and entry.context.cwd:
            return entry.context.cwd
    return None


def read_session_index(content: Content) -> set[str] | None:
    """Return the sessions that an index of sessions names; None if it cannot be read."""
    if content.size > LARGEST_INDEX:
        return None
    value, _, usable = decode(content.read())
    entries = value.get("entries") if usable and isinstance(value, dict) else None
    if not isinstance(entries, list):
        return None
    named = [each.get("sessionId") for each in entries if isinstance(each, dict)]
    return {each for each in named if isinstance(each, str)}


# Claude Code's own folder


def count_days_old(content: Content) -> int | None:
    """Return the days since a file in Claude Code's own folder was last written, or None."""
    if _find_claude_folder(content) is None:
        return None
    assert isinstance(content, OnDisk)
    try:
        written = os.stat(content.path).st_mtime
    except OSError:
        return None
    return max(0, int((time.time() - written) // DAY))


def find_backups(talk: CheckedConversation) -> Collection[str] | None:
    """Return the names of a session's copies of files; None if no folder is available."""
    session = talk.id.rpartition("/")[2]
    held = _find_copies(talk.origin.source).get(session)
    if held:
        return held
    home = _find_claude_folder(talk.origin.by_path[talk.conversation.main_file].content)
    folder = None if home is None or not is_uuid(session) else home / "file-history" / session
    try:
        return None if folder is None else set(os.listdir(folder))
    except OSError:
        return None


_held: WeakKeyDictionary[Source, dict[str, set[str]]] = WeakKeyDictionary()


def _find_copies(source: Source) -> dict[str, set[str]]:
    """Return the copies of files that are part of a source, by session."""
    if source not in _held:
        found: dict[str, set[str]] = {}
        for path in source.files:
            copied = _COPY.fullmatch(path)
            if copied:
                found.setdefault(copied["session"], set()).add(copied["name"])
        _held[source] = found
    return _held[source]


def _find_claude_folder(content: Content) -> Path | None:
    """Return the folder `.claude` whose `projects` holds a session, or None."""
    if not isinstance(content, OnDisk):
        return None
    path = Path(os.path.abspath(content.path))
    for folder in path.parents:
        if folder.name == "projects" and folder.parent.name == ".claude":
            return folder.parent
    return None
