"""The files a branch worked on, when, and how much: from its calls and from snapshots.

Reads what a tool call does to a file, as far as the call contains it, and contents that were kept
with a conversation: backups and Claude Code's copies.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from talktree.errors import TalktreeError
from talktree.files import Source
from talktree.formats.engine import DocumentOrigin
from talktree.model.conversation import Conversation
from talktree.model.derived import normalize_tool_name
from talktree.model.entries import FileState, Snapshot
from talktree.model.message import Message
from talktree.model.parts import ToolCall
from talktree.session.claude.file_history import ClaudeHistory, load_history
from talktree.views.transcript import FoldedMessage
from talktree.web.documents.open_conversation import OpenConversation
from talktree.web.documents.row_list import RowList, ShownRow

WRITES = frozenset({"write", "create", "writefile", "createfile"})
EDITS = frozenset({"edit", "multiedit", "strreplace", "strreplaceeditor"})
CELLS = frozenset({"notebookedit"})
READS = frozenset({"read", "readfile", "notebookread", "view"})
DELETES = frozenset({"delete", "deletefile", "remove", "removefile"})
_PATHS = ("file_path", "path", "notebook_path", "filename", "file")
_OLD = ("old_string", "old_str")
_NEW = ("new_string", "new_str", "new_source")
_WHOLE = ("content", "file_text", "contents")


class WholeText(NamedTuple):
    """The call wrote this whole content."""

    text: str


class TextReplacement(NamedTuple):
    """The call replaced a text with another one."""

    old: str
    new: str
    everywhere: bool


class FileRemoved(NamedTuple):
    """The call removed the file."""


class UnclearChange(NamedTuple):
    """The call changed the file, but does not contain the whole change."""


EditAction: TypeAlias = WholeText | TextReplacement | FileRemoved | UnclearChange


class FileWork(NamedTuple):
    """What one call does to one file."""

    path: str
    kind: Literal["write", "edit", "delete", "read"]
    edits: tuple[EditAction, ...] = ()


def find_file_work(call: ToolCall) -> FileWork | None:
    """Return what a call does to a file; None if it does not name a file."""
    given = call.input if isinstance(call.input, Mapping) else {}
    path = _find_first_text(given, _PATHS)
    if path is None:
        return None
    key = normalize_tool_name(call.name)
    if key in READS or given.get("command") == "view":
        return FileWork(path, "read")
    if key in DELETES:
        return FileWork(path, "delete", (FileRemoved(),))
    if key in CELLS:
        return FileWork(path, "edit", (UnclearChange(),))
    whole = _find_first_text(given, _WHOLE)
    if key in WRITES or (key in EDITS and given.get("command") == "create"):
        return FileWork(path, "write", (UnclearChange() if whole is None else WholeText(whole),))
    if key in EDITS:
        return FileWork(path, "edit", tuple(_find_edits(given, whole)) or (UnclearChange(),))
    return None


def _find_edits(given: Mapping[str, object], whole: str | None) -> Iterator[EditAction]:
    """Return the replaced texts; some programs send the whole new content for an edit."""
    if whole is not None and "edits" not in given and _find_first_text(given, _OLD) is None:
        yield WholeText(whole)
    else:
        yield from _find_swaps(given)


def _find_swaps(given: Mapping[str, object]) -> Iterator[EditAction]:
    edits = given.get("edits")
    for each in edits if isinstance(edits, list) else [given]:
        old = _find_first_text(each, _OLD) if isinstance(each, Mapping) else None
        new = _find_first_text(each, _NEW) if isinstance(each, Mapping) else None
        if old is None or new is None:
            yield UnclearChange()
        else:
            yield TextReplacement(old, new, bool(each.get("replace_all")))


def find_file_works(step: FoldedMessage) -> Iterator[tuple[int, FileWork]]:
    """Return what the calls of a message did to files; failed calls did nothing."""
    for number, part in enumerate(step.message.parts):
        if not isinstance(part, ToolCall):
            continue
        work = find_file_work(part)
        answer = step.answers.get(number)
        if work is not None and not (answer is not None and answer.error):
            yield number, work


def find_changed_paths(step: FoldedMessage) -> set[str]:
    """Return the files that a message changed through its calls."""
    return {work.path for _, work in find_file_works(step) if work.kind != "read"}


def _find_first_text(given: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    return next((found for name in names if isinstance(found := given.get(name), str)), None)


Kind: TypeAlias = Literal["created", "modified", "deleted", "read", "unknown"]
MOST_TOUCHES = 100_000
MOST_LINES = 2_000
"""Texts with more lines are not compared line by line."""
STATES: dict[str, Kind] = {
    "created": "created",
    "modified": "modified",
    "deleted": "deleted",
    "added": "created",
    "changed": "modified",
    "removed": "deleted",
}


class Touch(NamedTuple):
    """One change or one read of a file."""

    row: int
    message: str
    kind: Kind
    time: int | None
    added: int | None = None
    removed: int | None = None
    details: bool = False
    """Whether the call contains the new content."""


class Touches:
    """The touches of a branch, collected row by row."""

    def __init__(self) -> None:
        self.files: dict[str, list[Touch]] = {}
        self.folder: str | None = None
        """The session's working folder; paths below it are shown relative to it."""
        self.count = 0

    def add_row(self, shown: ShownRow) -> None:
        """Add the next row."""
        for step in shown.steps:
            self._note_folder(step.message)
            for number, work in find_file_works(step):
                self._add(
                    work.path, _build_touch(shown.number, step, number, work, self._is_known(work))
                )

    def _note_folder(self, message: Message) -> None:
        if self.folder is None and message.context is not None and message.context.cwd:
            self.folder = message.context.cwd

    def _is_known(self, work: FileWork) -> bool:
        return to_relative_path(work.path, self.folder) in self.files

    def _add(self, path: str, touch: Touch) -> None:
        if self.count < MOST_TOUCHES:
            self.count += 1
            self.files.setdefault(to_relative_path(path, self.folder), []).append(touch)

    def add_snapshots(self, conversation: Conversation, rows: RowList) -> None:
        """Add changes from snapshots that no call reports."""
        seen: dict[str, FileState] = {}
        for snapshot in find_snapshots(conversation):
            row = None if snapshot.message is None else rows.find_number(snapshot.message)
            for name, state in snapshot.files.items():
                path = to_relative_path(name, self.folder)
                before, seen[path] = seen.get(path), state
                if row is not None and _is_changed(before, state):
                    self._merge(path, _to_touch(row, snapshot, state))
        for touches in self.files.values():
            touches.sort(key=lambda each: each.row)

    def _merge(self, path: str, noted: Touch) -> None:
        """Merge a snapshot into a call: a snapshot is certain, a call only expected."""
        mine = self.files.get(path, [])
        for number, each in enumerate(mine):
            if each.row == noted.row and each.kind != "read":
                if noted.kind != "unknown":
                    mine[number] = each._replace(kind=noted.kind)
                return
        self._add(path, noted)


