"""Seals: damage is always detected, and a line stays valid JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.session.journal.lines import LONGEST, read_number_at_end, seal_line, verify_seal

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text().filter(lambda name: name != "seal"), VALUES, max_size=4)
SPACING = st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", ":\r")])
NUMBERS = st.integers(1, 10**18 - 1)


def line_of(value: object, spacing: tuple[str, str], *, ascii_only: bool = True) -> bytes:
    text = json.dumps(value, separators=spacing, ensure_ascii=ascii_only)
    return text.encode("utf-8", "surrogatepass")


@given(OBJECTS, SPACING, st.booleans(), NUMBERS)
def test_a_sealed_line_holds_the_same_and_is_known(
    value: dict[str, object], spacing: tuple[str, str], ascii_only: bool, number: int
) -> None:
    line = line_of(value, spacing, ascii_only=ascii_only)
    done = seal_line(line, number)
    assert verify_seal(done) == (number, "good")
    assert verify_seal(b" " + done + b" \t\r") == (number, "good")
    assert read_number_at_end(done[-LONGEST:]) == number
    again = json.loads(done.decode("utf-8", "surrogatepass"))
    assert again.pop("seal").startswith(f"{number}-")
    assert again == json.loads(line.decode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("line", [b"{}", b"{ }", b"{\t }", b'{"a":{}}', b'{"a":"{"}', b'{"a":1 }'])
def test_small_objects(line: bytes) -> None:
    done = seal_line(line, 7)
    assert verify_seal(done) == (7, "good")
    assert json.loads(done)["seal"].startswith("7-")


@pytest.mark.parametrize(
    "line", [b"", b"[]", b'"a"', b"{", b'{"a":\n1}', b'{"a":1}\n', b'{"a":1} ']
)
def test_invalid_lines_are_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match="one JSON object"):
        seal_line(line, 1)


@pytest.mark.parametrize("number", [1, 9, 10, 54_321, 10**18 - 1])
@pytest.mark.parametrize("line", [b"{}", b'{"a":1}', b'{"text":"\xc3\xa9 \\" }","b":[{"c":null}]}'])
def test_every_flipped_bit_is_seen(line: bytes, number: int) -> None:
    done = seal_line(line, number)
    for bit in range(len(done) * 8):
        damaged = bytearray(done)
        damaged[bit // 8] ^= 1 << bit % 8
        assert verify_seal(bytes(damaged)).state == "broken", bytes(damaged)


@given(OBJECTS, SPACING)
def test_lines_of_others_have_none(value: dict[str, object], spacing: tuple[str, str]) -> None:
    assert verify_seal(line_of(value, spacing)) == (None, "none")


def test_a_seal_is_not_valid_for_another_place_or_line() -> None:
    first, second = seal_line(b'{"a":1}', 1), seal_line(b'{"a":1}', 2)
    assert first[:-18] + second[-18:] != first
    assert verify_seal(first.replace(b'"1-', b'"2-')) == (2, "broken")
    assert verify_seal(b'{"x":' + first + b"}").state != "good"
    assert verify_seal(b'{"x":1,' + first[1:]).state == "broken"
    assert verify_seal(first + second).state == "broken"
