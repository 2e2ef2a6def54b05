"""Tasks as a checklist."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.model.derive import DONE
from talktree.model.message import Todo
from talktree.views.lines import Line, line
from talktree.views.measure import one_line

MOST = 100
RUNNING = frozenset({"in_progress", "active", "doing"})


def checklist(todos: Sequence[Todo]) -> list[Line]:
    """One line a task: done, under way, or still to do."""
    shown = [_task(todo) for todo in todos[:MOST]]
    if len(todos) > MOST:
        shown.append(line((f"… {len(todos) - MOST:,} more tasks", "faint")))
    return shown or [line(("no tasks", "faint"))]


def _task(todo: Todo) -> Line:
    text = one_line(todo.content, 200)
    if todo.status in DONE:
        return line(("[x] ", "added"), (text, "faint"))
    if todo.status in RUNNING:
        return line(("[>] ", "mark"), text)
    odd = "" if todo.status in ("pending", "open", "todo") else f"  ({one_line(todo.status, 30)})"
    return line("[ ] ", text, (odd, "faint"))
