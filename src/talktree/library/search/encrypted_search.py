"""Queries for the index of an encrypted library (SQLite's FTS5).

User input never becomes part of a statement: a query becomes conditions with `?` in them, and FTS5
expressions are made of quoted words, which have no signs.

Ranking is BM25 in both kinds of index. Prefixes, substrings and conditions do not affect it in
either.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from msgspec import Struct

from talktree.errors import Unreadable
from talktree.library.database.connection import Row as DatabaseRow
from talktree.library.fulltext.champions import find_best
from talktree.library.fulltext.encrypted_index import EncryptedFullText
from talktree.library.fulltext.index import CorruptIndex, PieceAddress
from talktree.library.fulltext.tokenizer import tag_words
from talktree.library.search.compile import RecordRange
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

Sessions = Callable[[str], Sequence[RecordRange]]

_IN_BODY = "d.id IN (SELECT rowid FROM body WHERE body MATCH ?)"
_IN_FILES = "d.id IN (SELECT rowid FROM files WHERE files MATCH ?)"
_IN_ANY = """d.id IN (SELECT b.rowid FROM json_each(?) AS word
  CROSS JOIN body AS b WHERE b.body MATCH word.value)"""
_HAS_TAG = "d.tags IN (SELECT id FROM tags WHERE instr(' ' || words || ' ', ?) > 0)"
_COUNT = "SELECT count(*) FROM body WHERE body MATCH ?"
_BEST = """SELECT d.source, d.at, d.part, s.score FROM
  (SELECT rowid, rank AS score FROM body WHERE body MATCH ? ORDER BY score, rowid LIMIT ? OFFSET ?)
  AS s CROSS JOIN documents AS d ON d.id = s.rowid ORDER BY s.score, d.id"""
"""Only the requested documents are looked up, after they were sorted."""
_EVERYTHING, _NOTHING = "1", "0"
_ORDERS = {
    "best": "score, d.id",
    "new": "d.time DESC NULLS LAST, d.id",
    "old": "d.time ASC NULLS LAST, d.id",
}


class Condition(Struct, frozen=True):
    """A condition on a document `d`."""

    sql: str
    values: tuple[object, ...] = ()


class CompiledCondition(Struct, frozen=True):
    """A query for the index."""

    match: str | None = None
    """Words that a text must have, as an FTS5 expression whose scores count."""
    unscored: str | None = None
    """More words that it must have, whose scores do not count."""
    also: Condition | None = None
    """Another condition that must hold."""
    word: str | None = None
    """The only word of `match`, if it has just one."""
    score: str | None = None
    """An expression that gives a score to documents that need not match it."""
    rest: Query | None = None
    ranked: bool = False

    @property
    def words(self) -> str | None:
        """All words that a text must have, as an FTS5 expression."""
        return _combine_expressions("AND", [each for each in (self.match, self.unscored) if each])

    def condition(self) -> Condition:
        """Return the whole query as a condition."""
        parts = [] if self.words is None else [Condition(_IN_BODY, (self.words,))]
        return _combine_conditions("AND", [*parts, *([self.also] if self.also else [])])


class EncryptedMatches:
    """The results of a query in the index of an encrypted library."""

    def __init__(self, index: EncryptedFullText, query: Query, sessions: Sessions) -> None:
        self._index = index
        index.searcher()
        self._compiled = _Compiler(index, sessions).compile(query)
        self.rest = self._compiled.rest
        self.ranked = self._compiled.ranked
        self._found: list[tuple[float, PieceAddress]] | None = None

    def count(self) -> int:
        """Return how many there are."""
        found = self._compiled
        if found.words is not None and found.also is None:
            return int(self._read_rows(_COUNT, (found.words,))[0][0])
        sql, values = self._from_clause(scored=False)
        return int(self._read_rows(f"SELECT count(*) {sql}", values)[0][0])

    def places(self) -> list[PieceAddress]:
        """Return all of them, in no order."""
        sql, values = self._from_clause(scored=False)
        rows = self._read_rows(f"SELECT d.source, d.at, d.part {sql}", values)
        return [PieceAddress(*row) for row in rows]

    def page(
        self, sort: str, size: int, offset: int, *, is_last: bool
    ) -> list[tuple[float, PieceAddress]]:
        """Return some of them in order, with their scores.

        If others follow, all are found first: later commits must not move them.
        """
        if is_last:
            return self._read_page(sort, size, offset)
        if self._found is None:
            self._found = self._read_page(sort, -1, 0)
        return self._found[offset : offset + size]

    def _read_page(self, sort: str, size: int, offset: int) -> list[tuple[float, PieceAddress]]:
        found = self._compiled
        scored = sort == "best" and found.score is not None
        if scored and found.match is not None and found.unscored is None and found.also is None:
            if found.word is not None and size >= 0:
                best = self._best_of(found.word, size + offset)
                if best is not None:
                    return best[offset:]
            rows = self._read_rows(_BEST, (found.match, size, offset))
            return [(-row[3], PieceAddress(*row[:3])) for row in rows]
        sql, values = self._from_clause(scored=scored)
        score = "coalesce(s.score, 0.0)" if scored else "0.0"
        order = _ORDERS[sort]
        if sort == "best" and not scored:
            # The index has them in this order, so it need not find all.
            order = "d.id" if found.words is None else "body.rowid"
        rows = self._read_rows(
            f"SELECT d.source, d.at, d.part, {score} AS score {sql} "
            f"ORDER BY {order} LIMIT ? OFFSET ?",
            (*values, size, offset),
        )
        return [(-row[3], PieceAddress(*row[:3])) for row in rows]

    def _best_of(self, word: str, count: int) -> list[tuple[float, PieceAddress]] | None:
        """Return the first documents of a common word, without scoring all of them."""
        try:
            found = find_best(self._index.db, word, count)
        except Unreadable as error:
            raise CorruptIndex(error.message) from error
        return None if found is None else [(-score, PieceAddress(*place)) for score, place in found]

    def _from_clause(self, *, scored: bool) -> tuple[str, tuple[object, ...]]:
        """Return the FROM clause and its condition."""
        found = self._compiled
        if scored and found.match is not None:
            # The expression that is matched anyway also gives the scores.
            more = [] if found.unscored is None else [Condition(_IN_BODY, (found.unscored,))]
            also = _combine_conditions("AND", [*more, *([found.also] if found.also else [])])
            return (
                "FROM (SELECT rowid, rank AS score FROM body WHERE body MATCH ?) AS s "
                f"CROSS JOIN documents AS d ON d.id = s.rowid WHERE {also.sql}",
                (found.match, *also.values),
            )
        whole = found.condition()
        if found.words is not None and not scored:
            also = found.also or Condition(_EVERYTHING)
            return (
                "FROM body CROSS JOIN documents AS d ON d.id = body.rowid "
                f"WHERE body MATCH ? AND {also.sql}",
                (found.words, *also.values),
            )
        if scored:
            return (
                "FROM documents AS d LEFT JOIN (SELECT rowid, rank AS score FROM body "
                f"WHERE body MATCH ?) AS s ON s.rowid = d.id WHERE {whole.sql}",
                (found.score, *whole.values),
            )
        return f"FROM documents AS d WHERE {whole.sql}", whole.values

    def _read_rows(self, sql: str, values: Sequence[object]) -> list[DatabaseRow]:
        try:
            return self._index.db.read(sql, values)
        except Unreadable as error:
            raise CorruptIndex(error.message) from error


class _Compiler:
    """Compiles queries to conditions."""

    def __init__(self, index: EncryptedFullText, sessions: Sessions) -> None:
        self._index = index
        self._sessions = sessions

    def compile(self, query: Query) -> CompiledCondition:
        """Compile a query for the index."""
        match query:
            case Phrase(words=words):
                found = _format_phrase(words)
                word = words[0] if len(words) == 1 else None
                return CompiledCondition(found, word=word, score=found, ranked=True)
            case Prefix(words=words):
                return CompiledCondition(unscored=_format_phrase(words) + " *", ranked=True)
            case Substring(text=text):
                return self._compile_pattern(query, make_pattern(text), text)
            case Field(name=name, words=words):
                return CompiledCondition(also=_compile_field(name, words))
            case TimeWindow(start=start, end=end):
                return CompiledCondition(also=_compile_time(start, end))
            case HasState(what=what):
                if what in IN_TAGS:
                    return CompiledCondition(also=_compile_tag(f"is={what}"))
                return CompiledCondition(rest=query)
            case SessionIs(id=id):
                return CompiledCondition(also=_compile_ranges(self._sessions(id)))
            case AllOf(parts=parts):
                return self._compile_all(parts)
            case AnyOf(parts=parts):
                return self._compile_any(query, [self.compile(part) for part in parts])
            case Negation():
                return self._compile_all((query,))

    def _compile_pattern(self, query: Query, pattern: Pattern, text: str) -> CompiledCondition:
        """Compile words with open ends: each must occur; the text decides about their order."""
        rest = None if pattern.is_exact_for(text) else query
        if pattern.is_everything():
            return CompiledCondition(rest=rest)
        words = list(pattern.words)
        needed: list[Condition] = []
        if len(words) == 1:
            needed.append(self._compile_words_like(words.pop(), pattern))
        if words and not pattern.whole_first:
            needed.append(self._compile_words_like(words.pop(0), pattern, ends=True))
        if words and not pattern.whole_last:
            needed.append(Condition(_IN_BODY, (_format_phrase([words.pop()]) + " *",)))
        if words:
            needed.append(Condition(_IN_BODY, (_format_phrase(words),)))
        return CompiledCondition(also=_combine_conditions("AND", needed), rest=rest, ranked=True)

    def _compile_words_like(self, word: str, pattern: Pattern, *, ends: bool = False) -> Condition:
        """Compile words that contain this one, at their ends if the pattern is whole there."""
        before = ends or not pattern.whole_first
        behind = not ends and not pattern.whole_last
        if not before:
            return Condition(_IN_BODY, (_format_phrase([word]) + (" *" if behind else ""),))
        found = self._index.find_words_like(".*", word, ".*" if behind else "")
        return Condition(_IN_ANY, (json.dumps([_format_phrase([each]) for each in found]),))

    def _compile_all(self, parts: Sequence[Query]) -> CompiledCondition:
        matches: list[str] = []
        unscored: list[str] = []
        also: list[Condition] = []
        scores: list[str] = []
        rest: list[Query] = []
        ranked = False
        for part in parts:
            found = self.compile(part.part if isinstance(part, Negation) else part)
            if isinstance(part, Negation):
                if found.rest is None:
                    also.append(_negate(found.condition()))
                else:
                    # What might match cannot be excluded: it might also not match.
                    rest.append(part)
                continue
            matches += [found.match] if found.match else []
            unscored += [found.unscored] if found.unscored else []
            also += [found.also] if found.also else []
            scores += [found.score] if found.score else []
            rest += [found.rest] if found.rest else []
            ranked = ranked or found.ranked
        left = rest[0] if len(rest) == 1 else AllOf(tuple(rest)) if rest else None
        condition = _combine_conditions("AND", also) if also else None
        return CompiledCondition(
            _combine_expressions("AND", matches),
            _combine_expressions("AND", unscored),
            condition,
            score=_combine_expressions("OR", scores),
            rest=left,
            ranked=ranked,
        )

    def _compile_any(self, query: Query, parts: Sequence[CompiledCondition]) -> CompiledCondition:
        scores = _combine_expressions("OR", [part.score for part in parts if part.score])
        rest = query if any(part.rest for part in parts) else None
        ranked = any(part.ranked for part in parts)
        plain = [part.match for part in parts if part.match and not part.unscored]
        if len(plain) == len(parts) and not any(part.also for part in parts):
            return CompiledCondition(
                _combine_expressions("OR", plain), score=scores, rest=rest, ranked=ranked
            )
        also = _combine_conditions("OR", [part.condition() for part in parts])
        return CompiledCondition(also=also, score=scores, rest=rest, ranked=ranked)


def _format_phrase(words: Sequence[str]) -> str:
    """Return consecutive words as an FTS5 expression; words do not contain quotes."""
    return '"' + " ".join(words) + '"'


def _combine_expressions(operator: str, parts: Sequence[str]) -> str | None:
    """Join FTS5 expressions with an operator."""
    if len(parts) < 2:
        return parts[0] if parts else None
    return "(" + f" {operator} ".join(parts) + ")"


def _combine_conditions(operator: str, parts: Sequence[Condition]) -> Condition:
    """Join conditions as a balanced tree: SQLite rejects expressions that are nested too deeply."""
    if not parts:
        return Condition(_EVERYTHING if operator == "AND" else _NOTHING)
    level = [*parts]
    while len(level) > 1:
        pairs = [level[at : at + 2] for at in range(0, len(level), 2)]
        level = [
            pair[0]
            if len(pair) == 1
            else Condition(
                f"({pair[0].sql} {operator} {pair[1].sql})", pair[0].values + pair[1].values
            )
            for pair in pairs
        ]
    return level[0]


def _negate(condition: Condition) -> Condition:
    return Condition(f"NOT coalesce({condition.sql}, 0)", condition.values)


def _compile_field(name: str, words: Sequence[str]) -> Condition:
    if name == "file":
        return _combine_conditions(
            "AND", [Condition(_IN_FILES, (_format_phrase([word]),)) for word in words]
        )
    return _combine_conditions(
        "AND", [_compile_tag(tag) for word in words for tag in tag_words(name, word)]
    )


def _compile_tag(tag: str) -> Condition:
    return Condition(_HAS_TAG, (f" {tag} ",))


def _compile_time(start: int | None, end: int | None) -> Condition:
    parts = [Condition("d.time IS NOT NULL")]
    parts += [] if start is None else [Condition("d.time >= ?", (start,))]
    parts += [] if end is None else [Condition("d.time < ?", (end,))]
    return _combine_conditions("AND", parts)


def _compile_ranges(found: Sequence[RecordRange]) -> Condition:
    return _combine_conditions("OR", [_compile_range(place) for place in found])


def _compile_range(place: RecordRange) -> Condition:
    if place.end is None:
        return Condition("(d.source = ? AND d.at >= ?)", (place.source, place.start))
    return Condition(
        "(d.source = ? AND d.at >= ? AND d.at < ?)", (place.source, place.start, place.end)
    )
