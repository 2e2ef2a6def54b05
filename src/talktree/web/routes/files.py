"""The files a branch worked on, and how they changed between two points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from talktree.errors import NotFound, UsageError
from talktree.views.html.rendering import diff_split, diff_unified
from talktree.web.documents.branch_files import Kind, Touch
from talktree.web.documents.file_contents import AbsentFile, FileStory, State, UnknownContent
from talktree.web.documents.row_filter import get_survey
from talktree.web.documents.row_list import to_milliseconds
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.inspect import FileDiff, FileItem, Files, FileTouch

if TYPE_CHECKING:
    from talktree.web.documents.cache import OpenConversation
    from talktree.web.studio import StudioContext

MOST_FILES = 2_000
MOST_TOUCHES = 200
MOST_CHARACTERS = 1_000_000
END = 1 << 62
"""After every row."""
GAP = "\n⋯\n"
DiffState = Literal["text", "same", "binary", "missing", "created", "deleted"]


class FilesQuery(Struct, frozen=True, kw_only=True):
    """Which branch."""

    leaf: str | None = None


class DiffQuery(Struct, frozen=True, kw_only=True):
    """Which file, after which two messages; an empty one means the beginning or the end."""

    path: str = ""
    since: str | None = None
    until: str | None = None
    leaf: str | None = None
    mode: Literal["unified", "split"] = "unified"
    space: bool = True
    """False ignores differences in whitespace."""


def _files(studio: StudioContext, call: RouteCall) -> Files:
    opened = studio.cache.open(call.path["cid"])
    touches = get_survey(opened, opened.get_rows(call.query.leaf)).touches
    return Files(
        stamp=opened.stamp,
        files=tuple(_build_item(*each) for each in list(touches.files.items())[:MOST_FILES]),
        total=len(touches.files),
    )


def _build_item(path: str, touches: list[Touch]) -> FileItem:
    changes = [each for each in touches if each.kind != "read"]
    return FileItem(
        path=path,
        kind=_find_kind(changes),
        touches=tuple(
            FileTouch(
                message=each.message,
                number=each.row,
                kind=each.kind,
                time=to_milliseconds(each.time),
                added=each.added,
                removed=each.removed,
            )
            for each in touches[-MOST_TOUCHES:]
        ),
        known=any(each.details for each in changes)
        or any(each.kind == "unknown" for each in changes),
    )


def _find_kind(changes: list[Touch]) -> Kind:
    """Return what happened to a file overall."""
    if not changes:
        return "read"
    if changes[-1].kind == "deleted":
        return "deleted"
    if changes[0].kind == "created":
        return "created"
    return "unknown" if all(each.kind == "unknown" for each in changes) else "modified"


# one file


class _Point(NamedTuple):
    """A point of a branch, for one file."""

    row: int
    state: State
    story: FileStory


def _diff(studio: StudioContext, call: RouteCall) -> FileDiff:
    query: DiffQuery = call.query
    if not query.path:
        raise UsageError("no file is named", hint="the list of files has their paths")
    opened = studio.cache.open(call.path["cid"])
    old = _find_point(opened, query, query.since, -1)
    new = _find_point(opened, query, query.until, END)
    if not any(each.story.known or each.story.events for each in (old, new)):
        raise NotFound("no such file was worked on here", hint="the list of files has their paths")
    if isinstance(old.state, UnknownContent) or isinstance(new.state, UnknownContent):
        return _diff_replacements(query, old, new)
    return _diff_whole(query, old.state, new.state, new.story.warning or old.story.warning)


def _find_point(
    opened: OpenConversation, query: DiffQuery, id: str | None, otherwise: int
) -> _Point:
    """Return the row after which a message is, on the named branch or else on its own."""
    rows, row = opened.get_rows(query.leaf), otherwise
    if id is not None:
        position = opened.conversation.find_position(id)
        found = rows.number_at(position)
        if found is None:
            rows = opened.get_rows(id)
            found = rows.number_at(position)
        row = -1 if found is None else found
    story = opened.memory.get(
        ("story", rows.leaf, query.path), lambda: FileStory(opened, rows, query.path)
    )
    assert isinstance(story, FileStory)
    return _Point(row, story.find_state(row), story)


def _diff_whole(query: DiffQuery, old: State, new: State, note: str) -> FileDiff:
    """Return the difference where both contents are known."""
    before, after = _decode_text(old), _decode_text(new)
    if isinstance(old, AbsentFile) and isinstance(new, AbsentFile):
        return _build_empty_diff(query, "missing", note or "there is no such file at either point")
    if old == new:
        return _build_empty_diff(query, "same", note)
    if before is None or after is None:
        return _build_empty_diff(query, "binary", note)
    if max(len(before), len(after)) > MOST_CHARACTERS:
        return _build_empty_diff(query, "text", "it is too large to be compared here")
    if isinstance(old, AbsentFile) or isinstance(new, AbsentFile):
        state: DiffState = "created" if isinstance(old, AbsentFile) else "deleted"
        return _diff_texts(query, state, before, after, note)
    return _diff_texts(query, "text", before, after, note)


def _diff_texts(query: DiffQuery, state: DiffState, old: str, new: str, note: str) -> FileDiff:
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


def _diff_replacements(query: DiffQuery, old: _Point, new: _Point) -> FileDiff:
    """Return what calls between two points replaced, where the whole content is not known."""
    warning = new.story.warning or old.story.warning
    swaps = new.story.find_replacements(old.row, new.row)
    if swaps:
        before = GAP.join(each.old for each in swaps)[:MOST_CHARACTERS]
        after = GAP.join(each.new for each in swaps)[:MOST_CHARACTERS]
        details = "only the parts that were replaced are known, not the whole file"
        return _diff_texts(
            query, "text", before, after, f"{details}; {warning}" if warning else details
        )
    text = None if isinstance(new.state, UnknownContent) else _decode_text(new.state)
    if text:
        details = "what was in it before is not known; this is what was in it then"
        return _diff_texts(query, "text", text[:MOST_CHARACTERS], text[:MOST_CHARACTERS], details)
    return _build_empty_diff(query, "missing", warning or "what was in it is not known")


def _decode_text(state: State) -> str | None:
    """Return a content as text; None if it is not text."""
    if not isinstance(state, bytes):
        return ""
    if b"\0" in state[:8192]:
        return None
    try:
        return state.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def _build_empty_diff(query: DiffQuery, state: DiffState, note: str = "") -> FileDiff:
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
