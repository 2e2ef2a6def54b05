"""Blocks of whole lines, however the bytes arrive and however long lines are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.library.importing import lines
from talktree.library.importing.lines import ByteBlock, split_line_blocks

pieces = st.lists(st.text("ab\n", max_size=8).map(str.encode), max_size=12)


@given(pieces, st.integers(0, 5), st.integers(1, 20))
def test_blocks_are_the_bytes_and_end_at_lines(parts: list[bytes], at: int, longest: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "LONGEST_LINE", longest)
        found = list(split_line_blocks(parts, at))
    data = b"".join(parts)
    assert b"".join(block.data for block in found) == data
    place = at
    for block in found:
        assert block.at == place
        place += len(block.data)
        if block.whole:
            before = data[: block.at - at]
            assert block.data.endswith(b"\n")
            assert not before or before.endswith(b"\n"), "a whole block begins a line"
    reported = b"".join(block.data for block in found if block.whole).split(b"\n")
    for line in data.split(b"\n")[:-1]:
        if len(line) < longest:
            assert line in reported


def test_a_line_that_is_too_long_is_given_on_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 6)
    found = list(split_line_blocks([b"a\nlong", b"long", b"long", b"er\nb\n", b"c"], 0))
    assert found == [
        ByteBlock(0, b"a\n", whole=True),
        ByteBlock(2, b"long", whole=False),
        ByteBlock(6, b"long", whole=False),
        ByteBlock(10, b"long", whole=False),
        ByteBlock(14, b"er\n", whole=False),
        ByteBlock(17, b"b\n", whole=True),
        ByteBlock(19, b"c", whole=False),
    ]
