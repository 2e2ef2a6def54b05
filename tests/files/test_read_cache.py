"""A small file that is read once gives the same as one that is read in parts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from talktree.errors import ChangedMeanwhile
from talktree.files import OnDisk, load
from talktree.files.read_cache import SMALL, CachedContent, cache_small_files

LINES = some.lists(some.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), max_size=8)
PLACES = some.integers(0, 60)


@given(lines=LINES, spans=some.lists(some.tuples(PLACES, PLACES).map(sorted), max_size=8))
def test_every_read_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], spans: list[list[int]]
) -> None:
    path = tmp_path_factory.mktemp("held") / "file"
    path.write_bytes(b"\n".join(lines))
    disk = OnDisk(path)
    here = CachedContent(disk)
    places = [(start, stop) for start, stop in spans if stop <= disk.size]
    assert here.size == disk.size
    assert list(here.spans(places)) == list(disk.spans(places))
    for start, stop in places:
        assert here.read(start, stop) == disk.read(start, stop)
        assert b"".join(here.blocks(start, stop)) == b"".join(disk.blocks(start, stop))
        assert list(here.lines(start)) == list(disk.lines(start))
        assert _in_blocks(here, start) == _in_blocks(disk, start)


def _in_blocks(content: CachedContent | OnDisk, start: int) -> bytes:
    return b"".join(bytes(block[:end]) for block, end in content.line_blocks(start))


def test_nothing_is_opened_before_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"keys")
    source = cache_small_files(load(path))
    path.unlink()
    assert source.files["file"].size == 4
    assert source.place == path


def test_a_file_that_was_replaced_meanwhile_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    source = cache_small_files(load(path))
    path.write_bytes(b"less")
    with pytest.raises(ChangedMeanwhile):
        source.files["file"].read()


def test_only_small_files_are_held(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(SMALL + 1)
    assert isinstance(cache_small_files(load(path)).files["file"], OnDisk)
