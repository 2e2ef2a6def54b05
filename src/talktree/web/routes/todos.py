"""The list of tasks at a message, and how it came to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from talktree.model.derived import todos_of
from talktree.model.message import Message
from talktree.web.documents.row_filter import TaskStep, survey_of
from talktree.web.documents.row_list import milliseconds
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.inspect import TodoItem, Todos, TodoStep

if TYPE_CHECKING:
    from talktree.web.documents.cache import Opened
    from talktree.web.documents.row_list import RowList
    from talktree.web.studio import Studio

MOST_ITEMS = 1_000
MOST_STEPS = 1_000


class TodosQuery(Struct, frozen=True, kw_only=True):
    """On which branch, and at which message; the last one if none is named."""

    leaf: str | None = None
    at: str | None = None


def _todos(studio: Studio, call: Call) -> Todos:
    query: TodosQuery = call.query
    opened = studio.desk.open(call.path["cid"])
    rows = opened.rows(query.leaf)
    steps = survey_of(opened, rows).tasks
    now = _last_before(opened, rows, steps, query.at)
    return Todos(
        at=None if now is None else opened.conversation.skeleton.ids[now.position],
        items=() if now is None else _items(opened, now),
        steps=tuple(_step(opened, each) for each in steps[-MOST_STEPS:]),
    )


def _last_before(
    opened: Opened, rows: RowList, steps: list[TaskStep], at: str | None
) -> TaskStep | None:
    if at is None:
        return steps[-1] if steps else None
    row = rows.number_at(opened.conversation.position(at))
    reached = [each for each in steps if row is not None and each.row <= row]
    return reached[-1] if reached else None


def _items(opened: Opened, step: TaskStep) -> tuple[TodoItem, ...]:
    entry = opened.conversation.entry(step.position)
    todos = todos_of(entry) if isinstance(entry, Message) else None
    return tuple(
        TodoItem(content=each.content[:2000], status=each.status, active=each.active_form or "")
        for each in (todos or ())[:MOST_ITEMS]
    )


def _step(opened: Opened, step: TaskStep) -> TodoStep:
    return TodoStep(
        message=opened.conversation.skeleton.ids[step.position],
        number=step.row,
        time=milliseconds(step.time),
        done=step.done,
        total=step.total,
    )


ROUTES = (
    Route(
        "GET", "/c/{cid}/todos", _todos, "The tasks at a message, and how they came to be.",
        query=TodosQuery, gives=Todos,
    ),
)  # fmt: skip
