"""The files a branch worked on, and what became of them between two points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from talktree.errors import NotFound, UsageError
from talktree.views.html.rendering import diff_split, diff_unified
from talktree.web.documents.branch_files import Kind, Touch
from talktree.web.documents.file_contents import Absent, FileStory, State, Unknown
from talktree.web.documents.row_filter import survey_of
from talktree.web.documents.row_list import milliseconds
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.inspect import FileDiff, FileItem, Files, FileTouch

if TYPE_CHECKING:
    from talktree.web.documents.cache import Opened
    from talktree.web.studio import Studio

MOST_FILES = 2_000
MOST_TOUCHES = 200
MOST_CHARACTERS = 1_000_000
END = 1 << 62
"""Behind every row."""
GAP = "\n⋯\n"
DiffState = Literal["text", "same", "binary", "missing", "created", "deleted"]


class FilesQuery(Struct, frozen=True, kw_only=True):
    """Of which branch."""

    leaf: str | None = None


class DiffQuery(Struct, frozen=True, kw_only=True):
    """Which file, behind which two messages; none is the beginning, or the end."""

    path: str = ""
    since: str | None = None
    until: str | None = None
    leaf: str | None = None
    mode: Literal["unified", "split"] = "unified"
    space: bool = True
    """False passes over what differs in blanks only."""


def _files(studio: Studio, call: Call) -> Files:
    opened = studio.desk.open(call.path["cid"])
    touches = survey_of(opened, opened.rows(call.query.leaf)).touches
    return Files(
        stamp=opened.stamp,
        files=tuple(_item(*each) for each in list(touches.files.items())[:MOST_FILES]),
        total=len(touches.files),
    )


def _item(path: str, touches: list[Touch]) -> FileItem:
    changes = [each for each in touches if each.kind != "read"]
    return FileItem(
        path=path,
        kind=_kind(changes),
        touches=tuple(
            FileTouch(
                message=each.message,
                number=each.row,
                kind=each.kind,
                time=milliseconds(each.time),
                added=each.added,
                removed=each.removed,
            )
            for each in touches[-MOST_TOUCHES:]
        ),
        known=any(each.told for each in changes) or any(each.kind == "unknown" for each in changes),
    )


def _kind(changes: list[Touch]) -> Kind:
    """What became of a file in all."""
    if not changes:
        return "read"
    if changes[-1].kind == "deleted":
        return "deleted"
    if changes[0].kind == "created":
        return "created"
    return "unknown" if all(each.kind == "unknown" for each in changes) else "modified"


# what became of one


class _Point(NamedTuple):
    """A point of a branch, as far as one file is concerned."""

    row: int
    state: State
    story: FileStory


def _diff(studio: Studio, call: Call) -> FileDiff:
    query: DiffQuery = call.query
    if not query.path:
        raise UsageError("no file is named", hint="the list of files has their paths")
    opened = studio.desk.open(call.path["cid"])
    old = _point(opened, query, query.since, -1)
    new = _point(opened, query, query.until, END)
    if not any(each.story.known or each.story.events for each in (old, new)):
        raise NotFound("no such file was worked on here", hint="the list of files has their paths")
    if isinstance(old.state, Unknown) or isinstance(new.state, Unknown):
        return _partly(query, old, new)
    return _wholly(query, old.state, new.state, new.story.warning or old.story.warning)


def _point(opened: Opened, query: DiffQuery, id: str | None, otherwise: int) -> _Point:
    """Behind which row a message stands, on the named branch or else on its own."""
    rows, row = opened.rows(query.leaf), otherwise
    if id is not None:
        position = opened.conversation.position(id)
        found = rows.number_at(position)
        if found is None:
            rows = opened.rows(id)
            found = rows.number_at(position)
        row = -1 if found is None else found
    story = opened.memory.get(
        ("story", rows.leaf, query.path), lambda: FileStory(opened, rows, query.path)
    )
    assert isinstance(story, FileStory)
    return _Point(row, story.at(row), story)


def _wholly(query: DiffQuery, old: State, new: State, note: str) -> FileDiff:
    """What differs where both contents are known."""
    before, after = _text(old), _text(new)
    if isinstance(old, Absent) and isinstance(new, Absent):
        return _shape(query, "missing", note or "there is no such file at either point")
    if old == new:
        return _shape(query, "same", note)
    if before is None or after is None:
        return _shape(query, "binary", note)
    if max(len(before), len(after)) > MOST_CHARACTERS:
        return _shape(query, "text", "it is too large to be compared here")
    if isinstance(old, Absent) or isinstance(new, Absent):
        state: DiffState = "created" if isinstance(old, Absent) else "deleted"
        return _compared(query, state, before, after, note)
    return _compared(query, "text", before, after, note)


def _compared(query: DiffQuery, state: DiffState, old: str, new: str, note: str) -> FileDiff:
    made = (diff_split if query.mode == "split" else diff_unified)(old, new, space=query.space)
    return FileDiff(
        path=query.path,
        since=query.since,
        until=query.until,
        state=state,
        html=made.html,
        added=made.added,
        removed=made.removed,
        hunks=made.hunks,
        note=note,
    )


def _partly(query: DiffQuery, old: _Point, new: _Point) -> FileDiff:
    """What the calls between two points replaced, where the whole content is not known."""
    warning = new.story.warning or old.story.warning
    swaps = new.story.swaps(old.row, new.row)
    if swaps:
        before = GAP.join(each.old for each in swaps)[:MOST_CHARACTERS]
        after = GAP.join(each.new for each in swaps)[:MOST_CHARACTERS]
        told = "only the parts that were replaced are known, not the whole file"
        return _compared(query, "text", before, after, f"{told}; {warning}" if warning else told)
    text = None if isinstance(new.state, Unknown) else _text(new.state)
    if text:
        told = "what was in it before is not known; this is what was in it then"
        return _compared(query, "text", text[:MOST_CHARACTERS], text[:MOST_CHARACTERS], told)
    return _shape(query, "missing", warning or "what was in it is not known")


def _text(state: State) -> str | None:
    """A content as text; None if it is none."""
    if not isinstance(state, bytes):
        return ""
    if b"\0" in state[:8192]:
        return None
    try:
        return state.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def _shape(query: DiffQuery, state: DiffState, note: str = "") -> FileDiff:
    return FileDiff(
        path=query.path,
        since=query.since,
        until=query.until,
        state=state,
        html="",
        added=0,
        removed=0,
        hunks=0,
        note=note,
    )


ROUTES = (
    Route(
        "GET", "/c/{cid}/files", _files, "The files that a branch worked on.",
        query=FilesQuery, gives=Files,
    ),
    Route(
        "GET", "/c/{cid}/files/diff", _diff, "What became of a file between two messages.",
        query=DiffQuery, gives=FileDiff,
    ),
)  # fmt: skip
