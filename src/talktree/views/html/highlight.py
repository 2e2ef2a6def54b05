"""Syntax highlighting: a fast pass for the common languages, Pygments for the others."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from talktree.views.html.coloring import COLORINGS
from talktree.views.html.escaped import escape, escape_visible
from talktree.views.html.languages import PLAIN

LONGEST = 200_000
"""Maximum number of characters that are highlighted; longer texts are shown plain."""
LONGEST_ELSEWHERE = 20_000
"""The same for Pygments, which takes about twenty times as long."""
_LABEL = re.compile(r"[^\w+#.-]")


def render_code(text: str, language: str = "") -> str:
    """Return source text as a highlighted block, with its language as a label."""
    return render_escaped_code(escape_between_tags(text), language)


def escape_between_tags(text: str) -> str:
    """Escape text for use between tags: quotes stay, so that they differ from escaped ones."""
    text = escape_visible(text)
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    return text.replace(">", "&gt;") if ">" in text else text


def render_escaped_code(escaped: str, language: str) -> str:
    """Return a block of escaped source text; if it scrolls, it can be reached by keyboard."""
    label = escape(_LABEL.sub("", language)[:24].lower())
    words = f' data-lang="{label}"' if label else ""
    inner = f"<code>{color_code(escaped, language)}</code>"
    return f'<div class="tt-code"{words}><pre tabindex="0">{inner}</pre></div>'


def color_code(escaped: str, language: str) -> str:
    """Return escaped text with its tokens in spans."""
    name = language.lower()
    if name in PLAIN or len(escaped) > LONGEST:
        return escaped
    known = COLORINGS.get(name)
    if known is None:
        return _color_with_pygments(escaped, name) if len(escaped) <= LONGEST_ELSEWHERE else escaped
    return known.color_text(escaped)


# all other languages

_PYGMENTS = (
    ("Token.Keyword.Type", "type"), ("Token.Keyword", "keyword"),
    ("Token.Literal.String", "string"), ("Token.Literal.Number", "number"),
    ("Token.Comment", "comment"), ("Token.Name.Class", "type"),
    ("Token.Name.Function", "name"), ("Token.Name.Builtin", "builtin"),
    ("Token.Name.Tag", "keyword"), ("Token.Name.Attribute", "name"),
)  # fmt: skip


@lru_cache(maxsize=512)
def _color_with_pygments(escaped: str, language: str) -> str:
    """Return the text highlighted by Pygments; unchanged if the language is unknown."""
    # Imported only here, because it is slow.
    from pygments.lexers import find_lexer_class_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        lexer = find_lexer_class_by_name(language)(stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escaped
    text = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    pieces = ((str(kind), piece) for kind, piece in lexer.get_tokens(text))
    return "".join(
        chain.from_iterable(_render_pygments_span(kind, piece) for kind, piece in pieces)
    )


def _render_pygments_span(kind: str, piece: str) -> tuple[str, ...]:
    for start, name in _PYGMENTS:
        if kind.startswith(start):
            return f'<span class="tt-c-{name}">', escape_between_tags(piece), "</span>"
    return (escape_between_tags(piece),)
