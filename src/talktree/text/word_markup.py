"""A text without the markup and the escapes that split words: tags, links, entities, `%C3%BC`."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from html import unescape
from typing import NamedTuple
from urllib.parse import unquote

_INLINE = (
    "a|abbr|b|bdi|bdo|big|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|tt|u"
    "|var|wbr"
)
_MARKUP = re.compile(
    rf"</?(?:{_INLINE})(?:[ \t][^<>\n]{{0,200}})?/?>"
    r"|&(?:[A-Za-z]{2,10}|#[0-9]{1,6}|#[xX][0-9A-Fa-f]{1,6});"
    r"|(?:%[0-9A-Fa-f]{2}){1,8}"
    r"|\[(?=[^\[\]\n]{1,80}\]\()|\]\([^()\s]{0,300}\)"
)
_SIGNS = ("</", "&", "%", "](")


class UnmarkedText(NamedTuple):
    """A text without markup, and where its pieces are in the original text."""

    text: str
    starts: list[int]
    """Where pieces start here."""
    spans: list[tuple[int, int]]
    """Where each piece is in the original; an escaped one has another length there."""

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """Return the original range of a range, with the whole escape at its end."""
        first, last = (bisect_right(self.starts, at) - 1 for at in (start, stop - 1))
        return self._map_place(first, start), self._map_place(last, stop - 1, end=True)

    def _map_place(self, number: int, at: int, *, end: bool = False) -> int:
        begin, stop = self.spans[number]
        size = (self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)) - (
            self.starts[number]
        )
        if size != stop - begin:
            return stop if end else begin
        return begin + at - self.starts[number] + end


def strip_markup(text: str) -> UnmarkedText | None:
    """Return the text without what splits words; None if nothing does."""
    if not any(sign in text for sign in _SIGNS):
        return None
    pieces: list[str] = []
    starts: list[int] = []
    spans: list[tuple[int, int]] = []
    at = size = 0
    for found in _MARKUP.finditer(text):
        for piece, span in (
            (text[at : found.start()], (at, found.start())),
            (_unescape_markup(found.group()), found.span()),
        ):
            if piece:
                pieces.append(piece)
                starts.append(size)
                spans.append(span)
                size += len(piece)
        at = found.end()
    if not at:
        return None
    if at < len(text):
        pieces.append(text[at:])
        starts.append(size)
        spans.append((at, len(text)))
    return UnmarkedText("".join(pieces), starts, spans)


def _unescape_markup(markup: str) -> str:
    if markup[0] == "&":
        meant = unescape(markup)
        return "" if unicodedata.category(meant[0]) == "Cf" else meant
    if markup[0] != "%":
        return ""
    try:
        return unquote(markup, errors="strict")
    except UnicodeDecodeError:
        return markup
