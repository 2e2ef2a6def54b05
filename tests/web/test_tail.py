"""The end of a conversation is the same whether or not anybody looked at the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from talktree.errors import TalktreeError
from talktree.web.documents.cache import Desk
from talktree.web.documents.row_body import RowMaker
from talktree.web.documents.tail import end_of, tail, tail_of
from talktree.web.schemas.transcript import Row
from tests.web.desks import DATA, Talk, desk_of, grow

FORMATS = sorted(each.name for each in DATA.iterdir() if (each / "good").is_dir())


def last_rows(desk: Desk, cid: str, limit: int) -> list[Row]:
    """The last rows of the whole, numbered from the end."""
    opened = desk.open(cid)
    rows = opened.rows()
    found = RowMaker(opened, rows).page(max(0, len(rows) - limit), limit)
    return [replace(each, number=each.number - len(rows)) for each in found]


@pytest.mark.parametrize("format", FORMATS)
def test_the_tail_of_every_source_is_the_end_of_its_rows(tmp_path: Path, format: str) -> None:
    places = [DATA / format / kind for kind in ("good", "bad") if (DATA / format / kind).is_dir()]
    with desk_of(tmp_path / "library", places) as desk:
        for kept in list(desk.library().conversations()):
            cid = str(kept.source)
            try:
                told = tail(desk, cid, 5)
            except TalktreeError:
                continue
            assert list(told.rows) == last_rows(desk, cid, 5)


@pytest.mark.parametrize("seed", range(4))
def test_the_end_of_a_growing_file_is_the_end_of_the_whole(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "5a1e0000-0000-4000-8000-000000000001.jsonl"
    lines = Talk(seed).lines(160)
    quickly = 0
    path.write_text("\n".join(lines[:30]) + "\n")
    with desk_of(tmp_path / "library", [path]) as desk:
        for length in range(31, len(lines), 9):
            path.write_text("\n".join(lines[:length]) + "\n")
            grow(desk, path)
            kept, _ = desk.kept("1")
            library = desk.library()
            end = end_of(library.db, library.archive, kept, desk.stamp("1"), 6)
            if end is not None:
                quickly += 1
                assert list(tail_of(end, 6).rows) == last_rows(desk, "1", 6), length
    assert quickly > 8


def test_what_was_edited_is_in_the_tail(tmp_path: Path) -> None:
    path = tmp_path / "5a1e0000-0000-4000-8000-000000000001.jsonl"
    path.write_text("\n".join(Talk(1).lines(120)) + "\n")
    from talktree.model.operations import Reply

    with desk_of(tmp_path / "library", [path]) as desk:
        before = tail(desk, "1", 3)
        opened = desk.open("1")
        with desk.writing() as library:
            id = "5a1e0000-0000-4000-8000-0000000000aa"
            said = Reply(id=id, parent=opened.leaf, text="and one more", time=opened.kept.last_ns)
            library.edits(opened.kept).do(opened.as_read.id, said)
        after = tail(desk, "1", 3)
        assert after.rows[-1].id == id
        assert after.rows[-1].edited == "new"
        assert after.stamp != before.stamp


def test_ids_that_stand_twice_are_told_by_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "5a1e0000-0000-4000-8000-000000000001.jsonl"
    lines = Talk(2).lines(120)
    path.write_text("\n".join([*lines, lines[3]]) + "\n")
    with desk_of(tmp_path / "library", [path]) as desk:
        told = tail(desk, "1", 5)
        assert list(told.rows) == last_rows(desk, "1", 5)
