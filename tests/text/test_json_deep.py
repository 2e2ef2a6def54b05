"""Values without nodes: the same as with nodes, at any depth, in memory that follows the text."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.testing.strategies import damage_bytes, json_values
from talktree.text.json.decode import decode, peek
from talktree.text.json.encode import LONG, encode_json, encode_long
from talktree.text.json.scanner import JsonNode, scan_json, scan_shallow, scan_values
from talktree.text.json.value import Json, Token, is_same

DEPTH = 2_500


@given(st.one_of(json_values.map(encode_json), json_values.map(encode_json).flatmap(damage_bytes)))
def test_values_and_problems_are_those_of_a_scan_with_nodes(text: bytes) -> None:
    nodes, values = scan_json(text), scan_values(text)
    assert values.problems == nodes.problems
    assert values.complete == nodes.complete
    assert len(values.roots) == len(nodes.roots)
    for one, two in zip(values.roots, nodes.roots, strict=True):
        assert (one.kind, one.start, one.stop) == (two.kind, two.start, two.stop)
        assert is_same(one.value, two.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'{"a":1,"a":}', {"a": 1}),
        (b'{"a":{"b":1},"a":[2]}', {"a": [2]}),
        (b'{"a":,"b":1}', {"a": None, "b": 1}),
        (b'{[1],"b":2}', {"b": 2}),
    ],
)
def test_odd_members_have_the_value_that_counts(text: bytes, value: Json) -> None:
    assert is_same(scan_json(text).roots[0].value, value)
    assert is_same(scan_values(text).roots[0].value, value)


@pytest.mark.parametrize(
    "text",
    [
        *(b"[1e999]", b"[12345678901234567890]", b"[-9007199254740993]", b"[NaN]", b"[-0,0.5,1E5]"),
        *(b'{"a":1,}', b"[1,,2]", b'{"a" 1}', b'["\xff"]', b"[1 2]", b'["a\\u0041"]', b"[[1],[2"),
        *(b'{"a":{"b":1,"b":2}}', b"{1}", b"[01]", b"[1.]", b"[[],{}] [1]", b'[{"a":"\x01"}]'),
        *(b"[1]]", b"{]", b"[}", b'[{"a":1]', b"[1\x00]", b"[1 /* 2 */]", b'{"a":[tru]}'),
    ],
)
def test_odd_texts_are_read_alike(text: bytes) -> None:
    nodes, values = scan_json(text), scan_values(text)
    assert values.problems == nodes.problems
    assert values.complete == nodes.complete
    assert [encode_json(each.value) for each in values.roots] == [
        encode_json(each.value) for each in nodes.roots
    ]


@given(json_values.map(encode_json), st.integers(1, 4))
def test_a_shallow_scan_has_the_outer_nodes(text: bytes, levels: int) -> None:
    whole, shallow = scan_json(text), scan_shallow(text, levels)
    assert shallow.problems == whole.problems
    assert [_outline(each, levels) for each in shallow.roots] == [
        _outline(each, levels) for each in whole.roots
    ]


def _outline(root: JsonNode, levels: int) -> list[tuple[int, int, int, str | None]]:
    found: list[tuple[int, int, int, str | None]] = []
    pending = [(root, 1)]
    while pending:
        node, level = pending.pop()
        found.append((node.kind, node.start, node.stop, node.key))
        if level < levels:
            pending += [(each, level + 1) for each in node.children]
    return found


@pytest.mark.parametrize(
    "level",
    [(b"[", b"]"), (b'{"a":', b"}"), (b'{"k":"' + b"x" * 100 + b'","a":["bcdef",', b"]}")],
    ids=["lists", "objects", "long"],
)
def test_steps_and_memory_follow_the_text(level: tuple[bytes, bytes]) -> None:
    small, large = (level[0] * deep + b"1" + level[1] * deep for deep in (DEPTH, 2 * DEPTH))
    assert _calls(lambda: decode(large)) < 2.2 * _calls(lambda: decode(small))
    assert _peak(lambda: decode(large)) < 2.2 * _peak(lambda: decode(small))


def test_values_of_a_long_text_take_a_small_multiple_of_it() -> None:
    level = b'{"k":"' + b"x" * 100 + b'","a":["bcdef",'
    text = level * DEPTH + b"1" + b'],"z":"yyyyyyyyyyyyyyyyyyyy"}' * DEPTH
    assert _peak(lambda: scan_values(text)) < 8 * len(text)


def test_peeking_does_not_copy() -> None:
    text = b"[" * DEPTH + b"]" * DEPTH
    assert peek(text).value is peek(text).value
    assert decode(text).value is not decode(text).value


def _calls(work: Callable[[], object]) -> int:
    """Return the number of function calls that some work takes."""
    count = 0

    def _count(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(_count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def _peak(work: Callable[[], object]) -> int:
    """Return the peak memory of some work in bytes."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("value", [{"a": 'ä\u2028\x00\x7f"\\' * LONG}, ["x" * LONG, 2**62, True]])
def test_a_long_text_is_the_same_from_both_encoders(value: Json) -> None:
    assert encode_long(value) == encode_json(value)


@pytest.mark.parametrize("value", ["short", ["x" * LONG, 1e-05], ["x" * LONG, Token("NaN")]])
def test_other_texts_are_left_to_the_exact_encoder(value: Json) -> None:
    assert encode_long(value) is None
