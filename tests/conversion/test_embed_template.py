"""Templates: gaps in place of strings, and the restored bytes."""

from __future__ import annotations

import pytest

from talktree.conversion import embed_template as template_module
from talktree.conversion.embed_template import (
    A_COPY,
    BEGINNING,
    MOST_TRIED,
    NO_STRINGS,
    Spelling,
    fill_template,
    make_template,
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
def test_a_long_string_leaves_a_gap_wherever_it_is(raw: str, template: object) -> None:
    assert make_template(raw.encode(), {"a": LONG}, JSON) == template
    assert (
        fill_template(make_template(raw.encode(), {"a": LONG}, JSON), {"a": LONG}, JSON)
        == raw.encode()
    )


@pytest.mark.parametrize("copies", [1, MOST_TRIED, MOST_TRIED + 5])
def test_many_strings_that_begin_alike_are_distinguished(copies: int) -> None:
    alike = "x" * (2 * BEGINNING)
    raw = "".join(f'"{alike}{number}",' for number in range(copies)) + f'"{alike}!"'
    found = make_template(raw.encode(), {"a": f"{alike}!"}, JSON)
    assert found == [raw[: -len(alike) - 3], ["a"]]


def test_bytes_that_are_not_text_are_kept_as_they_are() -> None:
    raw = b'{"a":"' + LONG.encode() + b'","b":"\xff"}'
    template = make_template(raw, {"a": LONG}, JSON)
    assert isinstance(template, dict)
    assert fill_template(template, NO_STRINGS, JSON) == raw


@pytest.mark.parametrize("names", [("json", "ascii"), ("text",), ("xml",)])
@pytest.mark.parametrize("text", [LONG, LONG + '"\\', "\n\x01" * A_COPY, "<&>" * A_COPY, "a" * 999])
def test_a_very_long_string_is_found_part_by_part(
    monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], text: str
) -> None:
    spelling = Spelling(names)
    strings = {"a": text}
    for name, spell in spelling.direct:
        spelt = spell(text)
        raw = b'{"x":' + spelt[:50] + b"...," + spelt + b',"y":' + spelt + b"}"
        whole = make_template(raw, strings, spelling)
        with monkeypatch.context() as patch:
            patch.setattr(template_module, "VERY_LONG", 70)
            parts = make_template(raw, strings, spelling)
        assert parts == whole, name
        assert fill_template(parts, strings, spelling) == raw


def test_half_a_character_in_a_very_long_string_is_spelt_in_ascii(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "x" * A_COPY + "\ud800" + "y" * A_COPY
    raw = b'{"a":"' + b"x" * A_COPY + b"\\ud800" + b"y" * A_COPY + b'"}'
    monkeypatch.setattr(template_module, "VERY_LONG", 70)
    assert make_template(raw, {"a": text}, JSON) == ['{"a":', ["a", "ascii"], "}"]
