"""Source text in colours: our own quick pass for the common languages, Pygments for the others."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from talktree.views.html.escaped import escape, shown
from talktree.views.html.languages import LANGUAGES, PLAIN, Language

LONGEST = 200_000
"""Characters that are coloured; longer texts are shown without."""
LONGEST_ELSEWHERE = 20_000
"""The same where Pygments does it, which takes about twenty times as long."""
_REMEMBERED = 30_000
_SHORT = 80
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
    known = LANGUAGES.get(name)
    if known is None:
        return _elsewhere(escaped, name) if len(escaped) <= LONGEST_ELSEWHERE else escaped
    pieces = known.pieces.split(escaped)
    spans = _SPANS.get(id(known)) or _SPANS.setdefault(id(known), _Spans(known))
    pieces[1::2] = map(spans.__getitem__, pieces[1::2])
    return "".join(pieces)


class _Spans(dict[str, str]):
    """Spans by the piece they are for; of short pieces the latest are remembered."""

    def __init__(self, language: Language) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, piece: str) -> str:
        made = self._made(piece)
        if len(piece) <= _SHORT:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[piece] = made
        return made

    def _made(self, piece: str) -> str:
        kind = _kind(piece, self._language)
        if not kind:
            return piece
        tail = "(" if piece[-1] == "(" and kind not in ("comment", "string") else ""
        return f'<span class="tt-c-{kind}">{piece.removesuffix(tail)}</span>{tail}'


_SPANS: dict[int, _Spans] = {}
"""For each language what is remembered of it; languages live as long as the program."""


def _kind(piece: str, language: Language) -> str:
    """What a piece is, by how it begins and ends; nothing if it is nothing special."""
    first, last = piece[0], piece[-1]
    if last in ":=" and len(piece) > 1:
        return "name"
    if first in "+-@" and not language.words and not language.other:
        return {"+": "added", "-": "removed", "@": "name"}[first]
    if first in "\"'`" or (last in "\"'" and first not in "#/-"):
        return "string"
    if first.isdigit():
        return "number"
    if first.isalpha() or first in "_$":
        return _word_kind(piece.removesuffix("("), piece, language)
    return _mark_kind(piece, first)


def _word_kind(word: str, piece: str, language: Language) -> str:
    kind = language.words.get(word.lower() if language.any_case else word)
    if kind:
        return kind
    if piece[-1] == "(":
        return "name"
    if language.types and word[0].isupper() and len(word) > 1:
        return "type"
    return "name" if word[0] == "$" and len(word) > 1 else language.other


def _mark_kind(piece: str, first: str) -> str:
    """Pieces that begin with a sign."""
    if first == "-" and not piece.startswith("-- ") and piece[1:2] != "-":
        return "number" if piece[1:2].isdigit() else "builtin"
    if first == "-":
        return "builtin" if piece[2:3].isalpha() else "comment"
    if first == "#" and len(piece) <= 9 and piece[1:].isalnum() and piece[1:].islower():
        return "keyword" if piece[1:].isalpha() else "number"
    if first in "@.:[":
        return "builtin"
    return "keyword" if first == "&" and not piece.startswith("&lt;!--") else "comment"


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
