"""Compiling queries for the index.

Each comes with what the index cannot decide (signs, the tree of a conversation): there it finds too
much, and `match.matches` decides. User input never reaches tantivy's own query language: words
become terms, and the few patterns are made of words, which have no signs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from tantivy import FieldType, Occur
from tantivy import Query as IndexQuery

from talktree.library.fulltext.index import SCHEMA
from talktree.library.fulltext.tokenizer import tag_words
from talktree.library.search.match import IN_TAGS
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


class RecordRange(Struct, frozen=True):
    """The records of one conversation: a source, or from one place in it to another."""

    source: int
    start: int = 0
    end: int | None = None


class Compiled(Struct, frozen=True):
    """A query for the index."""

    query: IndexQuery
    rest: Query | None = None
    """The conditions that remain to be checked for its results; None if all of them match."""
    ranked: bool = False
    """Whether its scores are meaningful."""


Sessions = Callable[[str], Sequence[RecordRange]]


def compile_query(query: Query, sessions: Sessions) -> Compiled:
    """Compile a query for the index; `sessions` finds conversations by prefixes of their ids."""
    match query:
        case Phrase(words=words):
            return Compiled(_compile_phrase(words), ranked=True)
        case Prefix(words=words):
            pattern = Pattern(words, whole_first=True, whole_last=False)
            return _compile_pattern(pattern, None if len(words) == 1 else query)
        case Substring(text=text):
            pattern = make_pattern(text)
            return _compile_pattern(pattern, None if pattern.is_exact_for(text) else query)
        case Field(name=name, words=words):
            return Compiled(_without_score(_compile_field(name, words)))
        case TimeWindow(start=start, end=end):
            return Compiled(_without_score(_compile_time(start, end)))
        case HasState(what=what):
            if what in IN_TAGS:
                return Compiled(_without_score(_compile_tag(f"is={what}")))
            return Compiled(_match_everything(), query)
        case SessionIs(id=id):
            return Compiled(_without_score(_compile_ranges(sessions(id))))
        case AllOf(parts=parts):
            return _compile_all(parts, sessions)
        case AnyOf(parts=parts):
            return _compile_any(query, [compile_query(part, sessions) for part in parts])
        case Negation():
            return _compile_all((query,), sessions)


def _compile_phrase(words: Sequence[str]) -> IndexQuery:
    if len(words) == 1:
        return IndexQuery.term_query(SCHEMA, "body", words[0])
    return IndexQuery.phrase_query(SCHEMA, "body", list(words))


def _compile_pattern(pattern: Pattern, rest: Query | None) -> Compiled:
    """Compile words with open ends: each must occur; the text decides about their order."""
    if pattern.is_everything():
        return Compiled(_match_everything(), rest)
    words = list(pattern.words)
    needed: list[IndexQuery] = []
    if len(words) == 1:
        before = "" if pattern.whole_first else ".*"
        behind = "" if pattern.whole_last else ".*"
        needed.append(_compile_words_like(before, words.pop(), behind))
    if words and not pattern.whole_first:
        needed.append(_compile_words_like(".*", words.pop(0), ""))
    if words and not pattern.whole_last:
        needed.append(_compile_words_like("", words.pop(), ".*"))
    if words:
        needed.append(_compile_phrase(words))
    return Compiled(_require_both(needed), rest, ranked=True)


def _compile_words_like(before: str, word: str, behind: str) -> IndexQuery:
    """Return a pattern for words that contain this one; words need no escaping."""
    if not before and not behind:
        return _compile_phrase([word])
    return IndexQuery.regex_query(SCHEMA, "body", f"{before}{word}{behind}")


def _compile_field(name: str, words: Sequence[str]) -> IndexQuery:
    if name == "file":
        return _require_both([IndexQuery.term_query(SCHEMA, "file", word) for word in words])
    return _require_both([_compile_tag(tag) for word in words for tag in tag_words(name, word)])


def _compile_tag(tag: str) -> IndexQuery:
    return IndexQuery.term_query(SCHEMA, "tag", tag, "basic")


def _compile_time(start: int | None, end: int | None) -> IndexQuery:
    return IndexQuery.range_query(
        SCHEMA, "time", FieldType.Integer, start, end, include_upper=end is None
    )


def _compile_ranges(found: Sequence[RecordRange]) -> IndexQuery:
    whole = [place.source for place in found if not place.start and place.end is None]
    parts = [_compile_range(place) for place in found if place.start or place.end is not None]
    if whole:
        parts.append(IndexQuery.term_set_query(SCHEMA, "source", whole))
    return IndexQuery.boolean_query([(Occur.Should, part) for part in parts])


def _compile_range(place: RecordRange) -> IndexQuery:
    return _require_both(
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


def _compile_all(parts: Sequence[Query], sessions: Sessions) -> Compiled:
    clauses: list[tuple[Occur, IndexQuery]] = []
    rest: list[Query] = []
    ranked = False
    for part in parts:
        found = compile_query(part.part if isinstance(part, Negation) else part, sessions)
        if not isinstance(part, Negation):
            clauses.append((Occur.Must, found.query))
            ranked = ranked or found.ranked
            rest += [found.rest] if found.rest else []
        elif found.rest is None:
            clauses.append((Occur.MustNot, found.query))
        else:
            # What might match cannot be excluded: it might also not match.
            rest.append(part)
    if all(occur == Occur.MustNot for occur, _ in clauses):
        clauses.append((Occur.Must, _match_everything()))
    left = rest[0] if len(rest) == 1 else AllOf(tuple(rest)) if rest else None
    return Compiled(IndexQuery.boolean_query(clauses), left, ranked)


def _compile_any(query: Query, parts: Sequence[Compiled]) -> Compiled:
    return Compiled(
        IndexQuery.boolean_query([(Occur.Should, part.query) for part in parts]),
        query if any(part.rest for part in parts) else None,
        any(part.ranked for part in parts),
    )


def _require_both(parts: Sequence[IndexQuery]) -> IndexQuery:
    if len(parts) == 1:
        return parts[0]
    return IndexQuery.boolean_query([(Occur.Must, part) for part in parts])


def _without_score(query: IndexQuery) -> IndexQuery:
    """Return a condition that does not affect the score."""
    return IndexQuery.const_score_query(query, 0.0)


def _match_everything() -> IndexQuery:
    return _without_score(IndexQuery.all_query())
