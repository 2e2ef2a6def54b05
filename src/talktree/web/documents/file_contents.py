"""What was in a file at a point of a branch, as far as anybody noted it.

Snapshots and copies are believed first, then what calls tell: what they wrote, what they replaced,
and what their results say was there. Between two of these the content is the same, unless something
nobody noted changed it; what is not known is said to be so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from talktree.model.parts import ToolCall, ToolResult
from talktree.web.documents.branch_files import (
    LARGEST,
    Deed,
    FileWork,
    Gone,
    Seen,
    Swap,
    Whole,
    file_work,
    inside,
    seen_in_snapshots,
)
from talktree.web.documents.open_conversation import Opened
from talktree.web.documents.row_filter import survey_of
from talktree.web.documents.row_list import RowList, shown

MOST_ROWS = 2_000
"""Rows that are read for one file."""


class Absent(NamedTuple):
    """There is no such file."""


class Unknown(NamedTuple):
    """Nobody knows."""


State: TypeAlias = bytes | Absent | Unknown
ABSENT, UNKNOWN = Absent(), Unknown()


class Event(NamedTuple):
    """Something that tells of a file, at a row."""

    row: int
    before: State = UNKNOWN
    deeds: tuple[Deed, ...] = ()
    after: State = UNKNOWN
    changed: bool = True
    warning: str = ""


class FileStory:
    """What became of one file along a branch."""

    def __init__(self, opened: Opened, rows: RowList, path: str) -> None:
        touches = survey_of(opened, rows).touches
        self.known = path in touches.files
        folder = touches.folder
        numbers = sorted({each.row for each in touches.files.get(path, ())})[-MOST_ROWS:]
        events = list(_told(opened, rows, path, folder, numbers))
        for seen in seen_in_snapshots(opened, path, folder):
            row = rows.number_of(seen.message)
            if row is not None:
                events.append(_event(row, seen))
        # A snapshot stands before what the calls of the same row tell.
        self.events = sorted(events, key=lambda each: (each.row, bool(each.deeds)))
        self.warning = next((each.warning for each in self.events if each.warning), "")
        self._states = _states(self.events)

    def at(self, row: int) -> State:
        """What was in it behind a row; -1 is before the first one."""
        passed = sum(each.row <= row for each in self.events)
        return self._states[passed]

    def swaps(self, since: int, until: int) -> list[Swap]:
        """The texts that were replaced in it between two rows."""
        return [
            deed
            for each in self.events
            if since < each.row <= until
            for deed in each.deeds
            if isinstance(deed, Swap)
        ]


def _states(events: list[Event]) -> list[State]:
    """What was in it before the first event and behind each."""
    out: list[State] = [UNKNOWN]
    for event in events:
        before = event.before
        if isinstance(out[-1], Unknown):
            # Nothing told of a change since the last event, so it was so then already.
            out[-1] = before
        out.append(_after(out[-1] if isinstance(before, Unknown) else before, event))
    return out


def _after(now: State, event: Event) -> State:
    if not isinstance(event.after, Unknown):
        return event.after
    if not event.changed:
        return now
    if not event.deeds:
        return UNKNOWN
    for deed in event.deeds:
        now = _done(now, deed)
    return now


def _done(now: State, deed: Deed) -> State:
    match deed:
        case Whole(text=text):
            return text.encode("utf-8", "surrogatepass")[:LARGEST]
        case Gone():
            return ABSENT
        case Swap(old=old, new=new, everywhere=everywhere) if isinstance(now, bytes):
            was = old.encode("utf-8", "surrogatepass")
            if was and was in now:
                count = -1 if everywhere else 1
                return now.replace(was, new.encode("utf-8", "surrogatepass"), count)
            return UNKNOWN
        case Swap(old="", new=new) if isinstance(now, Absent):
            return new.encode("utf-8", "surrogatepass")
        case _:
            return UNKNOWN


def _told(
    opened: Opened, rows: RowList, path: str, folder: str | None, numbers: list[int]
) -> Iterator[Event]:
    """What the calls of some rows tell of a file."""
    for number in numbers:
        for row in shown(opened.conversation, rows, number, number + 1):
            for step in row.steps:
                for place, part in enumerate(step.message.parts):
                    work = file_work(part) if isinstance(part, ToolCall) else None
                    if work is not None and inside(work.path, folder) == path:
                        yield from _of_call(number, work, step.answers.get(place))


def _of_call(row: int, work: FileWork, answer: ToolResult | None) -> Iterator[Event]:
    if answer is not None and answer.error:
        return
    told = answer.detail if answer is not None and isinstance(answer.detail, Mapping) else {}
    if work.kind == "read":
        content = _read(told)
        if content is not None:
            yield Event(row, before=content, changed=False)
        return
    before: State = UNKNOWN
    original = told.get("originalFile", UNKNOWN)
    if isinstance(original, str):
        before = original.encode("utf-8", "surrogatepass")
    elif told.get("type") == "create":
        before = ABSENT
    yield Event(row, before=before, deeds=work.deeds)


def _read(told: Mapping[str, object]) -> bytes | None:
    """What reading a file gave, if that was all of it."""
    file = told.get("file")
    if not isinstance(file, Mapping):
        return None
    content, lines, total = file.get("content"), file.get("numLines"), file.get("totalLines")
    if isinstance(content, str) and lines == total and file.get("startLine", 1) == 1:
        return content.encode("utf-8", "surrogatepass")
    return None


def _event(row: int, seen: Seen) -> Event:
    before: State = ABSENT if seen.absent else UNKNOWN if seen.before is None else seen.before
    after: State = UNKNOWN if seen.after is None else seen.after
    return Event(row, before, (), after, changed=seen.changed, warning=seen.warning)
