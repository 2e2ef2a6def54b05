"""Tasks as a checklist, and their progress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from talktree.model.derived import DONE
from talktree.model.message import Todo
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.width import format_moment, format_stamp, to_one_line

MOST = 100
RUNNING = frozenset({"in_progress", "active", "doing"})


def format_checklist(todos: Sequence[Todo]) -> list[Line]:
    """Yield one line for each task: done, in progress, or open."""
    shown = [_format_task(todo) for todo in todos[:MOST]]
    if len(todos) > MOST:
        shown.append(line((f"… {len(todos) - MOST:,} more tasks", "faint")))
    return shown or [line(("no tasks", "faint"))]


def _format_task(todo: Todo) -> Line:
    text = to_one_line(todo.content, 200)
    if todo.status in DONE:
        return line(("[x] ", "added"), (text, "faint"))
    if todo.status in RUNNING:
        return line(("[>] ", "mark"), text)
    odd = (
        "" if todo.status in ("pending", "open", "todo") else f"  ({to_one_line(todo.status, 30)})"
    )
    return line("[ ] ", text, (odd, "faint"))


class TodoProgressLike(Protocol):
    """The tasks from one message on."""

    @property
    def message(self) -> str: ...
    @property
    def time_ns(self) -> int | None: ...
    @property
    def todos(self) -> Sequence[Todo]: ...
    @property
    def done(self) -> int: ...
    @property
    def changed(self) -> Sequence[str]: ...


def format_progress_lines(steps: Iterable[TodoProgressLike]) -> Iterator[Line]:
    """Yield the changes of each task with their times."""
    for step in steps:
        yield line(
            (f"{format_moment(step.time_ns) or '?':19}", "faint"),
            (f"  {step.message[:8]}", "mark"),
            f"  {step.done:,} of {len(step.todos):,} done",
        )
        for each in step.changed:
            yield line(f"    {to_one_line(each, 200)}")


def build_progress_shape(steps: Iterable[TodoProgressLike]) -> list[Json]:
    """Return the progress as JSON values."""
    return [
        {
            "message": step.message,
            "time": format_stamp(step.time_ns) or None,
            "done": step.done,
            "total": len(step.todos),
            "changed": [*step.changed],
        }
        for step in steps
    ]


def build_todos_shape(todos: Iterable[Todo]) -> list[Json]:
    """Return tasks as JSON values."""
    return [{"content": todo.content, "status": todo.status} for todo in todos]
