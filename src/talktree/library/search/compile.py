"""Queries for the index.

Each comes with what the index cannot tell (signs, what the shape of a conversation says): there it
finds more than was asked for, and `meaning.matches` decides. Nothing a person wrote is given to
tantivy's own query language: words become terms, and the few patterns are made of words, which
have no signs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from tantivy import FieldType, Occur
from tantivy import Query as IndexQuery

from talktree.library.fulltext.index import SCHEMA
from talktree.library.fulltext.tokenizer import tag_words
from talktree.library.search.match import IN_TAGS
from talktree.library.search.phrase_pattern import Pattern, pattern_of
from talktree.library.search.query import (
    All,
    Any,
    Field,
    Is,
    Not,
    Part,
    Prefix,
    Query,
    Row,
    Session,
    Time,
)


class Stretch(Struct, frozen=True):
    """The records of one conversation: a source, or from one place in it to another."""

    source: int
    start: int = 0
    end: int | None = None


class Compiled(Struct, frozen=True):
    """A query for the index."""

    query: IndexQuery
    rest: Query | None = None
    """What is still to be asked of all it finds; None if all of it is what was asked for."""
    ranked: bool = False
    """Whether its scores say anything."""


Sessions = Callable[[str], Sequence[Stretch]]


def compiled(query: Query, sessions: Sessions) -> Compiled:
    """The query for the index; `sessions` knows conversations by the beginnings of their ids."""
    match query:
        case Row(words=words):
            return Compiled(_row(words), ranked=True)
        case Prefix(words=words):
            pattern = Pattern(words, whole_first=True, whole_last=False)
            return _patterned(pattern, None if len(words) == 1 else query)
        case Part(text=text):
            pattern = pattern_of(text)
            return _patterned(pattern, None if pattern.tells_all(text) else query)
        case Field(name=name, words=words):
            return Compiled(_unscored(_field(name, words)))
        case Time(start=start, end=end):
            return Compiled(_unscored(_time(start, end)))
        case Is(what=what):
            if what in IN_TAGS:
                return Compiled(_unscored(_tag(f"is={what}")))
            return Compiled(_everything(), query)
        case Session(id=id):
            return Compiled(_unscored(_stretches(sessions(id))))
        case All(parts=parts):
            return _all(parts, sessions)
        case Any(parts=parts):
            return _any(query, [compiled(part, sessions) for part in parts])
        case Not():
            return _all((query,), sessions)


def _row(words: Sequence[str]) -> IndexQuery:
    if len(words) == 1:
        return IndexQuery.term_query(SCHEMA, "body", words[0])
    return IndexQuery.phrase_query(SCHEMA, "body", list(words))


def _patterned(pattern: Pattern, rest: Query | None) -> Compiled:
    """Words of which the ends may go on: each must be there; their order is told by the text."""
    if pattern.is_everything():
        return Compiled(_everything(), rest)
    words = list(pattern.words)
    needed: list[IndexQuery] = []
    if len(words) == 1:
        before = "" if pattern.whole_first else ".*"
        behind = "" if pattern.whole_last else ".*"
        needed.append(_like(before, words.pop(), behind))
    if words and not pattern.whole_first:
        needed.append(_like(".*", words.pop(0), ""))
    if words and not pattern.whole_last:
        needed.append(_like("", words.pop(), ".*"))
    if words:
        needed.append(_row(words))
    return Compiled(_both(needed), rest, ranked=True)


def _like(before: str, word: str, behind: str) -> IndexQuery:
    """Words that have this one in them; words are letters and digits, which mean themselves."""
    if not before and not behind:
        return _row([word])
    return IndexQuery.regex_query(SCHEMA, "body", f"{before}{word}{behind}")


def _field(name: str, words: Sequence[str]) -> IndexQuery:
    if name == "file":
        return _both([IndexQuery.term_query(SCHEMA, "file", word) for word in words])
    return _both([_tag(tag) for word in words for tag in tag_words(name, word)])


def _tag(tag: str) -> IndexQuery:
    return IndexQuery.term_query(SCHEMA, "tag", tag, "basic")


def _time(start: int | None, end: int | None) -> IndexQuery:
    return IndexQuery.range_query(
        SCHEMA, "time", FieldType.Integer, start, end, include_upper=end is None
    )


def _stretches(found: Sequence[Stretch]) -> IndexQuery:
    whole = [place.source for place in found if not place.start and place.end is None]
    parts = [_stretch(place) for place in found if place.start or place.end is not None]
    if whole:
        parts.append(IndexQuery.term_set_query(SCHEMA, "source", whole))
    return IndexQuery.boolean_query([(Occur.Should, part) for part in parts])


def _stretch(place: Stretch) -> IndexQuery:
    return _both(
        [
            IndexQuery.term_query(SCHEMA, "source", place.source),
            IndexQuery.range_query(
                SCHEMA,
                "at",
                FieldType.Unsigned,
                place.start,
                place.end,
                include_upper=place.end is None,
            ),
        ]
    )


def _all(parts: Sequence[Query], sessions: Sessions) -> Compiled:
    clauses: list[tuple[Occur, IndexQuery]] = []
    rest: list[Query] = []
    ranked = False
    for part in parts:
        found = compiled(part.part if isinstance(part, Not) else part, sessions)
        if not isinstance(part, Not):
            clauses.append((Occur.Must, found.query))
            ranked = ranked or found.ranked
            rest += [found.rest] if found.rest else []
        elif found.rest is None:
            clauses.append((Occur.MustNot, found.query))
        else:
            # What might match cannot be left out: it might also not match.
            rest.append(part)
    if all(occur == Occur.MustNot for occur, _ in clauses):
        clauses.append((Occur.Must, _everything()))
    left = rest[0] if len(rest) == 1 else All(tuple(rest)) if rest else None
    return Compiled(IndexQuery.boolean_query(clauses), left, ranked)


def _any(query: Query, parts: Sequence[Compiled]) -> Compiled:
    return Compiled(
        IndexQuery.boolean_query([(Occur.Should, part.query) for part in parts]),
        query if any(part.rest for part in parts) else None,
        any(part.ranked for part in parts),
    )


def _both(parts: Sequence[IndexQuery]) -> IndexQuery:
    if len(parts) == 1:
        return parts[0]
    return IndexQuery.boolean_query([(Occur.Must, part) for part in parts])


def _unscored(query: IndexQuery) -> IndexQuery:
    """A condition that says nothing of how good a piece is."""
    return IndexQuery.const_score_query(query, 0.0)


def _everything() -> IndexQuery:
    return _unscored(IndexQuery.all_query())
