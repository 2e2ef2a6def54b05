"""Matching a query with a piece, and finding the matches to show in a text.

This is the definition: the index must find exactly the pieces that match here. It also decides
where the index only finds pieces that might match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec import Struct

from talktree.library.fulltext.tokenizer import (
    BETWEEN,
    IN_WORDS,
    WordSpan,
    find_word_spans,
    keeps_positions,
    letter_origins,
    normalize_letters,
    normalize_text,
    split_words,
    tag_words,
)
from talktree.library.search.phrase_pattern import Pattern, make_pattern
from talktree.library.search.query import (
    AllOf,
    AnyOf,
    Field,
    HasState,
    Negation,
    Phrase,
    Prefix,
    Query,
    SessionIs,
    Substring,
    TimeWindow,
)

if TYPE_CHECKING:
    from talktree.library.extract.facts import SearchPiece


_REST = re.compile(IN_WORDS)
"""The rest of a word."""


class Needle(Struct, frozen=True):
    """Consecutive words, or a text anywhere."""

    pattern: Pattern | None
    text: str
    """The text, or the first word."""
    row: re.Pattern[str] | None = None
    """A pattern for several words in folded lower-case text."""


class NeedleText:
    """A text in the forms that needles search, made on demand: folded, or by its letters."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _folded(self) -> str:
        return normalize_text(self.text)

    @cached_property
    def _letters(self) -> str:
        return normalize_letters(self.text)

    def text_for(self, needle: Needle) -> str:
        """Return the text in which a needle is searched."""
        return self._letters if needle.pattern is None else self._folded


class NeedleMatch(NamedTuple):
    """Where a needle is in a text."""

    start: int
    end: int
    needle: int


def collect_needles(query: Query) -> list[Needle]:
    """Return what is to be shown, in the order of the query, without what it excludes."""
    found: list[Needle] = []
    rest = [query]
    while rest:
        match rest.pop(0):
            case Phrase(words=words):
                found.append(_make_word_needle(words, whole_last=True))
            case Prefix(words=words):
                found.append(_make_word_needle(words, whole_last=False))
            case Substring(text=text):
                found.append(Needle(None, text))
            case AllOf(parts=parts) | AnyOf(parts=parts):
                rest = [*parts, *rest]
            case _:
                continue
    return list(dict.fromkeys(found))


def _make_word_needle(words: tuple[str, ...], *, whole_last: bool) -> Needle:
    pattern = Pattern(words, whole_first=True, whole_last=whole_last)
    row = re.compile(BETWEEN.join(words)) if len(words) > 1 else None
    return Needle(pattern, words[0], row)


def find_needles(text: str, needles: list[Needle]) -> list[NeedleMatch]:
    """Return the matches of the needles, in the order of the text, without those inside others."""
    if keeps_positions(text):
        plain = NeedleText(text)
        found = [
            NeedleMatch(start, end, number)
            for number, needle in enumerate(needles)
            for start, end in find_occurrences(plain, needle)
        ]
    else:
        found = _find_needles_by_origin(text, needles)
    return _drop_overlapping(sorted(found, key=lambda mark: (mark.start, -mark.end)))


def find_occurrences(text: NeedleText, needle: Needle) -> Iterator[tuple[int, int]]:
    """Yield the matches of a needle in the form of the text it searches."""
    plain = text.text_for(needle)
    if needle.row:
        for found in needle.row.finditer(plain):
            yield from _match_whole_words(plain, *found.span(), needle)
        return
    at = plain.find(needle.text)
    while at >= 0:
        end = at + len(needle.text)
        yield from _match_whole_words(plain, at, end, needle)
        at = plain.find(needle.text, end)


def _match_whole_words(
    plain: str, start: int, end: int, needle: Needle
) -> Iterator[tuple[int, int]]:
    """Yield the matches, extended to the end of their word; those inside a word are left out."""
    if needle.pattern is None:
        yield start, end
        return
    goes_on = _REST.match(plain, end)
    stop = goes_on.end() if goes_on else end
    if (not start or not _REST.match(plain, start - 1)) and (
        stop == end or not needle.pattern.whole_last
    ):
        yield start, stop