def find_snapshots(conversation: Conversation) -> Iterable[Snapshot]:
    """Return all snapshots of a conversation, in source order."""
    others = [place for place, trait in enumerate(conversation.skeleton.traits) if not trait]
    return (each for each in conversation.entries_at(others) if isinstance(each, Snapshot))


def _is_changed(before: FileState | None, now: FileState) -> bool:
    if now.state is not None:
        return now.state != "unchanged"
    return before is None or (before.version, before.backup) != (now.version, now.backup)


def _to_touch(row: int, snapshot: Snapshot, state: FileState) -> Touch:
    kind = STATES.get(state.state or "", "unknown")
    return Touch(row, snapshot.message or "", kind, state.time_ns or snapshot.time_ns)


def _build_touch(row: int, step: FoldedMessage, number: int, work: FileWork, known: bool) -> Touch:  # noqa: FBT001
    message = step.message
    if work.kind == "read":
        return Touch(row, message.id, "read", message.time_ns)
    added, removed = _count_changed_lines(work)
    kind: Kind = "deleted" if work.kind == "delete" else "modified"
    answer = step.answers.get(number)
    detail = answer.detail if answer is not None else None
    made = isinstance(detail, dict) and detail.get("type") == "create"
    if work.kind == "write" and (made or (not known and not isinstance(detail, dict))):
        kind, removed = "created", 0
    details = all(isinstance(each, WholeText | TextReplacement) for each in work.edits)
    return Touch(row, message.id, kind, message.time_ns, added, removed, details)


def _count_changed_lines(work: FileWork) -> tuple[int | None, int | None]:
    """Return how many lines were added and removed, as far as the call contains them."""
    added = removed = 0
    for edit in work.edits:
        match edit:
            case WholeText(text=text):
                return count_lines(text), None
            case TextReplacement():
                plus, minus = count_line_changes(edit.old, edit.new)
                added, removed = added + plus, removed + minus
            case _:
                return None, None
    return added, removed


