"""Every query finds in the index exactly the pieces that match it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.library.search.parse import BadQuery, parse
from talktree.library.search.run import Results, search_backend
from tests.cases import examples
from tests.library.shelves import Held, Kept, piece

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
DAY = 86_400
FIRST = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())

WORDS = [
    *("foo", "Foo", "FOOBAR", "foobar", "bar", "barfoo", "ba", "b", "a1", "x_y", "re-do", "oof"),
    *("naïve", "naive", "NAI\u0308VE", "Straße", "strasse", "ÉTÉ", "e\u0301te\u0301", "été!"),
    *("東京", "京都", "東", "タワー", "ガ", "カ", "ﾀﾜｰ", "한국어", "국어", "ไทย", "हिन्दी", "हिन"),
    *("->", "::", "a.b", "a::b", "(foo)", '"q"', "c++", "…", "“quoted”", "½", "\ud800", "🎉"),
    *("x" * 300, "foo" + "y" * 260),
]
texts = st.lists(st.sampled_from(WORDS), max_size=6).flatmap(
    lambda words: st.lists(
        st.sampled_from([" ", " ", "\n", "", "-", ".", "  "]),
        min_size=len(words),
        max_size=len(words),
    ).map(lambda gaps: "".join(word + gap for word, gap in zip(words, gaps, strict=True)))
)
pieces = st.builds(
    lambda text, role, tool, time, files, tags, source, state: Kept(
        piece(text, role=role, tool=tool, time=time, files=files, tags=tags), source, state
    ),
    texts,
    st.sampled_from(["user", "assistant"]),
    st.sampled_from(["Bash", "mcp__srv__Read", "Read"]),
    st.none() | st.integers(0, 40).map(lambda day: FIRST + day * DAY),
    st.sampled_from(["", "/a/Foo.py", "src/bar.py\nfoo.txt"]),
    st.sampled_from(["", "is=error", "is=sidechain", "is=error is=sidechain"]),
    st.integers(1, 12),
    st.sampled_from(["current", "current", "abandoned", "compacted"]),
)
corpora = st.lists(pieces, max_size=8).map(
    lambda kept: [x._replace(piece=x.piece._replace(at=n * 7)) for n, x in enumerate(kept)]
)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _inside(text: str) -> st.SearchStrategy[str]:
    return st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(
        lambda cut: text[min(cut) : max(cut)]
    )


bare = st.sampled_from([word for word in WORDS if len(word) < 20 and '"' not in word])
simple = st.one_of(
    bare,
    texts.filter(lambda text: len(text) < 50).map(_quoted),
    bare.flatmap(_inside).map(lambda text: text + "*"),
    bare.flatmap(_inside).map(lambda text: f"*{text}*"),
    texts.filter(lambda text: len(text) < 50).flatmap(_inside).map(lambda x: f"has:{_quoted(x)}"),
    st.sampled_from(
        [
            *("role:user", "tool:read", "tool:mcp__srv", "kind:text", "file:foo", "file:foo.py"),
            *("is:error", "is:sidechain", "is:abandoned", "is:compacted"),
            *("before:2026-01-10", "after:2026-01-20", "after:2026-02", "before:7d", "after:2w"),
            *("session:session-1", "session:session-12", "session:none"),
        ]
    ),
)


def _joined(parts: list[str], operators: list[str]) -> str:
    return " ".join(
        f"{operator} {part}" if n else part
        for n, (part, operator) in enumerate(zip(parts, operators, strict=True))
    )


queries = st.recursive(
    simple,
    lambda inner: st.one_of(
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"-({text})"),
        inner.map(lambda text: f"NOT {text}"),
        st.lists(st.tuples(inner, st.sampled_from(["", "AND", "OR"])), min_size=2, max_size=3).map(
            lambda pairs: _joined([part for part, _ in pairs], [op for _, op in pairs])
        ),
    ),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _found(found: Results) -> list[tuple[int, int]]:
    return [(hit.source, hit.at) for hit in found]


@examples(150)
@given(corpora, st.lists(queries, min_size=8, max_size=8))
def test_the_index_finds_what_is_meant(root: Path, kept: list[Kept], asked: list[str]) -> None:
    shelf = Held(root, kept)
    for text in asked:
        try:
            query = parse(text, NOW)
        except BadQuery:
            continue
        found = search_backend(shelf, text, limit=None, now=NOW)
        hits = _found(found)
        assert len(set(hits)) == len(hits)
        assert set(hits) == shelf.expected(query), (text, query)
        assert found.total == len(hits)


@examples(60)
@given(
    corpora, queries, st.integers(0, 5), st.integers(0, 5), st.sampled_from(["best", "new", "old"])
)
def test_pages_are_ranges_of_the_whole(
    root: Path, kept: list[Kept], text: str, offset: int, limit: int, sort: str
) -> None:
    shelf = Held(root, kept)
    try:
        whole = _found(search_backend(shelf, text, limit=None, sort=sort, now=NOW))
    except BadQuery:
        return
    page = search_backend(shelf, text, limit=limit, offset=offset, sort=sort, now=NOW)
    assert _found(page) == whole[offset : offset + limit]
    assert page.total == len(whole)


@examples(40)
@given(corpora, st.sampled_from(["new", "old"]))
def test_hits_can_be_sorted_by_time(root: Path, kept: list[Kept], sort: str) -> None:
    shelf = Held(root, kept)
    times = [hit.seconds for hit in search_backend(shelf, "kind:text", limit=None, sort=sort)]
    known = [time for time in times if time is not None]
    assert known == sorted(known, reverse=sort == "new")
    assert times == known + [None] * (len(times) - len(known))
