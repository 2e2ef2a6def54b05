"""The end of a conversation is the same whether or not the rest was read."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from talktree.errors import TalktreeError
from talktree.web.documents.cache import DocumentCache
from talktree.web.documents.row_body import RowMaker
from talktree.web.documents.tail import build_tail, open_end, read_tail
from talktree.web.schemas.transcript import Row
from tests.web.caches import DATA, Talk, grow, make_cache

FORMATS = sorted(each.name for each in DATA.iterdir() if (each / "good").is_dir())


def last_rows(cache: DocumentCache, cid: str, limit: int) -> list[Row]:
    """Return the last rows of the whole, numbered from the end."""
    opened = cache.open(cid)
    rows = opened.get_rows()
    found = RowMaker(opened, rows).make_page(max(0, len(rows) - limit), limit)
    return [replace(each, number=each.number - len(rows)) for each in found]


@pytest.mark.parametrize("format", FORMATS)
def test_the_tail_of_every_source_is_the_end_of_its_rows(tmp_path: Path, format: str) -> None:
    places = [DATA / format / kind for kind in ("good", "bad") if (DATA / format / kind).is_dir()]
    with make_cache(tmp_path / "library", places) as cache:
        for kept in list(cache.get_library().conversations()):
            cid = str(kept.source)
            try:
                reported = read_tail(cache, cid, 5)
            except TalktreeError:
                continue
            assert list(reported.rows) == last_rows(cache, cid, 5)


@pytest.mark.parametrize("seed", range(4))
def test_the_end_of_a_growing_file_is_the_end_of_the_whole(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "5a1e0000-0000-4000-8000-000000000001.jsonl"
    lines = Talk(seed).lines(160)
    quickly = 0
    path.write_text("\n".join(lines[:30]) + "\n")
    with make_cache(tmp_path / "library", [path]) as cache:
        for length in range(31, len(lines), 9):
            path.write_text("\n".join(lines[:length]) + "\n")
            grow(cache, path)
            kept, _ = cache.find_library_entry("1")
            library = cache.get_library()
            end = open_end(library.db, library.archive, kept, cache.compute_stamp("1"), 6)
            if end is not None:
                quickly += 1
                assert list(build_tail(end, 6).rows) == last_rows(cache, "1", 6), length
    assert quickly > 8


def test_edited_messages_are_in_the_tail(tmp_path: Path) -> None:
    path = tmp_path / "5a1e0000-0000-4000-8000-000000000001.jsonl"
    path.write_text("\n".join(Talk(1).lines(120)) + "\n")
    from talktree.model.operations import ReplyTo

    with make_cache(tmp_path / "library", [path]) as cache:
        before = read_tail(cache, "1", 3)
        opened = cache.open("1")
        with cache.open_for_writing() as library:
            id = "5a1e0000-0000-4000-8000-0000000000aa"
            said = ReplyTo(id=id, parent=opened.leaf, text="and one more", time=opened.kept.last_ns)
            library.edits(opened.kept).do(opened.original_conversation.id, said)
        after = read_tail(cache, "1", 3)
        assert after.rows[-1].id == id
        assert after.rows[-1].edited == "new"
        assert after.stamp != before.stamp


def test_ids_that_are_twice_are_reported_by_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "5a1e0000-0000-4000-8000-000000000001.jsonl"
    lines = Talk(2).lines(120)
    path.write_text("\n".join([*lines, lines[3]]) + "\n")
    with make_cache(tmp_path / "library", [path]) as cache:
        reported = read_tail(cache, "1", 5)
        assert list(reported.rows) == last_rows(cache, "1", 5)
