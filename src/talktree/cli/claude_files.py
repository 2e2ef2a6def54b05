"""Claude Code's own file history on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from talktree import api
from talktree.cli import output
from talktree.formats.claude_code.checkpoints import Checkpoint
from talktree.session.capture.file_state import Absent, File, Unknown
from talktree.session.claude.file_history import ClaudeHistory, Was, history_of
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.measure import counted, one_line
from talktree.views.shapes import document_text
from talktree.views.when import moment, stamp

WIDTH = 60


@contextmanager
def opened_history(file: str, folder: str | None) -> Iterator[ClaudeHistory]:
    """The file history of a session of Claude Code."""
    document = api.read(file, format="claude-code")
    history = history_of(document, Path(file), None if folder is None else Path(folder))
    try:
        yield history
    finally:
        history.close()


def claude_log(
    file: str, folder: str | None, number: int | None, *, as_json: bool, color: str
) -> None:
    """Print every checkpoint and what it allows to restore, newest first."""
    with opened_history(file, folder) as history:
        points = islice(reversed(history.points), number)
        if as_json:
            shapes: list[Json] = [_shape(history, point) for point in points]
            where = None if history.folder is None else str(history.folder)
            found: dict[str, Json] = {"history": where, "operations": shapes}
            output.print_text([document_text(found)])
            return
        lines = (each for point in points for each in _lines(history, point))
        output.print_lines(_or_nothing(lines), color=output.use_color(color))


def _or_nothing(lines: Iterator[Line]) -> Iterator[Line]:
    first = next(lines, None)
    if first is None:
        yield line(("no checkpoints: Claude Code has not noted any file", "faint"))
        return
    yield first
    yield from lines


def _lines(history: ClaudeHistory, point: Checkpoint) -> Iterator[Line]:
    files = history.files(point)
    lost = [was for was in files if isinstance(was.state, Unknown)]
    there = sum(isinstance(was.state, File) for was in files)
    absent = sum(isinstance(was.state, Absent) for was in files)
    told = [counted(there, "file")]
    told += [f"{absent:,} not there yet"] if absent else []
    told += [f"{len(lost):,} cannot be restored"] if lost else []
    yield line(
        (f"{moment(point.time) or '?':19}", "faint"),
        (f"  {point.message[:8]}", "mark"),
        f"  {', '.join(told)}",
        (f"  {one_line(_prompt(history, point), WIDTH)}", "user"),
    )
    for was in lost:
        assert isinstance(was.state, Unknown)
        yield line(("    cannot  ", "error"), f"{was.name}  {was.state.why}")


def _prompt(history: ClaudeHistory, point: Checkpoint) -> str:
    place = history.conversation.skeleton.by_id.get(point.message)
    entry = None if place is None else history.conversation.entry(place)
    return str(getattr(entry, "text", ""))


def _shape(history: ClaudeHistory, point: Checkpoint) -> dict[str, Json]:
    return {
        "kind": "checkpoint",
        "id": point.message,
        "time": stamp(point.time) or None,
        "message": point.message,
        "text": _prompt(history, point),
        "paths": [_file(was) for was in history.files(point)],
    }


def _file(was: Was) -> dict[str, Json]:
    state = was.state
    kind = (
        "file" if isinstance(state, File) else "absent" if isinstance(state, Absent) else "cannot"
    )
    shape: dict[str, Json] = {"path": was.name, "state": kind}
    match state:
        case File():
            shape |= {"size": state.size, "hash": state.hash}
        case Unknown():
            shape["why"] = state.why
    return shape
