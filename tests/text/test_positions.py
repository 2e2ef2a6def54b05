"""Lines and columns of any position, compared with a plain count."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from talktree.text.positions import BLOCK, Positions, count_characters


def counted(text: str, at: int) -> tuple[int, int]:
    """Return the line and the column of a character by counting everything before it."""
    before = text[:at]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


@given(st.text("aß€😀\n", max_size=60), st.data())
def test_a_place_has_the_line_and_column_that_counting_gives(
    text: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(text)))
    offset = len(text[:at].encode())
    assert Positions(text.encode()).line_and_column(offset) == counted(text, at)


def test_the_same_holds_across_blocks_of_one_long_line() -> None:
    text = "€" * BLOCK + "\n" + "ß" * BLOCK
    places = Positions(text.encode())
    for at in (0, 1, BLOCK // 3, BLOCK - 1, BLOCK, BLOCK + 1, BLOCK + BLOCK // 2, 2 * BLOCK):
        assert places.line_and_column(len(text[:at].encode())) == counted(text, at)


@given(st.text(max_size=40))
def test_characters_are_counted_without_decoding(text: str) -> None:
    sound = text.encode("utf-8", "surrogatepass")
    assert count_characters(sound) == len(text)