def count_line_changes(old: str, new: str) -> tuple[int, int]:
    """Return how many lines were added and removed between two texts."""
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > MOST_LINES:
        return len(after), len(before)
    same = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    kept = sum(block.size for block in same)
    return len(after) - kept, len(before) - kept


def count_lines(text: str) -> int:
    """Return how many lines a text has."""
    return len(text.splitlines())


def to_relative_path(path: str, folder: str | None) -> str:
    """Return a path for display: relative to the session's folder if it is below it."""
    plain = path.removeprefix("./")
    if folder and folder.startswith("/") and plain.startswith("/"):
        start = posixpath.normpath(folder).rstrip("/") + "/"
        whole = posixpath.normpath(plain)
        return whole.removeprefix(start) if whole.startswith(start) else whole
    return plain


LARGEST = 4 << 20
"""Maximum size of a content that is compared, in bytes."""
ENDING = ".backup"


class SnapshotFile(NamedTuple):
    """What a snapshot says about a file at a message."""

    message: str
    before: bytes | None
    """The content before the message; None if unknown."""
    absent: bool
    """Whether the file did not exist before."""
    after: bytes | None
    changed: bool
    """Whether the message changed it; otherwise this is only its state."""
    warning: str = ""


def find_in_snapshots(
    opened: OpenConversation, path: str, folder: str | None
) -> Iterator[SnapshotFile]:
    """Return what snapshots and copies say about a file, in source order."""
    origin = opened.document.origin
    assert isinstance(origin, DocumentOrigin)
    if opened.kept.format == "claude-code":
        yield from _find_copies(opened, path, folder)
        return
    for snapshot in find_snapshots(opened.original_conversation):
        for name, state in snapshot.files.items():
            if to_relative_path(name, folder) == path and snapshot.message:
                yield _to_snapshot_file(origin.source, snapshot, state)


def _to_snapshot_file(source: Source, snapshot: Snapshot, state: FileState) -> SnapshotFile:
    before, warning = _read_before(source, state)
    absent = state.absent_before or (state.state == "created" and before is None)
    after = None
    if state.hash is not None:
        after = _read_verified(source, f"backups/{state.hash}{ENDING}", state.hash)
    if state.state == "deleted":
        after = None
    return SnapshotFile(
        message=snapshot.message or "",
        before=before,
        absent=absent,
        after=after,
        changed=state.state not in (None, "unchanged"),
        warning=warning,
    )


def _read_before(source: Source, state: FileState) -> tuple[bytes | None, str]:
    if state.content_before is not None:
        return state.content_before.encode("utf-8", "surrogatepass"), ""
    if state.backup is None:
        return None, ""
    data = _read_source_file(source, state.backup)
    if data is None:
        return None, "a backup is missing"
    if state.hash_before and sha256(data).hexdigest() != state.hash_before:
        return data, "a backup has another hash than was noted"
    return data, ""


def _read_source_file(source: Source, name: str) -> bytes | None:
    """Read a file of the source itself; names never lead outside the source."""
    content = source.files.get(name)
    return None if content is None or content.size > LARGEST else content.read()


def _read_verified(source: Source, name: str, hash: str) -> bytes | None:
    data = _read_source_file(source, name)
    return data if data is not None and sha256(data).hexdigest() == hash else None


def _find_copies(opened: OpenConversation, path: str, folder: str | None) -> Iterator[SnapshotFile]:
    """Return Claude Code's own copies: the content of a file when a prompt was sent."""
    try:
        history = load_history(opened.document, Path(os.fsdecode(opened.kept.raw_path)))
    except TalktreeError:
        return
    try:
        for point in history.points:
            for name, kept in point.files.items():
                if to_relative_path(name, folder) == path:
                    data = None if kept.copy is None else _read_copy(history, kept.copy)
                    lost = "a copy is missing" if kept.copy and data is None else ""
                    yield SnapshotFile(
                        point.message, data, kept.absent, None, changed=False, warning=lost
                    )
    finally:
        history.close()


def _read_copy(history: ClaudeHistory, name: str) -> bytes | None:
    from talktree.session.capture.file_state import FileContentState

    state = history.read_copy_state(name)
    if not isinstance(state, FileContentState) or state.size > LARGEST:
        return None
    try:
        with history.open_copy(name) as stream:
            return stream.read(LARGEST)
    except (OSError, TalktreeError):
        return None
