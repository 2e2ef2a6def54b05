"""Source text in colours: our own quick pass for the common languages, Pygments for the others."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from talktree.views.html.coloring import COLORINGS
from talktree.views.html.escaped import escape, shown
from talktree.views.html.languages import PLAIN

LONGEST = 200_000
"""Characters that are coloured; longer texts are shown without."""
LONGEST_ELSEWHERE = 20_000
"""The same where Pygments does it, which takes about twenty times as long."""
_LABEL = re.compile(r"[^\w+#.-]")


def code(text: str, language: str = "") -> str:
    """Source text as a block, coloured, with its language as a label."""
    return block_of(bare(text), language)


def bare(text: str) -> str:
    """Text for between tags: quotes stay, so that they can be told from escaped ones."""
    text = shown(text)
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    return text.replace(">", "&gt;") if ">" in text else text


def block_of(escaped: str, language: str) -> str:
    """A block of source text that is escaped already; what scrolls can be reached by keyboard."""
    label = escape(_LABEL.sub("", language)[:24].lower())
    told = f' data-lang="{label}"' if label else ""
    inner = f"<code>{colored(escaped, language)}</code>"
    return f'<div class="tt-code"{told}><pre tabindex="0">{inner}</pre></div>'


def colored(escaped: str, language: str) -> str:
    """Escaped text with its pieces in spans."""
    name = language.lower()
    if name in PLAIN or len(escaped) > LONGEST:
        return escaped
    known = COLORINGS.get(name)
    if known is None:
        return _elsewhere(escaped, name) if len(escaped) <= LONGEST_ELSEWHERE else escaped
    return known.text(escaped)


# all other languages

_PYGMENTS = (
    ("Token.Keyword.Type", "type"), ("Token.Keyword", "keyword"),
    ("Token.Literal.String", "string"), ("Token.Literal.Number", "number"),
    ("Token.Comment", "comment"), ("Token.Name.Class", "type"),
    ("Token.Name.Function", "name"), ("Token.Name.Builtin", "builtin"),
    ("Token.Name.Tag", "keyword"), ("Token.Name.Attribute", "name"),
)  # fmt: skip


@lru_cache(maxsize=512)
def _elsewhere(escaped: str, language: str) -> str:
    """Coloured by Pygments; as it is if that does not know the language."""
    # Imported only here, because that is slow.
    from pygments.lexers import find_lexer_class_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        lexer = find_lexer_class_by_name(language)(stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escaped
    text = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    pieces = ((str(kind), piece) for kind, piece in lexer.get_tokens(text))
    return "".join(chain.from_iterable(_pygments_span(kind, piece) for kind, piece in pieces))


def _pygments_span(kind: str, piece: str) -> tuple[str, ...]:
    for start, name in _PYGMENTS:
        if kind.startswith(start):
            return f'<span class="tt-c-{name}">', bare(piece), "</span>"
    return (bare(piece),)
