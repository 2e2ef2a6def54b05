"""The index of an encrypted library finds the same as the plain one, without false matches."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.library.fulltext.encrypted_index import (
    LONGEST_WORD,
    UNFINDABLE,
    EncryptedFullText,
)
from talktree.library.fulltext.encrypted_writer import BATCH_DOCUMENTS, prepare_text
from talktree.library.search.parse import BadQuery, parse
from talktree.library.search.run import Results, search_backend
from tests.cases import examples
from tests.library.shelves import Held, Kept, piece
from tests.library.test_search_oracle import NOW, corpora, queries

KEY = bytes(range(32))


class EncryptedShelf(Held):
    """Pieces in memory in front of an encrypted index."""

    def __init__(self, root: Path, kept: list[Kept]) -> None:
        self.kept = kept
        self.index = EncryptedFullText.recreate(root, KEY)
        self.fulltext = self.index  # type: ignore[assignment]
        with self.index.writer() as writer:
            for each in kept:
                writer.add(each.source, each.piece)
            writer.commit()


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _found(found: Results) -> list[tuple[int, int]]:
    return [(hit.source, hit.at) for hit in found]


@examples(60)
@given(corpora, st.lists(queries, min_size=8, max_size=8))
def test_the_encrypted_index_finds_what_is_meant(
    root: Path, kept: list[Kept], asked: list[str]
) -> None:
    shelf = EncryptedShelf(root, kept)
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
    shelf.index.close()


@examples(30)
@given(
    corpora, queries, st.integers(0, 5), st.integers(0, 5), st.sampled_from(["best", "new", "old"])
)
def test_pages_are_parts_of_the_whole(
    root: Path, kept: list[Kept], text: str, offset: int, limit: int, sort: str
) -> None:
    shelf = EncryptedShelf(root, kept)
    try:
        whole = _found(search_backend(shelf, text, limit=None, sort=sort, now=NOW))
    except BadQuery:
        return
    page = search_backend(shelf, text, limit=limit, offset=offset, sort=sort, now=NOW)
    assert _found(page) == whole[offset : offset + limit]
    assert page.total == len(whole)
    shelf.index.close()


def test_one_word_is_ranked_as_in_the_plain_index(root: Path) -> None:
    texts = [
        "needle " + "straw " * 30,
        "needle needle needle straw",
        "straw " * 10,
        "needle needle " + "hay " * 12,
        *("hay straw barn " * count for count in range(1, 12)),
    ]
    kept = [Kept(piece(text, at=number * 7)) for number, text in enumerate(texts)]
    for query in ("needle", '"needle needle"'):
        plain = _found(search_backend(Held(root / "plain", kept), query))
        shelf = EncryptedShelf(root / "encrypted", kept)
        assert _found(search_backend(shelf, query)) == plain
        assert len(plain) > 1
        shelf.index.close()


def test_a_condition_that_all_fulfil_does_not_change_the_order(root: Path) -> None:
    texts = [f"{'needle ' * (1 + n * 7 % 5)}{'straw ' * (n * 11 % 17)}" for n in range(60)]
    shelf = EncryptedShelf(root, [Kept(piece(text, at=at)) for at, text in enumerate(texts)])
    whole = [(hit.at, hit.score) for hit in search_backend(shelf, "needle", limit=None)]
    assert len({score for _, score in whole}) > 10
    assert whole == sorted(whole, key=lambda hit: (-hit[1], hit[0]))
    for query in ("needle", "needle kind:text", "needle -absent"):
        for offset in (0, 7, 55):
            page = search_backend(shelf, query, limit=9, offset=offset)
            assert [(hit.at, hit.score) for hit in page] == whole[offset : offset + 9], query
    shelf.index.close()


def test_documents_of_several_batches_keep_their_own_words(root: Path) -> None:
    count = BATCH_DOCUMENTS * 2 + 3
    kept = [Kept(piece(f"字{n} é ß{n} \x00 {n}", at=n)) for n in range(count)]
    shelf = EncryptedShelf(root, kept)
    assert shelf.index.count() == count
    for at in (0, 1, BATCH_DOCUMENTS - 1, BATCH_DOCUMENTS, count - 1):
        assert _found(search_backend(shelf, f"ß{at} -absent")) == [(1, at)]
        assert _found(search_backend(shelf, f'"{at} e"', limit=3)) == [(1, at)]
    shelf.index.close()


@examples(20)
@given(
    st.lists(st.one_of(st.integers(1, 60), st.integers(8_000, 34_000)), min_size=1, max_size=6),
    st.sampled_from(["x", "λ"]),
)
def test_only_words_that_are_too_long_are_left_out(lengths: list[int], letter: str) -> None:
    words = [letter * length for length in lengths]
    expected = [word if len(word.encode()) <= LONGEST_WORD else UNFINDABLE for word in words]
    assert prepare_text(" ".join(words)).split() == expected


def test_documents_of_a_source_can_be_replaced(root: Path) -> None:
    first = [Kept(piece("old words", at=at), source) for source in (1, 2) for at in (0, 10)]
    shelf = EncryptedShelf(root, first)
    with shelf.index.writer() as writer:
        writer.delete(1, 10)
        writer.add(1, piece("new words", at=10))
        writer.commit()
        writer.delete(2)
        writer.rollback()
    assert set(_found(search_backend(shelf, "old"))) == {(1, 0), (2, 0), (2, 10)}
    assert _found(search_backend(shelf, "new")) == [(1, 10)]
    assert _found(search_backend(shelf, "*ew*")) == [(1, 10)]
    shelf.index.close()


def test_words_of_any_length_leave_their_neighbours_in_place(root: Path) -> None:
    text = f"before {'x' * 70_000} behind \x01 a\x01b \x00 end"
    shelf = EncryptedShelf(root, [Kept(piece(text))])
    for query in ("before", "behind", "a b", "end"):
        assert _found(search_backend(shelf, query)), query
    assert not _found(search_backend(shelf, '"before behind"'))
    assert not _found(search_backend(shelf, "xxxx*"))
    shelf.index.close()


def test_a_query_of_thousands_of_words_is_answered(root: Path) -> None:
    shelf = EncryptedShelf(root, [Kept(piece("a b c"))])
    for text in ("a " * 4000, "a OR " * 1500 + "b", "-z " * 2000 + "a", "b* " * 1000):
        assert _found(search_backend(shelf, text)) == [(1, 0)], text[:10]
    shelf.index.close()
