"""Splitting text into words, shared by the index, queries, excerpts and tests.

A word is a run of letters and digits in lower case. ASCII is indexed as it is, since the index's
own tokenizer splits it in the same way; of other text, only the runs that are not ASCII are folded
before (`fold_text`), so that they contain only what all Unicode tables agree on: letters, and
spaces.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

LONGEST_WORD = 65_530
"""Maximum bytes of a word that can be found."""

BETWEEN = r"[\x00-/:-`{-\x7f]+"
"""Separators of words in folded lower-case text, where all that is not ASCII is in a word."""
IN_WORDS = r"[^\x00-/:-`{-\x7f]+"
_WORD = re.compile(IN_WORDS)
_SIGNS = (
    *((0x0900, 0x0AFC), (0x0B00, 0x0B54), (0x0B56, 0x0E46), (0x0E48, 0x0E4B), (0x0E4D, 0x0E4D)),
    *((0x0E4F, 0x0ECB), (0x0ECD, 0x0EFF), (0x1000, 0x109F), (0x17B6, 0x17C8)),
)
"""Where marks are vowels, not accents: the scripts of South and South-East Asia."""
_VOICING = "\u3099\u309a"
"""The marks that turn a kana into another one; recomposing makes them part of it again."""
_ALONE = (
    *((0x0E00, 0x109F), (0x1100, 0x11FF), (0x1780, 0x17FF)),  # Thai to Burmese, jamo, Khmer
    *((0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3031, 0x3035), (0x3038, 0x303C)),
    *((0x3040, 0x318F), (0x31A0, 0x31BF), (0x31F0, 0x31FF)),  # kana, bopomofo
    *((0x3400, 0x4DBF), (0x4E00, 0xA4CF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)),  # Han, Yi
    *((0xA960, 0xA97F), (0xAC00, 0xD7FF), (0x1B000, 0x1B16F)),  # Hangul, more kana
)
"""Characters of scripts without spaces, and of Korean, whose words take endings."""
_ARROW = "→"
_SHORT = 16
"""Maximum characters of a run whose folded form is cached."""
_HANDLER = "talktree.folded"
_KEEPING_SIGNS = "talktree.letters"


class WordSpan(NamedTuple):
    """A word and its place in the original text."""

    word: str
    start: int
    end: int


def fold_text(text: str) -> str:
    """Return the text with all but ASCII folded."""
    if text.isascii():
        return text
    # The arrow that tools put after line numbers is often the only such character.
    text = text.replace(_ARROW, " ")
    # The ASCII encoder finds what it cannot encode faster than any pattern could, and calls the
    # handler below for each run of it.
    return text if text.isascii() else text.encode("ascii", _HANDLER).decode()


def normalize_text(text: str) -> str:
    """Return the text as it is indexed: folded, in lower case."""
    return (text if text.isascii() else fold_text(text)).lower()


def keeps_positions(text: str) -> bool:
    """Whether folding keeps positions: each character comes from the one at its position."""
    return text.isascii() or text.replace(_ARROW, " ").isascii()


def split_words(text: str) -> list[str]:
    """Return the words of a text in order, as the index holds them."""
    return [word for word in split_words_with_gaps(text) if word]


def split_words_with_gaps(text: str) -> list[str]:
    """Return the words in order; one that is too long to be found leaves an empty place."""
    found: list[str] = _WORD.findall(normalize_text(text))
    if len(text) <= LONGEST_WORD and text.isascii():
        return found
    return [word if _can_be_found(word) else "" for word in found]


def normalize_letters(text: str) -> str:
    """Return the text letter for letter, signs and blanks included, without case and accents."""
    return (text if text.isascii() else text.encode("ascii", _KEEPING_SIGNS).decode()).lower()


def find_word_spans(text: str) -> list[WordSpan]:
    """Return the words that can be found, each with its place in the text."""
    whole = normalize_text(text)
    if keeps_positions(text):
        return [WordSpan(found[0], *found.span()) for found in _match_findable_words(whole)]
    starts = _map_origins(text, _fold)
    return [
        WordSpan(found[0], starts[found.start()], _find_word_end(text, starts, found.end()))
        for found in _match_findable_words(whole)
    ]


def tag_words(name: str, value: str) -> list[str]:
    """Return the words of a field's value as the index holds them: `model=opus`."""
    return [f"{name}={word}" for word in split_words(value)]


