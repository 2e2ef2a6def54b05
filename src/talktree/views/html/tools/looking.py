"""Search and fetch tools: one line with the size of the result."""

from __future__ import annotations

from talktree.views.arguments import SUBJECTS, describe_amount, find_first_text
from talktree.views.html.escaped import escape
from talktree.views.html.json_view import render_facts
from talktree.views.html.tools.output import render_result_output
from talktree.views.html.tools.shape import TITLE, ToolInvocation, ToolView
from talktree.views.parts import format_details
from talktree.views.width import to_one_line


def render_search(asked: ToolInvocation) -> ToolView:
    """Return a search and its results as printed."""
    return _render_lookup(asked, form="")


def render_fetch(asked: ToolInvocation) -> ToolView:
    """Return a fetched page or a web search: the result is prose."""
    return _render_lookup(asked, form="markdown")


def _render_lookup(asked: ToolInvocation, *, form: str) -> ToolView:
    subject = find_first_text(asked.arguments, *SUBJECTS) or ""
    others = {name: each for name, each in asked.arguments.items() if each != subject}
    html, cut = render_result_output(asked.result, asked.look, form=form)
    words = " · ".join(
        each
        for each in (to_one_line(format_details(others), 80), describe_amount(asked.result))
        if each
    )
    link = ""
    if subject.startswith(("https://", "http://")):
        link = f'<p class="tt-faint">{escape(subject[:2000])}</p>'
    return ToolView(
        to_one_line(subject, TITLE),
        words,
        link + render_facts(others) + html,
        open=asked.failed,
        cut=cut,
    )
