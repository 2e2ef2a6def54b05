"""The laws for every text: nothing is lost, nothing acts, both gates agree, everything is shown."""

from __future__ import annotations

import comrak
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from talktree.model.message import Message
from talktree.testing.strategies import messages
from talktree.text.escape import escape_line
from talktree.views.html import gate
from talktree.views.html import markdown as reading
from talktree.views.html.escaped import escape, escape_visible
from talktree.views.html.highlight import render_code
from talktree.views.html.languages import LANGUAGES
from talktree.views.html.rendering import (
    RenderOptions,
    build_chips,
    render_blocks,
    render_markdown,
    render_terminal,
)
from talktree.views.transcript import fold_results
from tests.cases import examples
from tests.views.html.judge import faults, tags, words

odd = [*"ab <>&\"'`*_[]()!#|~\\:/-+=.\n\t\r\x00\x1b\u202e\ud800", "é", "www.", "😀"]
marked = st.lists(st.sampled_from(odd), max_size=60).map("".join)
texts = st.one_of(st.text(max_size=80), marked)


@given(texts)
def test_escaped_text_says_what_the_text_says(text: str) -> None:
    assert words(f"<p>{escape(text)}</p>") == escape_visible(text)
    assert not faults(f'<p title="{escape(text)}">x</p>')


@given(texts, st.sampled_from([*sorted(LANGUAGES), "", "haskell", "no-such"]))
def test_coloured_source_says_what_the_source_says(text: str, language: str) -> None:
    html = render_code(text, language)
    assert not faults(html)
    assert words(html) == escape_visible(text)


@given(texts)
def test_markdown_is_safe_and_stays_so(text: str) -> None:
    html = render_markdown(text)
    assert not faults(html)
    assert gate.is_sound_html(html)


@given(texts)
def test_terminal_text_is_safe(text: str) -> None:
    assert not faults(render_terminal(text))


@given(st.text("abc dW.-,;()'+0123456789", min_size=1, max_size=40))
def test_the_short_way_gives_what_the_parser_gives(text: str) -> None:
    if reading._is_plain_line(text):
        render = comrak.RenderOptions()
        render.escape = render.hardbreaks = True
        whole = comrak.render_markdown(text, reading._WITH_LINKS, reading._PARSE, render)
        assert words(render_markdown(text)) == words(whole)
        assert tags(render_markdown(text)) == tags(whole)


@given(texts)
def test_no_address_is_overlooked(text: str) -> None:
    if not any(sign in text for sign in ("://", "www.", "@")):
        whole = comrak.render_markdown(escape_visible(text), reading._WITH_LINKS, None, None)
        assert whole == comrak.render_markdown(escape_visible(text), reading._WITHOUT, None, None)


pieces = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<b>",
        "</b>",
        '<div class="tt-x">',
        "</div>",
        "<br>",
        "x",
        "&lt;",
        "<script>",
        '<a href="https://a.b" target="_blank" rel="noopener noreferrer nofollow">',
        "</a>",
        "<",
        '<a href="javascript:x">',
        "<p onclick=x>",
        "<!--",
        "-->",
        '<img src="data:image/png;base64,AA==">',
        "<img src=x>",
        '<details open="">',
        "</details>",
        "<summary>",
        "</summary>",
        "<svg>",
        '"',
        "'",
        '<p class="evil">',
        '<p id="x">',
        "<style>",
        "</style>",
        '<span title="a>b">',
        "</span>",
        "]]>",
    ]
)


@examples(400)
@given(st.lists(pieces, max_size=10).map("".join))
def test_html_that_passes_the_precheck_needs_no_gate(html: str) -> None:
    """The precheck agrees with the parser: the parser would not have changed what it lets pass."""
    assert not faults(gate.sanitize_html(html))
    if gate.is_sound_html(html):
        assert not faults(html)
        assert words(gate._CLEANER.clean(html)) == words(html)


@examples(50)
@given(st.lists(messages, max_size=6), st.sampled_from([None, 10, 20_000]))
def test_any_message_is_shown_safely(said: list[Message], limit: int | None) -> None:
    assume(len({message.id for message in said}) == len(said))
    for step in fold_results(enumerate(said)):
        for block in render_blocks(step, RenderOptions(limit=limit)):
            assert not faults(block.html)
            for plain in (block.title, block.detail, block.name, block.media_type, block.remote):
                assert escape_line(plain) == plain
        for chip in build_chips(step.message, ""):
            assert escape_line(chip.text) == chip.text
            assert len(chip.text) < 200


LONG = {
    "brackets": "[",
    "stars": "*",
    "quotes": ">",
    "backticks": "`",
    "images": "![[",
    "links": "[a](",
    "items": "- ",
    "mixed": "*a_ ",
    "numbers": "1. ",
    "tags": "<a ",
    "entities": "&",
    "backslashes": "\\",
    "quoted items": "> - ",
    "addresses": "http://",
    "notes": "[^1]",
    "cells": "|x",
    "strikes": "~~a",
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("size", [300_000, 1_000_000])
def test_much_of_one_thing_comes_back(name: str, size: int) -> None:
    """A blow-up would be a test that never ends."""
    text = LONG[name] * (size // len(LONG[name]))
    html = render_markdown(f"{text}\n\n[^1]: x")
    assert len(html) < 20 * len(text)
    assert gate.is_sound_html(html)


def test_deep_html_of_others_is_shown_as_text() -> None:
    html = gate.sanitize_html("<div>" * 50_000 + "<img src=x onerror=alert(1)>")
    assert html.startswith('<pre class="tt-plain">&lt;div&gt;')
