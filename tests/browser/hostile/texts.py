"""The hostile texts, each with its number in it: a sample for every run, all for a long one."""

from __future__ import annotations

from base64 import b64encode

import pytest
from _pytest.mark.structures import ParameterSet

from tests.views.html.vectors import VECTORS

Numbered = dict[int, str]
"""Texts by number."""


def signed(number: int, text: str) -> str:
    """Return a text that reports its number when it runs or requests something."""
    for hidden in ("<script>alert(1)</script>", "<svg onload=alert(1)>"):
        text = text.replace(_packed(hidden), _packed(hidden.replace("(1)", f"({number})")))
    return text.replace("alert(1)", f"alert({number})").replace("evil.", f"n{number}.evil.")


def _packed(text: str) -> str:
    return b64encode(text.encode()).decode()


def encodable(text: str) -> str:
    """Return text without characters that no address and no browser message can hold."""
    return text.encode("utf-8", "replace").decode()


TEXTS: Numbered = {number: signed(number, text) for number, text in enumerate(VECTORS)}


def some(few: int, turn: int) -> Numbered:
    """Return about `count` texts of all kinds, a different sample each time."""
    step = len(TEXTS) // few
    return {number: TEXTS[number] for number in range(turn * 7 % step, len(TEXTS), step)}


def amounts(few: int, turn: int, together: int) -> list[ParameterSet]:
    """Return the parameters of a test: a sample always, and in a long run all texts in batches."""
    parts = range(0, len(TEXTS), together)
    whole = (dict(list(TEXTS.items())[start : start + together]) for start in parts)
    long = (
        pytest.param(part, id=f"part{number}", marks=pytest.mark.torture)
        for number, part in enumerate(whole)
    )
    return [pytest.param(some(few, turn), id="share"), *long]