def _find_needles_by_origin(text: str, needles: list[Needle]) -> list[NeedleMatch]:
    """Return the same where folding moves text: words by their places in the original text."""
    placed = find_word_spans(text) if any(needle.pattern for needle in needles) else []
    found: list[NeedleMatch] = []
    for number, needle in enumerate(needles):
        if needle.pattern is None:
            found += _find_substrings(text, needle.text, number)
        else:
            found += _find_phrases(placed, needle.pattern, number)
    return found


def _find_phrases(placed: list[WordSpan], pattern: Pattern, number: int) -> list[NeedleMatch]:
    count = len(pattern.words)
    words = [span.word for span in placed]
    return [
        NeedleMatch(placed[at].start, placed[at + count - 1].end, number)
        for at in range(len(words) - count + 1)
        if pattern.fits(words[at : at + count])
    ]


def _find_substrings(text: str, part: str, number: int) -> list[NeedleMatch]:
    plain = normalize_letters(text)
    origins = letter_origins(text)
    found = []
    at = plain.find(part)
    while at >= 0:
        end = at + len(part)
        found.append(NeedleMatch(origins[at], max(origins[end - 1] + 1, origins[end]), number))
        at = plain.find(part, end)
    return found


def _drop_overlapping(marks: list[NeedleMatch]) -> list[NeedleMatch]:
    kept: list[NeedleMatch] = []
    for mark in marks:
        if not kept or mark.start >= kept[-1].end:
            kept.append(mark)
    return kept


IN_TAGS = frozenset({"error", "sidechain", "deleted"})
"""States of the piece itself; the others depend on the tree of its conversation."""


class SearchableLike(Protocol):
    """A piece as queries see it; each property is computed on demand."""

    @property
    def piece(self) -> SearchPiece:
        """The piece."""

    @property
    def state(self) -> str:
        """The state of its record relative to the current leaf."""

    @property
    def conversation(self) -> str:
        """The id of its conversation."""

    @property
    def row(self) -> list[str]:
        """Its words in order, with empty places for those that are too long."""

    @property
    def letters(self) -> str:
        """Its text without case and accents."""


def matches(query: Query, seen: SearchableLike) -> bool:
    """Whether a piece matches the query."""
    match query:
        case Phrase(words=found):
            return has_in_order(seen.row, Pattern(found, whole_first=True, whole_last=True))
        case Prefix(words=found):
            return has_in_order(seen.row, Pattern(found, whole_first=True, whole_last=False))
        case Substring(text=text):
            return text in seen.letters and _has_words(text, seen)
        case Field(name=name, words=found):
            return has_in_field(seen.piece, name, found)
        case TimeWindow(start=start, end=end):
            return _is_between(seen.piece.time, start, end)
        case HasState(what=what):
            return _has_state(what, seen)
        case SessionIs(id=id):
            return seen.conversation.startswith(id)
        case AllOf(parts=parts):
            return all(matches(part, seen) for part in parts)
        case AnyOf(parts=parts):
            return any(matches(part, seen) for part in parts)
        case Negation(part=part):
            return not matches(part, seen)


def has_in_order(found: list[str], pattern: Pattern) -> bool:
    """Whether these words follow each other anywhere."""
    count = len(pattern.words)
    return not count or any(
        pattern.fits(found[start : start + count]) for start in range(len(found) - count + 1)
    )


def _has_words(text: str, seen: SearchableLike) -> bool:
    """Whether the text occurs outside of words that are too long to be found."""
    pattern = make_pattern(text)
    return not pattern.words or has_in_order(seen.row, pattern)


def _has_state(what: str, seen: SearchableLike) -> bool:
    if what in IN_TAGS:
        return f"is={what}" in seen.piece.tags.split()
    return seen.state == what


def has_in_field(piece: SearchPiece, name: str, found: tuple[str, ...]) -> bool:
    """Whether a field of a piece has all these words."""
    if name == "file":
        return set(split_words(piece.files)).issuperset(found)
    tags = piece.tags.split()
    return all(tag in tags for word in found for tag in tag_words(name, word))


def _is_between(time: int | None, start: int | None, end: int | None) -> bool:
    if time is None:
        return False
    return (start is None or start <= time) and (end is None or time < end)
