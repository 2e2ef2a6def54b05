"""Two points of a session side by side, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from talktree.model.message import Todo
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.operations import format_path
from talktree.views.todos import build_todos_shape

_STYLES = {"+": "added", "-": "removed", "@": "faint"}
LONGEST = 2000
"""Maximum number of characters shown of a line."""


class PathComparisonLike(Protocol):
    """A path that differs."""

    @property
    def path(self) -> bytes: ...
    @property
    def words(self) -> str: ...
    @property
    def diff(self) -> Sequence[str]: ...


class MessageComparisonLike(Protocol):
    """The difference between two messages."""

    @property
    def files(self) -> Sequence[PathComparisonLike]: ...
    @property
    def todos_before(self) -> Sequence[Todo]: ...
    @property
    def todos_after(self) -> Sequence[Todo]: ...
    @property
    def differs(self) -> bool: ...


def format_comparison_lines(found: MessageComparisonLike) -> Iterator[Line]:
    """Yield a unified diff of each text, a short description of other files, then the tasks."""
    for file in found.files:
        if not file.diff:
            yield line((format_path(file.path), "title"), f"  {file.words}")
        yield from color_diff_lines(file.diff)
    if list(found.todos_before) != list(found.todos_after):
        yield line(("todos", "title"))
        yield from _format_todo_lines(found.todos_before, found.todos_after)
    if not found.differs:
        yield line(("no difference", "faint"))


def color_diff_lines(lines: Iterable[str]) -> Iterator[Line]:
    """Yield a unified diff in colour."""
    for each in lines:
        for part in each.split("\n"):
            named = part.startswith(("--- ", "+++ "))
            yield line((part[:LONGEST], "title" if named else _STYLES.get(part[:1], "")))


def _format_todo_lines(before: Sequence[Todo], after: Sequence[Todo]) -> Iterator[Line]:
    was, now = ({todo.content: todo.status for todo in each} for each in (before, after))
    for content, status in was.items():
        if now.get(content) != status:
            yield line((f"-[{status}] {content}", "removed"))
    for content, status in now.items():
        if was.get(content) != status:
            yield line((f"+[{status}] {content}", "added"))
    if was == now:
        yield line(("in another order", "faint"))


def build_comparison_shape(found: MessageComparisonLike) -> dict[str, Json]:
    """Return the comparison as JSON values."""
    return {
        "files": [
            {"path": format_path(file.path), "change": file.words, "diff": "\n".join(file.diff)}
            for file in found.files
        ],
        "todos": {
            "before": build_todos_shape(found.todos_before),
            "after": build_todos_shape(found.todos_after),
        },
    }
