"""Seals: damage is always seen, and a line stays the JSON it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.session.journal.lines import LONGEST, judged, number_at_end, sealed

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
    done = sealed(line, number)
    assert judged(done) == (number, "good")
    assert judged(b" " + done + b" \t\r") == (number, "good")
    assert number_at_end(done[-LONGEST:]) == number
    again = json.loads(done.decode("utf-8", "surrogatepass"))
    assert again.pop("seal").startswith(f"{number}-")
    assert again == json.loads(line.decode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("line", [b"{}", b"{ }", b"{\t }", b'{"a":{}}', b'{"a":"{"}', b'{"a":1 }'])
def test_small_objects(line: bytes) -> None:
    done = sealed(line, 7)
    assert judged(done) == (7, "good")
    assert json.loads(done)["seal"].startswith("7-")


@pytest.mark.parametrize(
    "line", [b"", b"[]", b'"a"', b"{", b'{"a":\n1}', b'{"a":1}\n', b'{"a":1} ']
)
def test_what_is_no_line_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match="one JSON object"):
        sealed(line, 1)


@pytest.mark.parametrize("number", [1, 9, 10, 54_321, 10**18 - 1])
@pytest.mark.parametrize("line", [b"{}", b'{"a":1}', b'{"text":"\xc3\xa9 \\" }","b":[{"c":null}]}'])
def test_every_flipped_bit_is_seen(line: bytes, number: int) -> None:
    done = sealed(line, number)
    for bit in range(len(done) * 8):
        damaged = bytearray(done)
        damaged[bit // 8] ^= 1 << bit % 8
        assert judged(bytes(damaged)).state == "broken", bytes(damaged)


@given(OBJECTS, SPACING)
def test_lines_of_others_have_none(value: dict[str, object], spacing: tuple[str, str]) -> None:
    assert judged(line_of(value, spacing)) == (None, "none")


def test_a_seal_is_no_seal_of_another_place_or_line() -> None:
    first, second = sealed(b'{"a":1}', 1), sealed(b'{"a":1}', 2)
    assert first[:-18] + second[-18:] != first
    assert judged(first.replace(b'"1-', b'"2-')) == (2, "broken")
    assert judged(b'{"x":' + first + b"}").state != "good"
    assert judged(b'{"x":1,' + first[1:]).state == "broken"
    assert judged(first + second).state == "broken"
