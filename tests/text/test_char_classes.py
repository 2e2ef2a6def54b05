"""Long runs are found wherever they are, also across the boundary of two pieces of a text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.text.char_classes import LONG, PIECE, find_marks

RUNS = re.compile(rb"[A-Za-z0-9_-]{20,}")
TEXTS = st.lists(
    st.one_of(
        st.sampled_from((b" ", b'"', b"/", "é".encode(), "\u202e".encode())),
        st.integers(1, 45).map(lambda count: b"k" * count),
    ),
    max_size=12,
).map(b"".join)


def _starts(data: bytes) -> list[int]:
    return [found.start() for found in RUNS.finditer(data)]


@given(TEXTS, TEXTS, st.integers(0, 100))
def test_all_long_runs_are_found(start: bytes, end: bytes, before: int) -> None:
    data = start + b"." * (PIECE - len(start) - before) + end
    assert find_marks(data).starts == _starts(data)
    assert find_marks(start).starts == _starts(start)


@pytest.mark.parametrize("shift", [-LONG - 1, -LONG, -LONG + 1, -1, 0, 1])
def test_a_run_where_pieces_meet_is_found_once(shift: int) -> None:
    data = b"." * (PIECE + shift) + b"k" * LONG + b"." * LONG
    assert find_marks(data).starts == [PIECE + shift]


@given(TEXTS)
def test_bytes_that_may_hide_characters_are_reported(data: bytes) -> None:
    assert find_marks(data).may_hide == any(
        each in data for each in ("é".encode(), b"\xaa", b"\xae")
    )