def _match_findable_words(plain: str) -> list[re.Match[str]]:
    return [found for found in _WORD.finditer(plain) if _can_be_found(found[0])]


def _can_be_found(word: str) -> bool:
    return len(word) <= LONGEST_WORD and (word.isascii() or len(word.encode()) <= LONGEST_WORD)


def letter_origins(text: str) -> list[int]:
    """Return which character each one of `normalize_letters` comes from; and the end."""
    return _map_origins(text, _plain)


def _map_origins(text: str, fold: Callable[[str], str]) -> list[int]:
    """Return for each character of a folded text which one it comes from; and the end."""
    origins: list[int] = []
    at = 0
    for batch in re.split("([^\x00-\x7f]+)", text):
        if batch.isascii():
            origins.extend(range(at, at + len(batch)))
        else:
            origins.extend(at + place for place in _run_origins(batch, fold))
        at += len(batch)
    origins.append(at)
    return origins


def _run_origins(run: str, fold: Callable[[str], str]) -> tuple[int, ...]:
    """Return the same for one run that is not ASCII."""
    whole = fold(run)
    singly = [fold(char) for char in run]
    if "".join(singly) == whole:
        return tuple(place for place, part in enumerate(singly) for _ in part)
    # Characters that combine with their neighbours: the folded form of each prefix shows how far it
    # goes.
    origins: list[int] = []
    for place in range(len(run)):
        origins.extend([place] * (len(fold(run[: place + 1])) - len(origins)))
    return tuple(origins[: len(whole)])


def _find_word_end(text: str, origins: list[int], end: int) -> int:
    """Return where a word ends that ends there in folded text: after its last accents."""
    last = origins[end - 1] + 1
    following = origins[end] if end < len(origins) else len(text)
    while last < following and _continues_character(text[last]):
        last += 1
    return last


def _continues_character(char: str) -> bool:
    """Whether it is part of the character before: a mark, or the rest of a Korean syllable."""
    return unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff"


class _Table(dict[int, str]):
    """The folded form of each character, computed when first needed."""

    def __init__(self, made: Callable[[str], str]) -> None:
        self._made = made

    def __missing__(self, code: int) -> str:
        self[code] = made = self._made(chr(code))
        return made


def _fold(run: str) -> str:
    """Return a run that is not ASCII as words of letters without accents, and spaces."""
    return _plain(run).translate(_PARTS)


def _plain(run: str) -> str:
    """Return such a run in compatible forms, without accents and case, but with all its signs."""
    return unicodedata.normalize("NFC", run.translate(_LETTERS)).lower()


def _base_letters(char: str) -> str:
    """Return a character decomposed, without accents."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    return "".join(part for part in apart if not _is_accent(part))


def _is_accent(char: str) -> bool:
    if unicodedata.category(char)[0] != "M":
        return False
    return char not in _VOICING and not (_is_in(_SIGNS, char) and not unicodedata.combining(char))


def _fold_character(char: str) -> str:
    """Return what is left of one character: itself, itself between spaces, or a space."""
    kind = unicodedata.category(char)[0]
    if kind == "M":
        return char if char not in _VOICING else ""
    if kind not in "LN" and not char.isascii():
        return " "
    return f" {char} " if _is_in(_ALONE, char) else char


def _is_in(ranges: Iterable[tuple[int, int]], char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in ranges)


_LETTERS = _Table(_base_letters)
_PARTS = _Table(_fold_character)


@lru_cache(maxsize=16_384)
def _short_fold(run: str) -> bytes:
    """Return the same for the index; most runs are a recurring quote, dash or accent."""
    return _fold(run).encode()


def _fold_unencodable(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    run = error.object[error.start : error.end]
    return (_short_fold(run) if len(run) <= _SHORT else _fold(run).encode()), error.end


def _normalize_unencodable(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    run = _plain(error.object[error.start : error.end])
    return run.encode("utf-8", "replace"), error.end


codecs.register_error(_HANDLER, _fold_unencodable)
codecs.register_error(_KEEPING_SIGNS, _normalize_unencodable)
