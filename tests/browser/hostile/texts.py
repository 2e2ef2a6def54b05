"""The hostile texts, each with its number in it: a few for every run, all for a long one."""

from __future__ import annotations

from base64 import b64encode

import pytest
from _pytest.mark.structures import ParameterSet

from tests.views.html.vectors import VECTORS

Numbered = dict[int, str]
"""Texts by their numbers."""


def signed(number: int, text: str) -> str:
    """A text that says which one it is when it runs something or asks for something."""
    for hidden in ("<script>alert(1)</script>", "<svg onload=alert(1)>"):
        text = text.replace(_packed(hidden), _packed(hidden.replace("(1)", f"({number})")))
    return text.replace("alert(1)", f"alert({number})").replace("evil.", f"n{number}.evil.")


def _packed(text: str) -> str:
    return b64encode(text.encode()).decode()


def sound(text: str) -> str:
    """A text without what no address and no message to the browser can hold."""
    return text.encode("utf-8", "replace").decode()


TEXTS: Numbered = {number: signed(number, text) for number, text in enumerate(VECTORS)}


def some(few: int, turn: int) -> Numbered:
    """About so many of all kinds, others in each turn."""
    step = len(TEXTS) // few
    return {number: TEXTS[number] for number in range(turn * 7 % step, len(TEXTS), step)}


def amounts(few: int, turn: int, together: int) -> list[ParameterSet]:
    """What a test runs with: a share always, and all of them in a long run, so many at a time."""
    parts = range(0, len(TEXTS), together)
    whole = (dict(list(TEXTS.items())[start : start + together]) for start in parts)
    long = (
        pytest.param(part, id=f"part{number}", marks=pytest.mark.torture)
        for number, part in enumerate(whole)
    )
    return [pytest.param(some(few, turn), id="share"), *long]
