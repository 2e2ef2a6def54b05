"""Tasks, plans and questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from talktree.model.derived import DONE, written_todos
from talktree.model.message import Todo
from talktree.views.arguments import first
from talktree.views.html.escaped import escape
from talktree.views.html.markdown import markdown
from talktree.views.html.tools.anything import anything
from talktree.views.html.tools.output import output
from talktree.views.html.tools.shape import TITLE, Asked, Shown
from talktree.views.todos import MOST, RUNNING
from talktree.views.width import one_line

MOST_SEGMENTS = 60


def todos(asked: Asked) -> Shown:
    """A checklist with how far it is."""
    listed = written_todos(asked.call)
    if listed is None:
        return anything(asked)
    running = next((each for each in listed if each.status in RUNNING), None)
    title = one_line(running.active_form or running.content, TITLE) if running else "Tasks"
    trouble = output(asked.result, asked.look)[0] if asked.failed else ""
    return Shown(title, progress(listed), checklist(listed) + trouble, kind="todos", open=True)


def progress(listed: Sequence[Todo]) -> str:
    """How many are done, in words."""
    return f"{sum(each.status in DONE for each in listed):,} of {len(listed):,} done"


def checklist(listed: Sequence[Todo]) -> str:
    """Tasks with their boxes, and above them a bar with a segment a task."""
    bar = "".join(f'<i class="tt-seg {_state(each)}"></i>' for each in listed[:MOST_SEGMENTS])
    rows = "".join(_task(each) for each in listed[:MOST])
    more = f'<li class="tt-more">{len(listed) - MOST:,} more</li>' if len(listed) > MOST else ""
    told = progress(listed)
    return f'<div class="tt-bar" title="{told}">{bar}</div><ul class="tt-todos">{rows}{more}</ul>'


def _state(todo: Todo) -> str:
    return (
        "tt-done" if todo.status in DONE else "tt-running" if todo.status in RUNNING else "tt-open"
    )


def _task(todo: Todo) -> str:
    state = _state(todo)
    box = {"tt-done": "☑", "tt-running": "◧"}.get(state, "☐")
    known = state != "tt-open" or todo.status in ("pending", "open", "todo")
    odd = "" if known else f' <small class="tt-faint">{escape(todo.status[:40])}</small>'
    word = {"tt-done": "done", "tt-running": "under way"}.get(state, "to do")
    return (
        f'<li class="{state}"><span class="tt-box" title="{word}">{box}</span> '
        f"{escape(todo.content[:2000])}{odd}</li>"
    )


def plan(asked: Asked) -> Shown:
    """A plan that was put to the person."""
    text, cut = asked.look.cut(first(asked.arguments, "plan") or "")
    said, less = output(asked.result, asked.look)
    html = f'<div class="tt-plan">{markdown(text)}</div>'
    title = one_line(text.lstrip("# \n").partition("\n")[0], TITLE)
    return Shown(title or "Plan", "", html + said, open=True, cut=cut + less, name="Plan")


def question(asked: Asked) -> Shown:
    """Questions with the answers one could choose."""
    listed = asked.arguments.get("questions")
    asked_for = (
        [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    )
    if not asked_for:
        return anything(asked)
    said, cut = output(asked.result, asked.look)
    title = one_line(first(asked_for[0], "question", "header") or "Question", TITLE)
    html = "".join(_question(each) for each in asked_for[:20])
    return Shown(title, "", html + said, open=True, cut=cut, name="Question")


def _question(one: Mapping[str, object]) -> str:
    options = one.get("options")
    listed = options if isinstance(options, list) else []
    rows = "".join(_option(each) for each in listed[:20])
    return (
        f'<div class="tt-question"><p>{escape((first(one, "question") or "")[:4000])}</p>'
        f"<ul>{rows}</ul></div>"
    )


def _option(option: object) -> str:
    if not isinstance(option, Mapping):
        return f"<li>{escape(str(option)[:400])}</li>"
    label, about = first(option, "label") or "", first(option, "description") or ""
    faint = f' <span class="tt-faint">{escape(about[:1000])}</span>' if about else ""
    return f"<li><b>{escape(label[:400])}</b>{faint}</li>"
