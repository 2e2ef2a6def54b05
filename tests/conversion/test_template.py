"""Templates: holes where strings stand, and the bytes again."""

from __future__ import annotations

import pytest

from talktree.conversion.template import (
    A_COPY,
    BEGINNING,
    MOST_TRIED,
    NO_STRINGS,
    Spelling,
    filled,
    made,
)

JSON = Spelling(("json", "ascii"))
LONG = "abc “ü” " * A_COPY


@pytest.mark.parametrize(
    ("raw", "template"),
    [
        (f'{{"a":"{LONG}","b":1}}', ['{"a":', ["a"], ',"b":1}']),
        (f'{{"a":"{LONG}","b":"{LONG}"}}', ['{"a":', ["a"], ',"b":', ["a"], "}"]),
        (f'{{"a":"{LONG[:-1]}","b":1}}', f'{{"a":"{LONG[:-1]}","b":1}}'),
    ],
)
def test_a_long_string_leaves_a_hole_wherever_it_stands(raw: str, template: object) -> None:
    assert made(raw.encode(), {"a": LONG}, JSON) == template
    assert filled(made(raw.encode(), {"a": LONG}, JSON), {"a": LONG}, JSON) == raw.encode()


@pytest.mark.parametrize("copies", [1, MOST_TRIED, MOST_TRIED + 5])
def test_many_strings_that_begin_alike_are_told_apart(copies: int) -> None:
    alike = "x" * (2 * BEGINNING)
    raw = "".join(f'"{alike}{number}",' for number in range(copies)) + f'"{alike}!"'
    found = made(raw.encode(), {"a": f"{alike}!"}, JSON)
    assert found == [raw[: -len(alike) - 3], ["a"]]


def test_bytes_that_are_no_text_are_kept_as_they_are() -> None:
    raw = b'{"a":"' + LONG.encode() + b'","b":"\xff"}'
    template = made(raw, {"a": LONG}, JSON)
    assert isinstance(template, dict)
    assert filled(template, NO_STRINGS, JSON) == raw
