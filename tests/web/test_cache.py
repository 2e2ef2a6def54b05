"""Open conversations: their state, their single writer, and concurrent readers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from talktree.errors import NotFound
from talktree.web.documents import cache as caches
from talktree.web.documents.cache import DocumentCache
from talktree.web.documents.ids import ConversationName, parse_cid
from talktree.web.documents.row_body import RowMaker
from talktree.web.errors import StaleState
from tests.web.caches import Talk, grow, make_cache

NAME = "5a1e0000-0000-4000-8000-000000000001.jsonl"


def test_the_stamp_is_the_same_after_a_restart_and_another_after_growth(tmp_path: Path) -> None:
    path = tmp_path / NAME
    lines = Talk(1).lines(40)
    path.write_text("\n".join(lines[:30]) + "\n")
    with make_cache(tmp_path / "library", [path]) as cache:
        first = cache.open("1").stamp
    again = DocumentCache(tmp_path / "library", write=True)
    assert again.open("1").stamp == first
    path.write_text("\n".join(lines) + "\n")
    grow(again, path)
    with pytest.raises(StaleState) as stale:
        again.require("1", first)
    assert stale.value.stamp == again.compute_stamp("1") == again.open("1").stamp != first
    again.close()


def test_many_threads_read_what_one_opened(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_text("\n".join(Talk(3).lines(200)) + "\n")
    with make_cache(tmp_path / "library", [path]) as cache:

        def page(start: int) -> object:
            opened = cache.open("1")
            return RowMaker(opened, opened.get_rows()).make_page(start, 10)

        alone = [page(start) for start in range(0, 60, 10)]
        with ThreadPoolExecutor(6) as pool:
            for _ in range(5):
                assert list(pool.map(page, range(0, 60, 10))) == alone


def test_few_sources_stay_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "MOST_OPEN", 2)
    for number in range(4):
        (tmp_path / f"{number}.jsonl").write_text("\n".join(Talk(number).lines(8)) + "\n")
    with make_cache(tmp_path / "library", [tmp_path]) as cache:
        cids = [str(each.source) for each in cache.get_library().conversations()]
        for cid in cids:
            cache.open(cid)
        assert [cache.is_open(cid) for cid in cids] == [False, False, True, True]


@pytest.mark.parametrize("cid", ["", "0", "x", "1.x", "-1", "1/2", "9" * 30, "1.01", "１"])
def test_invalid_names_are_not_found(cid: str) -> None:
    with pytest.raises(NotFound):
        parse_cid(cid)


def test_names_are_read_as_they_are_written() -> None:
    assert str(parse_cid("12")) == "12"
    assert str(parse_cid("12.0")) == "12"
    assert parse_cid("12.3") == ConversationName(12, 3)
    assert str(ConversationName(12, 3)) == "12.3"


def test_an_edit_that_is_based_on_a_replaced_file_is_reported_and_not_shown(tmp_path: Path) -> None:
    from talktree.model.operations import ReplaceText

    path = tmp_path / NAME
    path.write_text("\n".join(Talk(1).lines(20)) + "\n")
    with make_cache(tmp_path / "library", [path]) as cache:
        opened = cache.open("1")
        first = opened.conversation.skeleton.ids[0]
        with cache.open_for_writing() as library:
            library.edits(opened.kept).do(
                opened.original_conversation.id, ReplaceText(about=first, text="other")
            )
        assert cache.open("1").edited
        path.write_text("\n".join(Talk(9).lines(20)) + "\n")
        grow(cache, path)
        assert cache.open("1").paper.notice
        assert cache.open("1").conversation.skeleton.ids[0] != first
