"""Tasks: input from callers, the list at a message, and its progress over time.

Each message has the tasks at the time it was written, so the list at a message is that of the
nearest message on its way to the root that has tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from talktree.errors import UsageError
from talktree.model.message import Todo
from talktree.text.times import to_datetime

if TYPE_CHECKING:
    from talktree.session.index.index import SessionIndex
    from talktree.session.index.node import IndexedMessage

STATES = ("pending", "in_progress", "completed")
Given: TypeAlias = Iterable[Todo | Mapping[str, Any] | str]
"""Tasks as callers give them; a plain text is a pending task."""
_MEMBERS = {"content", "status", "active_form", "activeForm"}


def make_todo_list(given: Given) -> tuple[Todo, ...]:
    """Return tasks as messages hold them."""
    return tuple(map(_make_todo, given))


def _make_todo(given: Todo | Mapping[str, Any] | str) -> Todo:
    match given:
        case str():
            made = Todo(given, STATES[0])
        case Todo():
            made = given
        case _:
            if not set(given) <= _MEMBERS or not isinstance(given.get("content"), str):
                raise UsageError(
                    "a task that cannot be understood",
                    hint='a task is {"content": …, "status": …, "active_form": …}',
                )
            active = given.get("active_form") or given.get("activeForm")
            made = Todo(given["content"], str(given.get("status", STATES[0])), active)
    if made.status not in STATES:
        raise UsageError(
            f"{made.status!r} is no state of a task", hint=f"one of {', '.join(STATES)}"
        )
    return made


def describe_todos(todos: tuple[Todo, ...]) -> str:
    """Return a list in one line, for people."""
    if not todos:
        return "Todos: none"
    done = sum(todo.status == "completed" for todo in todos)
    return f"Todos: {done} of {len(todos)} done"


def read_todos(index: SessionIndex, node: IndexedMessage) -> tuple[Todo, ...]:
    """Return the tasks at a known message, which usually has them itself."""
    details = index.message(node).todos
    return details if details is not None else find_todos_at(index, node.parent)


def find_todos_at(index: SessionIndex, message: str | None) -> tuple[Todo, ...]:
    """Return the tasks at a message."""
    for node in reversed(index.chain(message)) if message is not None else ():
        details = index.message(node).todos
        if details is not None:
            return details
    return ()


class TodoProgress(NamedTuple):
    """The tasks from one message on."""

    message: str
    time_ns: int | None
    todos: tuple[Todo, ...]
    done: int
    changed: tuple[str, ...]
    """The changes of tasks, in words."""

    @property
    def time(self) -> datetime | None:
        """When the message was written, in UTC."""
        return to_datetime(self.time_ns)


def read_progress(index: SessionIndex, message: str) -> Iterator[TodoProgress]:
    """Yield the lists on the way to a message, each where it first appears."""
    known: tuple[Todo, ...] = ()
    for node in index.chain(message):
        details = index.message(node).todos
        if details is None or details == known:
            continue
        done = sum(todo.status == "completed" for todo in details)
        yield TodoProgress(
            node.id, node.time, details, done, tuple(_describe_changes(known, details))
        )
        known = details


def _describe_changes(before: tuple[Todo, ...], after: tuple[Todo, ...]) -> Iterator[str]:
    was = {todo.content: todo.status for todo in before}
    now = {todo.content: todo.status for todo in after}
    for content, status in now.items():
        if content not in was:
            yield f"new: {content}"
        if was.get(content, STATES[0]) != status:
            yield f"{status.replace('_', ' ')}: {content}"
    for content in was:
        if content not in now:
            yield f"gone: {content}"
