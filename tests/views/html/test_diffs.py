"""Differences: complete, marked, folded, bounded."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from talktree.views.html.diffs.matching import match_lines
from talktree.views.html.rendering import diff_split, diff_unified, render_words_diff
from talktree.views.width import split_text_lines
from tests.views.html.judge import faults, words

lines = st.lists(st.sampled_from(["a", "b", "c", "", "  a", "<x>", "long & line"]), max_size=30)
_ROW = re.compile(r'<div class="(?:tt-hunk )?tt-(same|add|del)"[^>]*><span>(.*?)</span></div>')


@given(lines, lines)
def test_ranges_cover_both_sides(old: list[str], new: list[str]) -> None:
    found = match_lines(old, new)
    assert [at for each in found for at in each.old] == list(range(len(old)))
    assert [at for each in found for at in each.new] == list(range(len(new)))
    for each in found:
        if each.same:
            assert [old[at] for at in each.old] == [new[at] for at in each.new]


@given(lines, lines)
def test_both_texts_can_be_read_from_it(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old), "\n".join(new)
    found = diff_unified(before, after, context=None)
    assert not faults(found.html)
    assert not faults(diff_split(before, after).html)
    rows = [(kind, unescape(words(text))) for kind, text in _ROW.findall(found.html)]
    assert [text for kind, text in rows if kind != "add"] == (
        split_text_lines(before) if before else []
    )
    assert [text for kind, text in rows if kind != "del"] == (
        split_text_lines(after) if after else []
    )
    assert found.added == sum(kind == "add" for kind, _ in rows)
    assert found.removed == sum(kind == "del" for kind, _ in rows)


def test_words_are_marked() -> None:
    html = diff_unified("now = clock()", "now = clock(UTC)").html
    assert "now = clock(<ins>UTC</ins>)" in html
    assert (
        render_words_diff("a b c", "a x c")
        == '<div class="tt-words">a <del>b</del><ins>x</ins> c</div>'
    )


def test_texts_that_share_little_are_not_mixed() -> None:
    old = "Please scale the recipe to 40 loaves, and look whether the oven plan works."
    new = "The window needs a sign for the holidays; what do you think of blue?"
    assert render_words_diff(old, new) == (
        f'<div class="tt-words tt-apart"><del>{old}</del><ins>{new}</ins></div>'
    )
    # Text that has only grown is not different text.
    assert render_words_diff(old, f"{new} {old}").startswith('<div class="tt-words"><ins>')


@given(lines, lines)
def test_both_texts_can_be_read_from_marked_words(old: list[str], new: list[str]) -> None:
    before, after = " ".join(old), " ".join(new)
    html = render_words_diff(before, after)
    assert not faults(html)
    assert unescape(words(re.sub(r"<ins>.*?</ins>", "", html))) == before
    assert unescape(words(re.sub(r"<del>.*?</del>", "", html))) == after


def test_far_lines_are_folded_and_blanks_can_be_overlooked() -> None:
    old = "\n".join(str(number) for number in range(100))
    found = diff_unified(old, old.replace("50\n", "fifty\n"))
    assert found.html.count('<details class="tt-fold">') == 2
    assert "47 unchanged lines" in found.html
    assert (found.added, found.removed, found.hunks) == (1, 1, 1)
    assert diff_unified("a  b", "a b", space=False).hunks == 0
    assert diff_unified("a  b", "a b").hunks == 1


def test_large_texts_are_bounded() -> None:
    old = "\n".join(f"{number * 7919 % 1000}" for number in range(300_000))
    new = "\n".join(f"{number * 7907 % 1000}" for number in range(300_000))
    for found in (diff_unified(old, new), diff_split(old, new)):
        assert len(found.html) < 10_000_000
        assert found.added > 0
    assert len(diff_unified("a" * 10_000_000, "b" * 10_000_000).html) < 20_000
