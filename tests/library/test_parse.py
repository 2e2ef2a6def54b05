"""Queries as users write them: their meaning, and the errors for invalid ones."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import UsageError
from talktree.library.search.parse import DEEPEST, LONGEST, BadQuery, parse, parse_moment
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
from tests.cases import examples

A, B, C, D = (Phrase((word,)) for word in "abcd")
NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", A),
        ("  a  ", A),
        ("a b", AllOf((A, B))),
        ("a AND b", AllOf((A, B))),
        ("a OR b", AnyOf((A, B))),
        ("a b OR c d", AllOf((A, AnyOf((B, C)), D))),
        ("a OR b OR c", AnyOf((A, B, C))),
        ("(a b) OR c", AnyOf((AllOf((A, B)), C))),
        ("((a))", A),
        ("a -b", AllOf((A, Negation(B)))),
        ("a NOT b", AllOf((A, Negation(B)))),
        ("a -(b c)", AllOf((A, Negation(AllOf((B, C)))))),
        ("a NOT (b OR c)", AllOf((A, Negation(AnyOf((B, C)))))),
        ("a OR -b", AnyOf((A, Negation(B)))),
        ('a -"b c"', AllOf((A, Negation(Phrase(("b", "c")))))),
        ('"b c"', Phrase(("b", "c"))),
        ("foo.bar", Phrase(("foo", "bar"))),
        ("/usr/lib", Phrase(("usr", "lib"))),
        ("main()", Phrase(("main",))),
        ("f(x)", Phrase(("f", "x"))),
        ("(f(x) b)", AllOf((Phrase(("f", "x")), B))),
        ("--verbose", Phrase(("verbose",))),
        ("well-known", Phrase(("well", "known"))),
        ("http://a.b", Phrase(("http", "a", "b"))),
        ("std::b", Phrase(("std", "b"))),
        ("12:30", Phrase(("12", "30"))),
        ("and or not", AllOf((Phrase(("and",)), Phrase(("or",)), Phrase(("not",))))),
        ("ORDER", Phrase(("order",))),
        ("Pre*", Prefix(("pre",))),
        ("foo.ba*", Prefix(("foo", "ba"))),
        ("東京*", Prefix(("東", "京"))),
        ("*Mid*", Substring("mid")),
        ("*a.b*", Substring("a.b")),
        ('has:"any \\"text\\" -> C:\\\\x"', Substring('any "text" -> c:\\x')),
        ("has:->", Substring("->")),
        ("role:user", Field("role", ("user",))),
        ("ROLE:User", Field("role", ("user",))),
        ("-tool:bash a", AllOf((Negation(Field("tool", ("bash",))), A))),
        ('project:"tide tables"', Field("project", ("tide", "tables"))),
        ("model:claude-opus-4", Field("model", ("claude", "opus", "4"))),
        ("file:src/main.py", Field("file", ("src", "main", "py"))),
        ("is:Error", HasState("error")),
        ("session:01-ab", SessionIs("01-ab")),
        ('a"b c"', AllOf((A, Phrase(("b", "c"))))),
    ],
)
def test_queries_are_parsed(text: str, expected: Query) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "position", "why", "hint"),
    [
        ("", 0, "empty", "words"),
        ("   ", 0, "empty", "words"),
        ("a (b", 2, "never closed", "add a )"),
        ("a b)", 3, "no (", "take it out"),
        ("a ()", 2, "nothing in", "take them out"),
        ('a "b', 2, "never closed", 'add a "'),
        ('"a \\"', 0, "never closed", '\\"'),
        ("-a", 0, "what not to find", "add a word"),
        ("-a -b", 0, "what not to find", "add a word"),
        ("NOT (a b)", 0, "what not to find", "add a word"),
        ("-a OR -b", 0, "what not to find", "add a word"),
        ("a OR", 2, "behind OR", '"OR"'),
        ("a AND", 2, "behind AND", '"AND"'),
        ("(a OR) b", 3, "behind OR", '"OR"'),
        ("OR a", 0, "before OR", '"OR"'),
        ("a OR OR b", 5, "before OR", '"OR"'),
        ("a (AND b)", 3, "before AND", '"AND"'),
        ("a NOT", 2, "leave out", "behind"),
        ("a - b", 2, "leave out", "behind"),
        ("a -", 2, "leave out", "behind"),
        ("a rol:user", 2, "no field rol:", "role:"),
        ("modle:x", 0, "no field modle:", "did you mean model:"),
        ("zzz:x", 0, "no field zzz:", "the fields are"),
        ("a role:", 7, "no value", "role:user"),
        ('has:""', 4, "no value", 'has:"'),
        ("is:eror", 3, "is:eror", "is:error"),
        ("is:nice", 3, "is:nice", "is:"),
        ("after:soon", 6, "no time", "2026"),
        ("before:2026-02-30", 7, "no time", "2026"),
        ("before:99999y", 7, "no time", "2026"),
        ("->", 0, "no letter", 'has:"->"'),
        ("a ***", 2, "nothing but stars", "word*"),
        ("a*b", 1, "only be at the ends", "word*"),
        ("*ab", 0, "needs one at the end", "*ab*"),
        ("foo.*", 4, "before the star", 'has:"foo."'),
        ("role:->", 5, "no letter", "has:"),
        ("a " * LONGEST, LONGEST, "longer than", "few words"),
        ("a (" * (DEEPEST + 1), 3 * DEEPEST + 2, "parentheses", "fewer"),
    ],
)
def test_invalid_queries_have_an_error_with_position_and_hint(
    text: str, position: int, why: str, hint: str
) -> None:
    with pytest.raises(BadQuery) as raised:
        parse(text)
    error = raised.value
    assert isinstance(error, UsageError)
    assert error.position == position
    assert why in error.why
    assert hint in (error.hint or "")


def test_a_caret_is_below_the_place() -> None:
    with pytest.raises(BadQuery) as raised:
        parse("東京 \x1b[31m (a")
    assert raised.value.message.splitlines()[1:] == [
        "  東京 \\x1b[31m (a",
        "                ^",
    ]
    with pytest.raises(BadQuery) as raised:
        parse("word " * 200 + "(")
    lines = raised.value.message.splitlines()
    assert len(lines[1]) < 100
    assert lines[1][lines[2].index("^")] == "("


@examples(500)
@given(st.text(st.sampled_from('ab "()-*:\\ORANDT.→東\x00\ud800') | st.characters(), max_size=30))
def test_any_text_is_a_query_or_a_bad_one(text: str) -> None:
    try:
        parse(text)
        return
    except BadQuery as error:
        bad = error
    assert 0 <= bad.position <= len(text)
    assert bad.hint


# times


@pytest.fixture
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def _utc(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp())  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026", _utc(2026, 1, 1)),
        ("2026-02", _utc(2026, 2, 1)),
        ("2026-2-3", _utc(2026, 2, 3)),
        ("today", _utc(2026, 3, 31)),
        ("Yesterday", _utc(2026, 3, 30)),
        ("7d", _utc(2026, 3, 24, 12)),
        ("2w", _utc(2026, 3, 17, 12)),
        ("3h", _utc(2026, 3, 31, 9)),
        ("1m", _utc(2026, 2, 28, 12)),
        ("13m", _utc(2025, 2, 28, 12)),
        ("2y", _utc(2024, 3, 31, 12)),
        ("0d", _utc(2026, 3, 31, 12)),
    ],
)
def test_times_are_dates_or_so_long_ago(text: str, expected: int) -> None:
    assert parse_moment(text, NOW) == expected
    assert parse(f"after:{text}", NOW) == TimeWindow(expected, None)
    assert parse(f"before:{text}", NOW) == TimeWindow(None, expected)


@pytest.mark.parametrize("text", ["", "2026-13", "2026-1-32", "0000", "d", "7", "7x", "-7d", "٢d"])
def test_invalid_times_are_refused(text: str) -> None:
    assert parse_moment(text, NOW) is None


@pytest.mark.usefixtures("in_berlin")
def test_days_begin_when_they_begin_here() -> None:
    now = datetime(2026, 7, 1, 12, tzinfo=UTC).astimezone()
    assert parse_moment("2026-07-01", now) == _utc(2026, 6, 30, 22), "summer"
    assert parse_moment("2026-01-01", now) == _utc(2025, 12, 31, 23), "winter"


def test_another_zone_can_be_asked_for() -> None:
    zone = timezone(timedelta(hours=9))
    assert parse_moment("2026-07-01", datetime(2026, 7, 2, tzinfo=zone)) == _utc(2026, 6, 30, 15)
