"""Tools that look something up: one line with how much came back."""

from __future__ import annotations

from talktree.views.arguments import SUBJECTS, amount, first
from talktree.views.html.escaped import escape
from talktree.views.html.json_view import facts
from talktree.views.html.tools.output import output
from talktree.views.html.tools.shape import TITLE, Asked, Shown
from talktree.views.parts import details
from talktree.views.width import one_line


def found(asked: Asked) -> Shown:
    """What was looked for, and what was found as it was printed."""
    return _looked(asked, form="")


def fetched(asked: Asked) -> Shown:
    """A page or a search: what came back is prose."""
    return _looked(asked, form="markdown")


def _looked(asked: Asked, *, form: str) -> Shown:
    subject = first(asked.arguments, *SUBJECTS) or ""
    others = {name: each for name, each in asked.arguments.items() if each != subject}
    html, cut = output(asked.result, asked.look, form=form)
    told = " · ".join(
        each for each in (one_line(details(others), 80), amount(asked.result)) if each
    )
    link = ""
    if subject.startswith(("https://", "http://")):
        link = f'<p class="tt-faint">{escape(subject[:2000])}</p>'
    return Shown(
        one_line(subject, TITLE), told, link + facts(others) + html, open=asked.failed, cut=cut
    )
