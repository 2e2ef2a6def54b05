"""No text becomes an element, an attribute or an address that was not intended."""

from __future__ import annotations

from collections.abc import Callable

import comrak
import pytest

from talktree.views.html.gate import sanitize_html
from talktree.views.html.rendering import (
    diff_split,
    diff_unified,
    render_code,
    render_json,
    render_markdown,
    render_terminal,
    render_words_diff,
)
from tests.views.html.judge import faults
from tests.views.html.places import PLACES, shown
from tests.views.html.vectors import VECTORS

FUNCTIONS: dict[str, Callable[[str], str]] = {
    "terminal": render_terminal,
    "json": lambda text: render_json({text: [text]}),
    "words": lambda text: render_words_diff(text, f"x{text[3:]}"),
    "unified": lambda text: diff_unified(text, f"{text}\n{text[::-1]}").html,
    "split": lambda text: diff_split(text, f"{text[1:]} y").html,
}
ODD = [text for text in VECTORS if any(sign in text for sign in "\ud800\x00\x1b")]
LANGUAGES = ("html", "python", "tsx", "bash", "json", "yaml", "sql", "css", "diff", "c", "php", "")


def test_there_are_thousands() -> None:
    assert len(VECTORS) > 4000
    assert len(set(VECTORS)) == len(VECTORS)


def test_markdown() -> None:
    assert not [text for text in VECTORS if faults(render_markdown(text))]


def test_html_of_others_through_the_gate() -> None:
    assert not [text for text in VECTORS if faults(sanitize_html(text))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name: str) -> None:
    assert not [text for text in VECTORS[::2] if faults(FUNCTIONS[name](text))]


def test_source_in_all_languages() -> None:
    for number, text in enumerate(VECTORS):
        assert not faults(render_code(text, LANGUAGES[number % len(LANGUAGES)])), text


def test_source_in_a_language_named_by_the_text() -> None:
    assert not [text for text in VECTORS[::3] if faults(render_code("x = 1", text))]


@pytest.mark.parametrize("place", PLACES)
def test_place(place: str) -> None:
    start = list(PLACES).index(place)
    for text in [*VECTORS[start::11], *ODD]:
        for block in shown(place, text):
            assert not faults(block.html), (place, text, block.html)


def test_without_the_gate_the_judge_would_speak() -> None:
    """A control: the same vectors, by a parser that lets HTML pass, are caught in great number."""
    render = comrak.RenderOptions()
    render.unsafe_ = True
    caught = [
        text for text in VECTORS if faults(comrak.render_markdown(_sound(text), None, None, render))
    ]
    assert len(caught) > 2000


def _sound(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
