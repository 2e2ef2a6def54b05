"""Three-way merges: both changes or none, never a guess."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from talktree.session.undo.diff import is_text, merge_texts

lines = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"d\n", b"e\n"]), max_size=8)


def test_changes_of_different_lines_go_together() -> None:
    base = b"1\n2\n3\n4\n5\n"
    assert merge_texts(base, b"one\n2\n3\n4\n5\n", b"1\n2\n3\n4\nfive\n") == b"one\n2\n3\n4\nfive\n"


def test_changes_of_the_same_line_are_left_to_people() -> None:
    assert merge_texts(b"1\n2\n", b"one\n2\n", b"eins\n2\n") is None


def test_changes_that_touch_are_left_to_people() -> None:
    assert merge_texts(b"1\n2\n", b"one\n2\n", b"1\ntwo\n") is None


def test_two_different_insertions_at_one_place_are_left_to_people() -> None:
    assert merge_texts(b"1\n2\n3\n", b"1\nx\n2\n3\n", b"1\ny\n2\n3\n") is None


def test_binary_files_are_not_merged() -> None:
    assert merge_texts(b"\0", b"\0a", b"b\0") is None
    assert not is_text(b"\xff")


@given(lines, lines)
def test_one_change_alone_is_the_result(base: list[bytes], changed: list[bytes]) -> None:
    old, new = b"".join(base), b"".join(changed)
    assert merge_texts(old, new, old) == new
    assert merge_texts(old, old, new) == new
    assert merge_texts(old, new, new) == new


@given(lines, lines, lines)
def test_sides_can_be_exchanged(base: list[bytes], one: list[bytes], other: list[bytes]) -> None:
    old, ours, theirs = b"".join(base), b"".join(one), b"".join(other)
    assert merge_texts(old, ours, theirs) == merge_texts(old, theirs, ours)


@given(lines, lines, lines, lines)
def test_changes_far_apart_always_merge(
    top: list[bytes], end: list[bytes], new_top: list[bytes], new_end: list[bytes]
) -> None:
    middle = b"".join(b"%d kept\n" % number for number in range(5))
    parts = [b"".join(part) for part in (top, end, new_top, new_end)]
    base = parts[0] + middle + parts[1]
    both = merge_texts(base, parts[2] + middle + parts[1], parts[0] + middle + parts[3])
    assert both == parts[2] + middle + parts[3]
