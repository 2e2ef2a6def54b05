"""The content of a file at a point of a branch, as far as it was recorded.

Snapshots and copies come first, then calls: what they wrote, what they replaced, and what their
results show. Between two of these the content is the same, unless an unrecorded change happened;
what is unknown is reported as unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from talktree.model.parts import ToolCall, ToolResult
from talktree.web.documents.branch_files import (
    LARGEST,
    EditAction,
    FileRemoved,
    FileWork,
    SnapshotFile,
    TextReplacement,
    WholeText,
    find_file_work,
    find_in_snapshots,
    to_relative_path,
)
from talktree.web.documents.open_conversation import OpenConversation
from talktree.web.documents.row_filter import get_survey
from talktree.web.documents.row_list import RowList, build_rows

MOST_ROWS = 2_000
"""Maximum number of rows read for one file."""


class AbsentFile(NamedTuple):
    """The file does not exist."""


class UnknownContent(NamedTuple):
    """The content is unknown."""


State: TypeAlias = bytes | AbsentFile | UnknownContent
ABSENT, UNKNOWN = AbsentFile(), UnknownContent()


class FileEvent(NamedTuple):
    """A change or state of a file at a row."""

    row: int
    before: State = UNKNOWN
    edits: tuple[EditAction, ...] = ()
    after: State = UNKNOWN
    changed: bool = True
    warning: str = ""


class FileStory:
    """The history of one file along a branch."""

    def __init__(self, opened: OpenConversation, rows: RowList, path: str) -> None:
        touches = get_survey(opened, rows).touches
        self.known = path in touches.files
        folder = touches.folder
        numbers = sorted({each.row for each in touches.files.get(path, ())})[-MOST_ROWS:]
        events = list(_find_file_events(opened, rows, path, folder, numbers))
        for seen in find_in_snapshots(opened, path, folder):
            row = rows.find_number(seen.message)
            if row is not None:
                events.append(_to_event(row, seen))
        # A snapshot comes before the calls of the same row.
        self.events = sorted(events, key=lambda each: (each.row, bool(each.edits)))
        self.warning = next((each.warning for each in self.events if each.warning), "")
        self._states = _find_states(self.events)

    def find_state(self, row: int) -> State:
        """Return the state after a row; -1 is before the first one."""
        passed = sum(each.row <= row for each in self.events)
        return self._states[passed]

    def find_replacements(self, since: int, until: int) -> list[TextReplacement]:
        """Return the texts that were replaced in it between two rows."""
        return [
            edit
            for each in self.events
            if since < each.row <= until
            for edit in each.edits
            if isinstance(edit, TextReplacement)
        ]


def _find_states(events: list[FileEvent]) -> list[State]:
    """Return the state before the first event and after each."""
    out: list[State] = [UNKNOWN]
    for event in events:
        before = event.before
        if isinstance(out[-1], UnknownContent):
            # No change was recorded since the last event, so this was already the state then.
            out[-1] = before
        out.append(_apply_event(out[-1] if isinstance(before, UnknownContent) else before, event))
    return out


def _apply_event(now: State, event: FileEvent) -> State:
    if not isinstance(event.after, UnknownContent):
        return event.after
    if not event.changed:
        return now
    if not event.edits:
        return UNKNOWN
    for edit in event.edits:
        now = _apply_edit(now, edit)
    return now


def _apply_edit(now: State, edit: EditAction) -> State:
    match edit:
        case WholeText(text=text):
            return text.encode("utf-8", "surrogatepass")[:LARGEST]
        case FileRemoved():
            return ABSENT
        case TextReplacement(old=old, new=new, everywhere=everywhere) if isinstance(now, bytes):
            was = old.encode("utf-8", "surrogatepass")
            if was and was in now:
                count = -1 if everywhere else 1
                return now.replace(was, new.encode("utf-8", "surrogatepass"), count)
            return UNKNOWN
        case TextReplacement(old="", new=new) if isinstance(now, AbsentFile):
            return new.encode("utf-8", "surrogatepass")
        case _:
            return UNKNOWN


def _find_file_events(
    opened: OpenConversation, rows: RowList, path: str, folder: str | None, numbers: list[int]
) -> Iterator[FileEvent]:
    """Return the events of a file in the calls of some rows."""
    for number in numbers:
        for row in build_rows(opened.conversation, rows, number, number + 1):
            for step in row.steps:
                for place, part in enumerate(step.message.parts):
                    work = find_file_work(part) if isinstance(part, ToolCall) else None
                    if work is not None and to_relative_path(work.path, folder) == path:
                        yield from _find_call_events(number, work, step.answers.get(place))


def _find_call_events(row: int, work: FileWork, answer: ToolResult | None) -> Iterator[FileEvent]:
    if answer is not None and answer.error:
        return
    details = answer.detail if answer is not None and isinstance(answer.detail, Mapping) else {}
    if work.kind == "read":
        content = _extract_read_content(details)
        if content is not None:
            yield FileEvent(row, before=content, changed=False)
        return
    before: State = UNKNOWN
    original = details.get("originalFile", UNKNOWN)
    if isinstance(original, str):
        before = original.encode("utf-8", "surrogatepass")
    elif details.get("type") == "create":
        before = ABSENT
    yield FileEvent(row, before=before, edits=work.edits)


def _extract_read_content(details: Mapping[str, object]) -> bytes | None:
    """Return the content that reading a file returned, if that was all of it."""
    file = details.get("file")
    if not isinstance(file, Mapping):
        return None
    content, lines, total = file.get("content"), file.get("numLines"), file.get("totalLines")
    if isinstance(content, str) and lines == total and file.get("startLine", 1) == 1:
        return content.encode("utf-8", "surrogatepass")
    return None


def _to_event(row: int, seen: SnapshotFile) -> FileEvent:
    before: State = ABSENT if seen.absent else UNKNOWN if seen.before is None else seen.before
    after: State = UNKNOWN if seen.after is None else seen.after
    return FileEvent(row, before, (), after, changed=seen.changed, warning=seen.warning)
