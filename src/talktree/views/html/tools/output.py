"""The result of a tool as HTML."""

from __future__ import annotations

import msgspec

from talktree.model.parts import Artifact, Attachment, Text, Thinking, ToolResult
from talktree.views.html.ansi import render_terminal, strip_terminal_codes
from talktree.views.html.attachments import render_picture
from talktree.views.html.escaped import escape
from talktree.views.html.highlight import render_code
from talktree.views.html.json_view import render_json
from talktree.views.html.look import RenderOptions
from talktree.views.html.markdown import render_markdown
from talktree.views.parts import format_part
from talktree.views.width import to_one_line, unwrap_tag

LONGEST_JSON = 100_000
"""Maximum number of characters of a result that is parsed as JSON."""


def render_result_output(
    result: ToolResult | None, look: RenderOptions, *, form: str = ""
) -> tuple[str, int]:
    """Return the content of a result, and how much of it is left out.

    The form is `render_markdown`, a language, or empty for printed text.
    """
    if result is None:
        return "", 0
    shown: list[str] = []
    cut = 0
    for place, part in enumerate(result.output):
        if result.error and isinstance(part, Text):
            part = Text(unwrap_tag(part.text))
        html, less = _render_piece(part, place, look, form="" if result.error else form)
        shown.append(html)
        cut += less
    whole = "".join(shown)
    return (f'<div class="tt-failed">{whole}</div>' if result.error and whole else whole), cut


def _render_piece(part: object, place: int, look: RenderOptions, *, form: str) -> tuple[str, int]:
    match part:
        case Text() | Thinking():
            text, cut = look.cut(part.text)
            return (_render_text(text, form), cut) if text.strip() else ("", 0)
        case Attachment():
            return render_picture(part, look, place), 0
        case Artifact(content=str(content)):
            text, cut = look.cut(content)
            return render_code(text), cut
        case _:
            words = "".join(text for text, _ in format_part(part))  # type: ignore[arg-type]
            return f'<p class="tt-faint">{escape(words)}</p>', 0


def _render_text(text: str, form: str) -> str:
    if form == "markdown":
        return f'<div class="tt-prose">{render_markdown(text)}</div>'
    if form and form != "json":
        return render_code(text, form)
    if text[0] in "{[" and len(text) < LONGEST_JSON and text.rstrip()[-1:] in ("}", "]"):
        return _render_json(text)
    return render_terminal(text)


def _render_json(text: str) -> str:
    try:
        return render_json(msgspec.json.decode(text))
    except (ValueError, RecursionError):
        return render_terminal(text)


def first_result_line(result: ToolResult | None, most: int = 160) -> str:
    """Return the beginning of a result, in one line."""
    if result is None:
        return ""
    for part in result.output:
        if isinstance(part, Text) and part.text.strip():
            return to_one_line(strip_terminal_codes(part.text[:4000]), most)
    return ""
