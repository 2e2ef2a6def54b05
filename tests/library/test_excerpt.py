"""Excerpts: the shown part of a text, and the positions of matches in it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.library.fulltext.tokenizer import normalize_letters, split_words
from talktree.library.search.excerpt import ELLIPSIS, HitExcerpt, is_joined, make_excerpt
from talktree.library.search.match import collect_needles
from talktree.library.search.parse import parse
from tests.cases import examples

FILLING = "lorem ipsum dolor sit amet " * 40


def _excerpt(text: str, query: str, width: int = 200) -> HitExcerpt:
    return make_excerpt(text, collect_needles(parse(query)), width)


def _marked(text: str, query: str, width: int = 200) -> str:
    """Return the excerpt with its matches in brackets."""
    found = _excerpt(text, query, width)
    shown = found.text
    for start, end in reversed(found.marks):
        shown = f"{shown[:start]}[{shown[start:end]}]{shown[end:]}"
    return shown


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("The lamp burns. LAMP!", "lamp", "The [lamp] burns. [LAMP]!"),
        ("the lamp", "lam*", "the [lamp]"),
        ("the lamp", "*am*", "the l[am]p"),
        ("clamps, lamp", "lamp", "clamps, [lamp]"),
        ("a b c a b", '"a b"', "[a b] c [a b]"),
        ("call foo(bar) now", "foo.bar", "call [foo(bar]) now"),
        ("x -> y", 'has:"-> Y"', "x [-> y]"),
        ("Die Straße nach E\u0301tretat", "strasse etretat", "Die [Straße] nach [E\u0301tretat]"),
        ("東京の潮汐表を作りました。", "潮汐", "東京の[潮汐]表を作りました。"),
        ("naïvely", "*IVE*", "na[ïve]ly"),
        ("a b", "a -c", "[a] b"),
        ("a b", "a (b OR z)", "[a] [b]"),
        ("a\n\n  b\tc", "b", "a [b] c"),
        ("nothing of it", "zebra", "nothing of it"),
        ("", "a", ""),
    ],
)
def test_matches_are_marked(text: str, query: str, expected: str) -> None:
    assert _marked(text, query) == expected


def test_the_place_where_most_is_found_is_shown() -> None:
    text = f"lamp {FILLING} wiring {FILLING} the wiring of a lamp {FILLING}"
    shown = _marked(text, "wiring lamp")
    assert "the [wiring] of a [lamp]" in shown
    assert shown.startswith(ELLIPSIS)
    assert shown.endswith(ELLIPSIS)


def test_a_match_near_the_end_is_found_in_text_of_any_script() -> None:
    for filling in (FILLING * 5, "文字列の中 é " * 900):
        assert "the [needle] here" in _marked(f"{filling} the needle here {filling}", "needle")
    assert "[針]" in _marked("文字列の中に" * 900 + "針" + "がある" * 900, "針")


def test_a_phrase_is_found_where_it_is_a_phrase() -> None:
    text = f"bar {FILLING} foo {FILLING} foo bar {FILLING}"
    assert "[foo bar]" in _marked(text, '"foo bar"')


def test_excerpts_are_cut_between_words() -> None:
    shown = _excerpt(f"{FILLING} needle {FILLING}", "needle").text
    assert set(split_words(shown)) <= set(split_words(FILLING)) | {"needle"}


@pytest.mark.parametrize(
    "char", ["e\u0301", "👩\u200d👩\u200d👧", "🇩🇪", "👍🏽", "\u1100\u1161\u11a8", "हि", "❤\ufe0f"]
)
def test_excerpts_are_never_cut_inside_of_a_character(char: str) -> None:
    for width in range(40, 60):
        shown = _excerpt(char * 100 + " needle " + char * 100, "needle", width).text
        shown = shown.strip(ELLIPSIS).replace("needle", "").replace(" ", "")
        assert shown.replace(char, "") == ""


@pytest.mark.parametrize("pair", ["ab", "東京", "a東", "🇩🇪🇫🇷"[1:3], "\n\r"])
def test_other_characters_are_alone(pair: str) -> None:
    assert not is_joined("🇩🇪🇫🇷", 2)
    if "\U0001f1ea" not in pair:
        assert not is_joined(pair, 1)


texts = st.lists(
    st.sampled_from(
        [
            "foo",
            "Foo",
            "bar",
            "x" * 70,
            "é",
            "東京",
            "e\u0301",
            "→",
            "\n",
            "👩\u200d👧",
            "ß",
            "a.b",
            "\x1b[",
        ]
    )
    | st.text(max_size=5),
    max_size=80,
).map(" ".join)


@examples(300)
@given(texts, st.sampled_from(["foo", '"foo bar"', "fo*", "*oo*", "東京", 'has:"foo é"', "ss e*"]))
def test_excerpts_of_any_text(text: str, query: str) -> None:
    needles = collect_needles(parse(query))
    found = make_excerpt(text, needles)
    inner = found.text.removeprefix(ELLIPSIS).removesuffix(ELLIPSIS).strip()
    assert inner in re.sub(r"\s+", " ", text)
    assert not re.search(r"[\n\t\r]", found.text)
    assert len(found.text) <= 200 + 2 + 70 + 64
    end = 0
    for start, stop in found.marks:
        assert end <= start < stop <= len(found.text)
        end = stop
        if query == "foo":
            assert split_words(found.text[start:stop]) == ["foo"]
        if query == "*oo*":
            assert normalize_letters(found.text[start:stop]) == "oo"


@given(texts)
def test_matches_are_shown_in_the_excerpt(text: str) -> None:
    if "foo" in split_words(text):
        assert _excerpt(text, "foo").marks
    if "oo" in normalize_letters(text):
        assert _excerpt(text, "*oo*").marks
