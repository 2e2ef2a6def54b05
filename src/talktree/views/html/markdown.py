"""Markdown as safe HTML: raw HTML is shown as text, nothing is ever loaded."""

from __future__ import annotations

import re

import comrak

from talktree.views.html.direction import has_right_to_left, with_direction
from talktree.views.html.escaped import escape, shown
from talktree.views.html.gate import DEEPEST, depth, safe, sound
from talktree.views.html.markdown_tags import finished

LONGEST = 400_000
"""Characters of one text that are read as Markdown; longer ones are shown as they are."""
SWELLING = 12
"""So many times its length may a text grow; what grows more was made to."""


def _extensions(*, links: bool) -> comrak.ExtensionOptions:
    """What is read beyond the core; looking for bare addresses takes as long as all the rest."""
    made = comrak.ExtensionOptions()
    made.table = made.strikethrough = made.tasklist = made.footnotes = True
    made.autolink = links
    return made


_WITH_LINKS = _extensions(links=True)
_WITHOUT = _extensions(links=False)
_PARSE = comrak.ParseOptions()
_RENDER = comrak.RenderOptions()
_RENDER.escape = _RENDER.hardbreaks = True
_STAND_IN = "\ufdd0"
"""For `<` while the parser looks: no character of any text, so that tags are words to it."""
_TAG = re.compile(r"(?<!\\)<(?!https?://|mailto:)")
_MARKING = bytes(set(rb"\`*_[]<>#|~&@!:$^=") | {9, 10, 13})
"""What could mean something to a parser anywhere in a line."""


def markdown(text: str, limit: int | None = None) -> str:
    """Markdown as HTML; what is beyond the limit is left out."""
    if limit is not None and len(text) > limit:
        text = text[:limit]
    if _is_plain_line(text):
        return f"<p>{escape(text)}</p>\n"
    text = shown(text)
    if len(text) > LONGEST:
        return _as_it_is(text)
    if "<" in text:
        text = _TAG.sub(_STAND_IN, text)
    links = "://" in text or "www." in text or "@" in text
    html = comrak.render_markdown(text, _WITH_LINKS if links else _WITHOUT, _PARSE, _RENDER)
    if len(html) > SWELLING * len(text) + 10_000:
        return _as_it_is(text)
    html = finished(html.replace(_STAND_IN, "&lt;"))
    if has_right_to_left(text):
        html = with_direction(html)
    if sound(html):
        return html
    return _as_it_is(text) if depth(html) > DEEPEST else safe(html)


def _is_plain_line(text: str) -> bool:
    """Whether it is one line of words and no parser could find more in it than a paragraph."""
    if not (text.isascii() and text[:1].isalpha() and text[-1:].isprintable()) or text[-1] == " ":
        return False
    raw = text.encode("ascii")
    return len(raw.translate(None, _MARKING)) == len(raw) and b"www." not in raw


def _as_it_is(text: str) -> str:
    direction = ' dir="auto"' if has_right_to_left(text) else ""
    return f'<pre class="tt-plain"{direction}>{escape(text.replace(_STAND_IN, "<"))}</pre>'
