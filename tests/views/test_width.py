"""Text is wrapped to a width without losing a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from talktree.views.plots import draw_bar, draw_bars
from talktree.views.terminal import to_text
from talktree.views.width import (
    clip_text,
    count_cells,
    format_count,
    format_duration,
    format_size,
    split_text_lines,
    to_one_line,
    wrap_text,
)

texts = st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd", "Zs", "So"]), max_size=200)


@given(texts, st.integers(1, 100))
def test_clipped_text_fits(text: str, most: int) -> None:
    assert count_cells(clip_text(text, most)) <= most
    if cell_len(text) <= most:
        assert clip_text(text, most) == text


@given(texts, st.integers(20, 100))
def test_wrapped_text_fits_and_keeps_every_letter(text: str, width: int) -> None:
    lines = list(wrap_text(text, width))
    assert all(count_cells(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.text())
def test_text_that_is_not_wrapped_keeps_its_lines(text: str) -> None:
    ended = text.replace("\r\n", "\n")
    assert "\n".join(wrap_text(text, None)) in (ended, ended.removesuffix("\n"))


def test_wrapped_lines_keep_their_indent() -> None:
    assert list(wrap_text("    four words stand here", 20)) == ["    four words stand", "    here"]


def test_a_newline_at_the_end_begins_no_line() -> None:
    assert split_text_lines("a\r\nb\n") == ["a", "b"]
    assert split_text_lines("a\n\n") == ["a", ""]
    assert split_text_lines("") == [""]


def test_one_line_of_a_long_text() -> None:
    assert to_one_line("  a\n\n b\t" + "c" * 10_000_000, 10) == "a b ccccc…"


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (format_size(0), "0 bytes"),
        (format_size(1234), "1.2 KB"),
        (format_size(5 * 10**12), "5000.0 GB"),
        (format_count(1, "branch", "branches"), "1 branch"),
        (format_count(2000, "branch", "branches"), "2,000 branches"),
        (format_duration(0.25), "0.2 s"),
        (format_duration(90), "90 s"),
        (format_duration(600), "10 min"),
        (format_duration(7200), "2.0 h"),
        (format_duration(864_000), "10.0 days"),
    ],
)
def test_numbers_for_people(shown: str, words: str) -> None:
    assert shown == words


def test_bars_are_as_long_as_their_share() -> None:
    assert draw_bar(8, 8, 4) == "████"
    assert draw_bar(4, 8, 4) == "██"
    assert draw_bar(1, 1000, 4) == "▏"
    assert draw_bar(0, 8, 4) == ""
    assert draw_bar(1, 0, 4) == ""
    rows = [("long label", 2.0, "2"), ("水", 1.0, "1")]
    assert [to_text(each) for each in draw_bars(rows, width=30)] == [
        "  long label  █████████████  2",
        "  水          ██████▌        1",
    ]
