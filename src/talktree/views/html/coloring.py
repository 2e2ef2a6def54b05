"""Highlights the tokens of known languages, and lines that do not depend on other lines.

The same lines occur repeatedly, within a file that is read twice and across files. So highlighted
lines are cached, and only tokens that span lines are highlighted as a whole.
"""

from __future__ import annotations

from talktree.views.html.languages import CLOSING, LANGUAGES, Language

_MOST_PIECES = 30_000
_MOST_LINES = 10_000
"""Maximum number of cached lines of a language."""
_SHORT = 80
_SHORT_LINE = 240
"""Maximum length of a cached line."""


class Coloring:
    """Highlights texts of one language, which are already escaped."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._spans = _Spans(language)
        self._lines = _Lines(self)

    def color_text(self, escaped: str) -> str:
        """Return a text with its tokens in spans."""
        if self._language.across is None:
            return self.color_whole(escaped)
        lines = escaped.split("\n")
        made = list(map(self._lines.__getitem__, lines))
        if None in made:
            made = self._join_continued(escaped, lines, made)
        return "\n".join(made)  # type: ignore[arg-type]

    def color_line(self, line: str) -> str | None:
        """Return a line; None if its last token may continue on the next line."""
        found = self._language.pieces.split(line)
        if len(found) > 1 and not found[-1] and self._is_continued(found[-2]):
            return None
        found[1::2] = map(self._spans.__getitem__, found[1::2])
        return "".join(found)

    def color_whole(self, escaped: str) -> str:
        """Return a text highlighted as a whole, which is always correct."""
        found = self._language.pieces.split(escaped)
        found[1::2] = map(self._spans.__getitem__, found[1::2])
        return "".join(found)

    def _is_continued(self, piece: str) -> bool:
        for opening in self._language.across or ():
            if piece.startswith(opening):
                closing = CLOSING.get(opening, opening)
                # An escaped delimiter may only look like the end.
                closed = piece.endswith(closing) and "\\" not in piece
                return not closed or len(piece) < len(opening) + len(closing)
        return False

    def _join_continued(
        self, escaped: str, lines: list[str], made: list[str | None]
    ) -> list[str | None]:
        """Return the highlighted lines; lines that a token spans are highlighted together."""
        out: list[str | None] = []
        number = at = 0
        while number < len(lines):
            whole, stop = made[number], at + len(lines[number])
            if whole is None:
                stop = self._find_end(escaped, at)
                whole = self.color_whole(escaped[at:stop])
                number += escaped.count("\n", at, stop)
            out.append(whole)
            number += 1
            at = stop + 1
        return out

    def _find_end(self, escaped: str, start: int) -> int:
        """Return the end of the first line from here on that no token continues past."""
        at = start
        for found in self._language.pieces.finditer(escaped, start):
            stop = escaped.find("\n", at, found.start())
            if stop >= 0:
                return stop
            at = found.end()
        stop = escaped.find("\n", at)
        return stop if stop >= 0 else len(escaped)


class _Lines(dict[str, str | None]):
    """Highlighted lines; the most recent short ones are cached."""

    def __init__(self, coloring: Coloring) -> None:
        super().__init__()
        self._coloring = coloring

    def __missing__(self, line: str) -> str | None:
        made = self._coloring.color_line(line)
        if len(line) <= _SHORT_LINE:
            if len(self) >= _MOST_LINES:
                self.clear()
            self[line] = made
        return made


class _Spans(dict[str, str]):
    """Spans by token; those of the most recent short tokens are cached."""

    def __init__(self, language: Language) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, piece: str) -> str:
        first, last = piece[0], piece[-1]
        if last not in ":=\"'" and (first.isalpha() or first in "_$"):
            kind = self._find_word_kind(piece, last)
        else:
            kind = _find_piece_kind(piece, first, last, self._language)
        if not kind:
            made = piece
        elif last == "(" and kind not in ("comment", "string"):
            made = f'<span class="tt-c-{kind}">{piece[:-1]}</span>('
        else:
            made = f'<span class="tt-c-{kind}">{piece}</span>'
        if len(piece) <= _SHORT:
            if len(self) >= _MOST_PIECES:
                self.clear()
            self[piece] = made
        return made

    def _find_word_kind(self, piece: str, last: str) -> str:
        language = self._language
        word = piece[:-1] if last == "(" else piece
        kind = language.words.get(word.lower() if language.any_case else word)
        if kind:
            return kind
        if last == "(":
            return "name"
        if language.types and word[0].isupper() and len(word) > 1:
            return "type"
        return "name" if word[0] == "$" and len(word) > 1 else language.other


def _find_piece_kind(piece: str, first: str, last: str, language: Language) -> str:
    """Return the kind of a token that is not a word, by its beginning and end."""
    if last in ":=" and len(piece) > 1:
        return "name"
    if first in "+-@" and not language.words and not language.other:
        return {"+": "added", "-": "removed", "@": "name"}[first]
    if first in "\"'`" or (last in "\"'" and first not in "#/-"):
        return "string"
    return "number" if first.isdigit() else _find_mark_kind(piece, first)


def _find_mark_kind(piece: str, first: str) -> str:
    """Return the kind of a token that begins with a punctuation mark."""
    if first == "-" and not piece.startswith("-- ") and piece[1:2] != "-":
        return "number" if piece[1:2].isdigit() else "builtin"
    if first == "-":
        return "builtin" if piece[2:3].isalpha() else "comment"
    if first == "#" and len(piece) <= 9 and piece[1:].isalnum() and piece[1:].islower():
        return "keyword" if piece[1:].isalpha() else "number"
    if first in "@.:[":
        return "builtin"
    return "keyword" if first == "&" and not piece.startswith("&lt;!--") else "comment"


_COLORINGS = {id(language): Coloring(language) for language in LANGUAGES.values()}
COLORINGS = {name: _COLORINGS[id(language)] for name, language in LANGUAGES.items()}
"""By all names of a language; they live as long as the program."""
