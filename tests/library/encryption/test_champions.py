"""The first documents of a common word are the same with a champion list and without one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.library.database.connection import Database
from talktree.library.fulltext import champions, encrypted_writer
from talktree.library.fulltext.champions import LENGTH, find_best
from talktree.library.fulltext.encrypted_index import EncryptedFullText
from talktree.library.fulltext.index import PieceAddress
from talktree.library.search.encrypted_search import EncryptedMatches
from talktree.library.search.query import Phrase
from tests.cases import SEED, scale
from tests.library.shelves import piece

KEY = bytes(range(32))
COUNTS = (1, 10, LENGTH - 7)
WORDS = ("tide", "lamp", "pier", "rare")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EncryptedFullText]:
    """Return an empty index that makes a list for every word of twenty documents."""
    monkeypatch.setattr(champions, "COMMON", 20)
    monkeypatch.setattr(champions, "STEP", 300)
    monkeypatch.setattr(encrypted_writer, "FEW_CHARACTERS", 1000)
    made = EncryptedFullText.recreate(tmp_path, KEY)
    yield made
    made.close()


def add(index: EncryptedFullText, draw: random.Random, count: int, *, source: int) -> None:
    """Add documents of many lengths as a large import does: in batches, then one commit."""
    with index.writer(threads=2) as writer:
        for at in range(count):
            longest = draw.choice((1, 2, 5, 40, 300))
            text = " ".join(draw.choices(WORDS, (9, 3, 1, 0.01), k=draw.randint(1, longest)))
            writer.add(source, piece(text, at=at))
            if at % 97 == 96:
                writer._submit_batch()
        writer.commit()


def add_a_few(index: EncryptedFullText, source: int, *texts: str) -> None:
    """Add documents as a small import does, which changes no list."""
    with index.writer() as writer:
        for at, text in enumerate(texts):
            writer.add(source, piece(text, at=at))
        writer.commit()


def first(index: EncryptedFullText, word: str, count: int) -> list[tuple[float, PieceAddress]]:
    """Return the first results of a search."""
    matches = EncryptedMatches(index, Phrase((word,)), lambda _: ())
    return matches.page("best", count, 0, is_last=True)


def assert_same(index: EncryptedFullText) -> int:
    """Compare with FTS5's order of all documents; return how many results came from a list."""
    answers = 0
    for word in WORDS:
        everything = EncryptedMatches(index, Phrase((word,)), lambda _: ()).page(
            "best", -1, 0, is_last=True
        )
        for count in COUNTS:
            assert first(index, word, count) == everything[:count], (word, count)
            answers += find_best(index.db, word, count) is not None
    return answers


def test_a_list_gives_the_documents_that_fts5_puts_first(index: EncryptedFullText) -> None:
    add(index, random.Random(SEED), 2000, source=1)
    assert_same(index)
    assert find_best(index.db, "tide", 10) is not None
    assert find_best(index.db, "rare", 10) is None
    assert find_best(index.db, "tide", LENGTH + 1) is None


@pytest.mark.parametrize("seed", range(scale(4)))
def test_documents_that_come_and_go_do_not_change_that(index: EncryptedFullText, seed: int) -> None:
    draw = random.Random(SEED + seed)
    add(index, draw, 700, source=1)
    answers = assert_same(index)
    for number in range(2, 6):
        match draw.randrange(4):
            case 0:
                add(index, draw, draw.randint(1, 900), source=number)
            case 1:
                add_a_few(index, number, "tide tide", "lamp", "tide " * 90 + "rare " * 400)
            case 2:
                ahead = [place for _, place in first(index, "tide", draw.randint(1, 60))]
                with index.writer() as writer:
                    for place in ahead[:3]:
                        writer.delete(place.source, place.at)
                    writer.commit()
            case 3:
                index.erase_deleted()
        answers += assert_same(index)
    assert answers


def test_many_documents_of_equal_score_keep_their_order(index: EncryptedFullText) -> None:
    add_a_few(index, 1, *["tide"] * 300, *["lamp pier"] * 50)
    index.erase_deleted()
    assert find_best(index.db, "tide", 10) is not None
    assert_same(index)
    add_a_few(index, 2, "tide", "a text with a tide in it")
    assert_same(index)


def test_no_list_keeps_a_word_that_was_erased(index: EncryptedFullText) -> None:
    add_a_few(index, 1, *["zebrafinch"] * 60)
    add_a_few(index, 2, *["tide"] * 200)
    index.erase_deleted()
    assert find_best(index.db, "zebrafinch", 5) is not None
    with index.writer() as writer:
        writer.delete(1)
        writer.commit()
    assert first(index, "zebrafinch", 5) == []
    index.erase_deleted()
    assert index.db.read("SELECT word FROM champions") == [("tide",)]


def test_an_index_without_lists_is_searched_and_gets_them(index: EncryptedFullText) -> None:
    """Indexes from before lists existed have no table for them."""
    add(index, random.Random(1), 300, source=1)
    with Database(index.db.path, write=True, key=index.db.key) as db:
        db.run("DROP TABLE champions")
    assert find_best(index.db, "tide", 5) is None
    assert_same(index)
    index.erase_deleted()
    assert find_best(index.db, "tide", 5) is not None
