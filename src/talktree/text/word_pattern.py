"""Words of a user in a text, however they are spelled or split there.

A letter with an accent is one character or two, in nested JSON it is escaped by number, and a word
may be split by invisible characters, by Markdown marks, or by tags.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from talktree.text.word_markup import strip_markup

_UNSEEN = "\u00ad\u034f\u200b\u200c\u200d\u200e\u200f\u2060\u2063\ufeff"
"""Soft hyphens, joiners and other zero-width characters."""
_EMPHASIS = "*_`~"
_MARKS = re.compile(rf"[{_EMPHASIS}{_UNSEEN}\\]")
_NUMBERS = "|".join(f"{ord(each):04x}" for each in _UNSEEN)
_BETWEEN = rf"(?:[*_`{_UNSEEN}]|~~|\\{{1,7}}u(?:{_NUMBERS})){{0,8}}"
"""What may split a word; bounded, so that a search stays fast where there is much of it."""
_NOT_COMBINED = r"(?![\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f])"
"""With a combining accent after it, the last letter would be another one."""
_DELIMITER = re.compile(r"\*{1,3}|_{1,3}|`{1,3}|~~")
_FAR = 200
"""How far from a word the other delimiter of an emphasis is searched for."""


class WordPattern:
    """Words to search for, in any case and spelling."""

    def __init__(self, words: Iterable[str]) -> None:
        longest_first = sorted(map(_escape_word, words), key=len, reverse=True)
        self._whole = _compile_words(longest_first, "")
        self._split = _compile_words(longest_first, _BETWEEN)

    def find_matches(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the places of the words; some may be found twice."""
        yield from (found.span() for found in self._whole.finditer(text))
        bare = strip_markup(text)
        if bare is not None and bare.text:
            for found in self._whole.finditer(bare.text):
                yield _with_bracket(text, *bare.span(*found.span()))
        if _MARKS.search(text) is None:
            return
        for found in self._split.finditer(text):
            span = _with_delimiters(text, *found.span())
            if span is not None:
                yield span


def _with_bracket(text: str, start: int, stop: int) -> tuple[int, int]:
    """Return the range of a word with the bracket of a link that ends in it."""
    opened = "](" in text[start:stop] and text[start - 1 : start] == "["
    return start - opened, stop


def normalize_word(text: str) -> str:
    """Return a word without what splits it, in a normalized spelling."""
    bare = strip_markup(text)
    text = bare.text.removeprefix("[") if bare is not None and bare.text else text
    folded = unicodedata.normalize("NFC", _unescape_text(text)).casefold()
    return "".join(each for each in folded if each not in _UNSEEN + _EMPHASIS) or folded


def _unescape_text(text: str) -> str:
    return re.sub(r"\\{1,7}u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)


def _escape_word(word: str) -> str:
    composed = unicodedata.normalize("NFC", word)
    return "".join(each for each in composed if each not in _UNSEEN) or composed


def _compile_words(words: Iterable[str], between: str) -> re.Pattern[str]:
    either = "|".join(_word_pattern(word, between) for word in words)
    return re.compile(f"(?:{either}){_NOT_COMBINED}", re.IGNORECASE)


def _word_pattern(word: str, between: str) -> str:
    pieces: list[str] = []
    for at, letter in enumerate(word):
        # Beside a mark in the word itself there would be more than one way to match.
        if at and not _is_mark(letter) and not _is_mark(word[at - 1]):
            pieces.append(between)
        pieces.append(_letter_pattern(letter))
    return "".join(pieces)


def _is_mark(letter: str) -> bool:
    return _MARKS.match(letter) is not None


def _letter_pattern(letter: str) -> str:
    if letter.isascii():
        return re.escape(letter)
    apart = unicodedata.normalize("NFD", letter)
    ways = {letter, apart}
    ways |= {unicodedata.normalize("NFD", each) for each in (letter.lower(), letter.upper())}
    escaped = {_number_pattern(each) for each in (*ways, letter.lower(), letter.upper())}
    return f"(?:{'|'.join([*map(re.escape, sorted(ways)), *sorted(escaped)])})"


def _number_pattern(text: str) -> str:
    """Return a pattern for characters as JSON escapes them in ASCII, at any depth."""
    return "".join(re.escape(each) if each.isascii() else _escape_pattern(each) for each in text)


def _escape_pattern(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass").hex()
    return "".join(rf"\\{{1,7}}u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _with_delimiters(text: str, start: int, stop: int) -> tuple[int, int] | None:
    """Return the range of a split word with its delimiters; None if a sign in it is not the
    delimiter of an emphasis."""
    if _MARKS.search(text, start, stop) is None:
        return start, stop
    counts: dict[str, int] = {}
    for found in _DELIMITER.finditer(text, start, stop):
        counts[found.group()] = counts.get(found.group(), 0) + 1
    for sign, count in counts.items():
        if count % 2 == 0:
            continue
        if _is_emphasis_start(text, start, sign):
            start -= len(sign)
        elif _is_emphasis_end(text, stop, sign):
            stop += len(sign)
        elif not _has_partner(text, start, stop, sign):
            return None
    return start, stop


def _is_emphasis_start(text: str, start: int, sign: str) -> bool:
    """Whether an emphasis begins directly before a word; inside words, an underscore is literal."""
    begin = start - len(sign)
    if begin < 0 or text[begin:start] != sign:
        return False
    return sign[0] != "_" or not text[begin - 1 : begin].isalnum() or not begin


def _is_emphasis_end(text: str, stop: int, sign: str) -> bool:
    end = stop + len(sign)
    if text[stop:end] != sign:
        return False
    return sign[0] != "_" or not text[end : end + 1].isalnum()


def _has_partner(text: str, start: int, stop: int, sign: str) -> bool:
    """Whether an emphasis around several words ends or begins inside this one."""
    before = text[max(0, start - _FAR) : start].rpartition("\n")[2]
    behind = text[stop : stop + _FAR].partition("\n")[0]
    mark = re.escape(sign)
    return (
        re.search(rf"(?:^|[\s(\[\"']){mark}(?=[^\s*_`~])", before) is not None
        or re.search(rf"(?<=[^\s*_`~]){mark}(?:$|[\s.,;:!?)\]\"'])", behind) is not None
    )
