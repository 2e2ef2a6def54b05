"""What a tool gave back, as HTML."""

from __future__ import annotations

import msgspec

from talktree.model.parts import Artifact, Attachment, Text, Thinking, ToolResult
from talktree.views.html.ansi import terminal, unsteered
from talktree.views.html.attachments import picture
from talktree.views.html.escaped import escape
from talktree.views.html.highlight import code
from talktree.views.html.json_view import json_html
from talktree.views.html.look import Look
from talktree.views.html.markdown import markdown
from talktree.views.parts import part_line
from talktree.views.width import one_line, unwrapped

LONGEST_JSON = 100_000
"""Characters of an answer that is looked at as JSON."""


def output(result: ToolResult | None, look: Look, *, form: str = "") -> tuple[str, int]:
    """All a result holds, and how much of it is left out.

    The form is `markdown`, a language, or nothing for what was printed.
    """
    if result is None:
        return "", 0
    shown: list[str] = []
    cut = 0
    for place, part in enumerate(result.output):
        if result.error and isinstance(part, Text):
            part = Text(unwrapped(part.text))
        html, less = _piece(part, place, look, form="" if result.error else form)
        shown.append(html)
        cut += less
    whole = "".join(shown)
    return (f'<div class="tt-failed">{whole}</div>' if result.error and whole else whole), cut


def _piece(part: object, place: int, look: Look, *, form: str) -> tuple[str, int]:
    match part:
        case Text() | Thinking():
            text, cut = look.cut(part.text)
            return (_text(text, form), cut) if text.strip() else ("", 0)
        case Attachment():
            return picture(part, look, place), 0
        case Artifact(content=str(content)):
            text, cut = look.cut(content)
            return code(text), cut
        case _:
            told = "".join(text for text, _ in part_line(part))  # type: ignore[arg-type]
            return f'<p class="tt-faint">{escape(told)}</p>', 0


def _text(text: str, form: str) -> str:
    if form == "markdown":
        return f'<div class="tt-prose">{markdown(text)}</div>'
    if form and form != "json":
        return code(text, form)
    if text[0] in "{[" and len(text) < LONGEST_JSON and text.rstrip()[-1:] in ("}", "]"):
        return _json(text)
    return terminal(text)


def _json(text: str) -> str:
    try:
        return json_html(msgspec.json.decode(text))
    except (ValueError, RecursionError):
        return terminal(text)


def said(result: ToolResult | None, most: int = 160) -> str:
    """How a result begins, on one line."""
    if result is None:
        return ""
    for part in result.output:
        if isinstance(part, Text) and part.text.strip():
            return one_line(unsteered(part.text[:4000]), most)
    return ""
