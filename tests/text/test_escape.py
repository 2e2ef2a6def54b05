"""No character that acts on a terminal passes the gate."""

from __future__ import annotations

import json
import sys
from unicodedata import category

import pytest
from hypothesis import given

from talktree.testing.strategies import wild_text
from talktree.text.escape import escape_json, escape_line, escape_text
from tests.cases import SEED, TORTURE, rotate

ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}
BLOCK = 0x1000
SPECIAL = (0x0, 0x1000, 0x2000, 0xD000, 0xF000, 0x11000, 0x13000, 0x1B000, 0x1D000, 0xE0000)
"""Where most acting characters are; of all others each run checks a share."""


def test_every_character_that_acts_is_written_out_and_no_other() -> None:
    others = [start for start in range(0, sys.maxunicode + 1, BLOCK) if start not in SPECIAL]
    for start in (*SPECIAL, *rotate(others, len(others) if TORTURE else 10, SEED)):
        for code in range(start, start + BLOCK):
            check(code)


def check(code: int) -> None:
    """Check one character."""
    char = chr(code)
    acts = category(char) in ACTING and char not in "\t\n"
    if 0xE0000 <= code < 0xE1000:
        acts = True  # invisible in any use
    shown = escape_text(char)
    if acts:
        assert shown != char, hex(code)
        assert shown.isascii(), hex(code)
        assert shown.isprintable(), hex(code)
    elif 0x2060 <= code <= 0x206F or 0x13430 <= code <= 0x1343F:
        pass  # in a block of format characters, not all of them assigned in every version
    else:
        assert shown == char, hex(code)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;ZWNobyBoaQ==\x07", "\\x1b]52;c;ZWNobyBoaQ==\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
        ("\U000e0041\u200b\ufeff", "\\U000e0041\\u200b\\ufeff"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("\r\x7f\ud83c", "\\r\\x7f\\ud83c"),
        ("grüße 水 😀 e\u0301", "grüße 水 😀 e\u0301"),
    ],
)
def test_acting_characters_are_shown_escaped(text: str, shown: str) -> None:
    assert escape_text(text) == shown


def test_one_line_stays_one_line() -> None:
    assert escape_line("a\nb\r\nc\td\u2028e") == "a\\nb\\r\\nc\td\\u2028e"


@given(wild_text)
def test_the_gate_lets_its_own_output_through(text: str) -> None:
    for gate in (escape_text, escape_line):
        assert gate(gate(text)) == gate(text)


@given(wild_text)
def test_json_is_the_same_after_the_gate(text: str) -> None:
    written = escape_json(json.dumps(text, ensure_ascii=False))
    # Two adjacent surrogate halves are one character in JSON.
    assert json.loads(written).encode("utf-16", "surrogatepass") == text.encode(
        "utf-16", "surrogatepass"
    )
    assert not any(category(char) in ACTING for char in written)
