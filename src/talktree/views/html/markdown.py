"""Markdown as safe HTML: raw HTML is shown as text, and nothing is ever loaded."""

from __future__ import annotations

import re

import comrak

from talktree.views.html.direction import add_direction, has_right_to_left
from talktree.views.html.escaped import escape, escape_visible
from talktree.views.html.gate import DEEPEST, is_sound_html, measure_depth, sanitize_html
from talktree.views.html.markdown_tags import finish_html

LONGEST = 400_000
"""Maximum number of characters read as Markdown; longer texts are shown as they are."""
SWELLING = 12
"""Maximum growth factor of a text; texts that grow more were crafted to do so."""


def _choose_extensions(*, links: bool) -> comrak.ExtensionOptions:
    """Return the extensions to use; finding bare addresses takes as long as all the rest."""
    made = comrak.ExtensionOptions()
    made.table = made.strikethrough = made.tasklist = made.footnotes = True
    made.autolink = links
    return made


_WITH_LINKS = _choose_extensions(links=True)
_WITHOUT = _choose_extensions(links=False)
_PARSE = comrak.ParseOptions()
_RENDER = comrak.RenderOptions()
_RENDER.escape = _RENDER.hardbreaks = True
_STAND_IN = "\ufdd0"
"""Replaces `<` during parsing: it is a noncharacter, so the parser sees tags as words."""
_TAG = re.compile(r"(?<!\\)<(?!https?://|mailto:)")
_MARKING = bytes(set(rb"\`*_[]<>#|~&@!:$^=") | {9, 10, 13})
"""Characters that may have a meaning in Markdown anywhere in a line."""


def render_markdown(text: str, limit: int | None = None) -> str:
    """Return Markdown as HTML; text beyond the limit is left out."""
    if limit is not None and len(text) > limit:
        text = text[:limit]
    if _is_plain_line(text):
        return f"<p>{escape(text)}</p>\n"
    text = escape_visible(text)
    if len(text) > LONGEST:
        return _render_plain(text)
    if "<" in text:
        text = _TAG.sub(_STAND_IN, text)
    links = "://" in text or "www." in text or "@" in text
    html = comrak.render_markdown(text, _WITH_LINKS if links else _WITHOUT, _PARSE, _RENDER)
    if len(html) > SWELLING * len(text) + 10_000:
        return _render_plain(text)
    html = finish_html(html.replace(_STAND_IN, "&lt;"))
    if has_right_to_left(text):
        html = add_direction(html)
    if is_sound_html(html):
        return html
    return _render_plain(text) if measure_depth(html) > DEEPEST else sanitize_html(html)


def _is_plain_line(text: str) -> bool:
    """Whether this is one line of text in which a parser finds only a paragraph."""
    if not (text.isascii() and text[:1].isalpha() and text[-1:].isprintable()) or text[-1] == " ":
        return False
    raw = text.encode("ascii")
    return len(raw.translate(None, _MARKING)) == len(raw) and b"www." not in raw


def _render_plain(text: str) -> str:
    direction = ' dir="auto"' if has_right_to_left(text) else ""
    return f'<pre class="tt-plain"{direction}>{escape(text.replace(_STAND_IN, "<"))}</pre>'
