"""The task list at a message, and its history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from talktree.model.derived import find_todos
from talktree.model.message import Message
from talktree.web.documents.row_filter import TaskStep, get_survey
from talktree.web.documents.row_list import to_milliseconds
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.inspect import TodoItem, Todos, TodoStep

if TYPE_CHECKING:
    from talktree.web.documents.cache import OpenConversation
    from talktree.web.documents.row_list import RowList
    from talktree.web.studio import StudioContext

MOST_ITEMS = 1_000
MOST_STEPS = 1_000


class TodosQuery(Struct, frozen=True, kw_only=True):
    """Which branch, and which message; the last one by default."""

    leaf: str | None = None
    at: str | None = None


def _todos(studio: StudioContext, call: RouteCall) -> Todos:
    query: TodosQuery = call.query
    opened = studio.cache.open(call.path["cid"])
    rows = opened.get_rows(query.leaf)
    steps = get_survey(opened, rows).tasks
    now = _find_last_before(opened, rows, steps, query.at)
    return Todos(
        at=None if now is None else opened.conversation.skeleton.ids[now.position],
        items=() if now is None else _build_items(opened, now),
        steps=tuple(_build_step(opened, each) for each in steps[-MOST_STEPS:]),
    )


def _find_last_before(
    opened: OpenConversation, rows: RowList, steps: list[TaskStep], at: str | None
) -> TaskStep | None:
    if at is None:
        return steps[-1] if steps else None
    row = rows.number_at(opened.conversation.find_position(at))
    reached = [each for each in steps if row is not None and each.row <= row]
    return reached[-1] if reached else None


def _build_items(opened: OpenConversation, step: TaskStep) -> tuple[TodoItem, ...]:
    entry = opened.conversation.entry(step.position)
    todos = find_todos(entry) if isinstance(entry, Message) else None
    return tuple(
        TodoItem(content=each.content[:2000], status=each.status, active=each.active_form or "")
        for each in (todos or ())[:MOST_ITEMS]
    )


def _build_step(opened: OpenConversation, step: TaskStep) -> TodoStep:
    return TodoStep(
        message=opened.conversation.skeleton.ids[step.position],
        number=step.row,
        time=to_milliseconds(step.time),
        done=step.done,
        total=step.total,
    )


ROUTES = (
    Route(
        "GET", "/c/{cid}/todos", _todos, "The tasks at a message, and how they came to be.",
        query=TodosQuery, gives=Todos,
    ),
)  # fmt: skip
