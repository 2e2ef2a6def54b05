"""Tasks, plans and questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from talktree.model.derived import DONE, read_written_todos
from talktree.model.message import Todo
from talktree.views.arguments import find_first_text
from talktree.views.html.escaped import escape
from talktree.views.html.markdown import render_markdown
from talktree.views.html.tools.anything import render_any_tool
from talktree.views.html.tools.output import render_result_output
from talktree.views.html.tools.shape import TITLE, ToolInvocation, ToolView
from talktree.views.todos import MOST, RUNNING
from talktree.views.width import to_one_line

MOST_SEGMENTS = 60


def render_todos(asked: ToolInvocation) -> ToolView:
    """Return a checklist with its progress."""
    listed = read_written_todos(asked.call)
    if listed is None:
        return render_any_tool(asked)
    running = next((each for each in listed if each.status in RUNNING), None)
    title = to_one_line(running.active_form or running.content, TITLE) if running else "Tasks"
    trouble = render_result_output(asked.result, asked.look)[0] if asked.failed else ""
    return ToolView(
        title, format_progress(listed), render_checklist(listed) + trouble, kind="todos", open=True
    )


def format_progress(listed: Sequence[Todo]) -> str:
    """Return how many tasks are done, in words."""
    return f"{sum(each.status in DONE for each in listed):,} of {len(listed):,} done"


def render_checklist(listed: Sequence[Todo]) -> str:
    """Return tasks with their boxes, below a bar with one segment for each task."""
    bar = "".join(f'<i class="tt-seg {_find_state(each)}"></i>' for each in listed[:MOST_SEGMENTS])
    rows = "".join(_render_task(each) for each in listed[:MOST])
    more = f'<li class="tt-more">{len(listed) - MOST:,} more</li>' if len(listed) > MOST else ""
    words = format_progress(listed)
    return f'<div class="tt-bar" title="{words}">{bar}</div><ul class="tt-todos">{rows}{more}</ul>'


def _find_state(todo: Todo) -> str:
    return (
        "tt-done" if todo.status in DONE else "tt-running" if todo.status in RUNNING else "tt-open"
    )


def _render_task(todo: Todo) -> str:
    state = _find_state(todo)
    box = {"tt-done": "☑", "tt-running": "◧"}.get(state, "☐")
    known = state != "tt-open" or todo.status in ("pending", "open", "todo")
    odd = "" if known else f' <small class="tt-faint">{escape(todo.status[:40])}</small>'
    word = {"tt-done": "done", "tt-running": "under way"}.get(state, "to do")
    return (
        f'<li class="{state}"><span class="tt-box" title="{word}">{box}</span> '
        f"{escape(todo.content[:2000])}{odd}</li>"
    )


def render_plan(asked: ToolInvocation) -> ToolView:
    """Return a plan that was shown to the user."""
    text, cut = asked.look.cut(find_first_text(asked.arguments, "plan") or "")
    said, less = render_result_output(asked.result, asked.look)
    html = f'<div class="tt-plan">{render_markdown(text)}</div>'
    title = to_one_line(text.lstrip("# \n").partition("\n")[0], TITLE)
    return ToolView(title or "Plan", "", html + said, open=True, cut=cut + less, name="Plan")


def render_questions(asked: ToolInvocation) -> ToolView:
    """Return questions with their possible answers."""
    listed = asked.arguments.get("questions")
    asked_for = (
        [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    )
    if not asked_for:
        return render_any_tool(asked)
    said, cut = render_result_output(asked.result, asked.look)
    title = to_one_line(find_first_text(asked_for[0], "question", "header") or "Question", TITLE)
    html = "".join(_render_question(each) for each in asked_for[:20])
    return ToolView(title, "", html + said, open=True, cut=cut, name="Question")


def _render_question(one: Mapping[str, object]) -> str:
    options = one.get("options")
    listed = options if isinstance(options, list) else []
    rows = "".join(_render_option(each) for each in listed[:20])
    return (
        f'<div class="tt-question"><p>{escape((find_first_text(one, "question") or "")[:4000])}</p>'
        f"<ul>{rows}</ul></div>"
    )


def _render_option(option: object) -> str:
    if not isinstance(option, Mapping):
        return f"<li>{escape(str(option)[:400])}</li>"
    label, about = (
        find_first_text(option, "label") or "",
        find_first_text(option, "description") or "",
    )
    faint = f' <span class="tt-faint">{escape(about[:1000])}</span>' if about else ""
    return f"<li><b>{escape(label[:400])}</b>{faint}</li>"
