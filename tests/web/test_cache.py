"""What is open: the state it is in, who may write, and that many may read at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from talktree.errors import NotFound
from talktree.web.documents import cache as desks
from talktree.web.documents.cache import Desk
from talktree.web.documents.ids import Name, named
from talktree.web.documents.row_body import RowMaker
from talktree.web.errors import Stale
from tests.web.desks import Talk, desk_of, grow

NAME = "5a1e0000-0000-4000-8000-000000000001.jsonl"


def test_the_stamp_is_the_same_after_a_restart_and_another_after_growth(tmp_path: Path) -> None:
    path = tmp_path / NAME
    lines = Talk(1).lines(40)
    path.write_text("\n".join(lines[:30]) + "\n")
    with desk_of(tmp_path / "library", [path]) as desk:
        first = desk.open("1").stamp
    again = Desk(tmp_path / "library", write=True)
    assert again.open("1").stamp == first
    path.write_text("\n".join(lines) + "\n")
    grow(again, path)
    with pytest.raises(Stale) as stale:
        again.require("1", first)
    assert stale.value.stamp == again.stamp("1") == again.open("1").stamp != first
    again.close()


def test_many_threads_read_what_one_opened(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_text("\n".join(Talk(3).lines(200)) + "\n")
    with desk_of(tmp_path / "library", [path]) as desk:

        def page(start: int) -> object:
            opened = desk.open("1")
            return RowMaker(opened, opened.rows()).page(start, 10)

        alone = [page(start) for start in range(0, 60, 10)]
        with ThreadPoolExecutor(6) as pool:
            for _ in range(5):
                assert list(pool.map(page, range(0, 60, 10))) == alone


def test_few_sources_stay_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "MOST_OPEN", 2)
    for number in range(4):
        (tmp_path / f"{number}.jsonl").write_text("\n".join(Talk(number).lines(8)) + "\n")
    with desk_of(tmp_path / "library", [tmp_path]) as desk:
        cids = [str(each.source) for each in desk.library().conversations()]
        for cid in cids:
            desk.open(cid)
        assert [desk.is_at_hand(cid) for cid in cids] == [False, False, True, True]


@pytest.mark.parametrize("cid", ["", "0", "x", "1.x", "-1", "1/2", "9" * 30, "1.01", "１"])
def test_what_is_no_name_is_not_found(cid: str) -> None:
    with pytest.raises(NotFound):
        named(cid)


def test_names_are_read_as_they_are_written() -> None:
    assert str(named("12")) == "12"
    assert str(named("12.0")) == "12"
    assert named("12.3") == Name(12, 3)
    assert str(Name(12, 3)) == "12.3"


def test_an_edit_that_stands_on_a_replaced_file_is_told_and_not_shown(tmp_path: Path) -> None:
    from talktree.model.operations import Replace

    path = tmp_path / NAME
    path.write_text("\n".join(Talk(1).lines(20)) + "\n")
    with desk_of(tmp_path / "library", [path]) as desk:
        opened = desk.open("1")
        first = opened.conversation.skeleton.ids[0]
        with desk.writing() as library:
            library.edits(opened.kept).do(opened.as_read.id, Replace(about=first, text="other"))
        assert desk.open("1").edited
        path.write_text("\n".join(Talk(9).lines(20)) + "\n")
        grow(desk, path)
        assert desk.open("1").paper.notice
        assert desk.open("1").conversation.skeleton.ids[0] != first
