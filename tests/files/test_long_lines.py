"""Lines of any length come in blocks of whole lines, and a long one is held only once."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from talktree.files import OnDisk
from talktree.files.content import BLOCK

LONG = 12 * BLOCK + 5


@pytest.mark.parametrize(
    "lengths",
    [
        (LONG,),
        (3, LONG, 3),
        (BLOCK - 1, 1, BLOCK, BLOCK + 1),
        (BLOCK, 2 * BLOCK, 3 * BLOCK, 10, 4 * BLOCK),
        (2 * BLOCK - 1, 2 * BLOCK - 2),
    ],
)
@pytest.mark.parametrize("end", [b"\n", b""])
def test_blocks_are_whole_lines(tmp_path: Path, lengths: tuple[int, ...], end: bytes) -> None:
    path = tmp_path / "lines"
    data = b"\n".join(bytes([97 + at]) * length for at, length in enumerate(lengths)) + end
    path.write_bytes(data)
    blocks = [bytes(block[:stop]) for block, stop in OnDisk(path).line_blocks()]
    assert b"".join(blocks) == data
    assert all(block.endswith(b"\n") for block in blocks[:-1])


def test_a_long_line_is_held_once(tmp_path: Path) -> None:
    path = tmp_path / "line"
    path.write_bytes(b"first\n" + b"x" * LONG + b"\nlast\n")
    tracemalloc.start()
    try:
        for _ in OnDisk(path).line_blocks():
            pass
        assert tracemalloc.get_traced_memory()[1] < LONG + 4 * BLOCK
    finally:
        tracemalloc.stop()
