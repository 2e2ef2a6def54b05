"""The beginning of a JSON text is read the same by the compiled decoder and the exact scanner."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.testing.strategies import damage_bytes, json_values, word
from talktree.text.json.encode import COMPACT, PRETTY, Style, encode_json
from talktree.text.json.head import complete_truncated, decode_head
from talktree.text.json.scanner import NodeKind, scan_json
from talktree.text.json.value import is_same

_documents = st.lists(st.dictionaries(word, json_values, max_size=4), max_size=4) | json_values
_styles = st.sampled_from([COMPACT, PRETTY, Style(ascii=True)])


def assert_both_ways_agree(head: bytes) -> None:
    exact = [root.value for root in scan_json(head).roots if root.kind is not NodeKind.SCALAR]
    assert is_same(decode_head(head), exact)


@given(st.data(), _documents, _styles)
def test_both_ways_agree_wherever_a_text_is_cut_off(
    data: st.DataObject, value: object, style: Style
) -> None:
    whole = encode_json(value, style)  # type: ignore[arg-type]
    assert_both_ways_agree(whole[: data.draw(st.integers(0, len(whole)))])


@given(st.data(), _documents)
def test_both_ways_agree_on_damaged_texts(data: st.DataObject, value: object) -> None:
    assert_both_ways_agree(data.draw(damage_bytes(encode_json(value))))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("head", "whole"),
    [
        (b'[{"a":"b c', b'[{"a":"b c"}]'),
        (b'[{"a":1,"b', b'[{"a":1}]'),
        (b'[{"a":1, ', b'[{"a":1}]'),
        (b'{"a":[1,"x"],\n"b":[\n', b'{"a":[1,"x"],\n"b":[]}'),
        (b'["a', b'["a"]'),
        (b'[{"a":"b"}', b'[{"a":"b"}]'),
        (b'{"', b"{}"),
    ],
)
def test_missing_closing_characters_are_added(head: bytes, whole: bytes) -> None:
    assert complete_truncated(head) == whole
    assert_both_ways_agree(head)


@pytest.mark.parametrize(
    "head",
    [b"", b"1", b'"a', b"{}", b'{"a', b'{"a"', b'{"a":', b'{"a":1', b'["a\\', b'["a\\ud83d', b"[}"],
)
def test_heads_that_are_not_easily_completed_are_left_to_the_scanner(head: bytes) -> None:
    assert_both_ways_agree(head)


def test_brackets_and_quotes_take_linear_time() -> None:
    for head in (b"[" * 50_000, b'["a' * 20_000, b'{"a":{' * 20_000, b'"' * 50_001):
        complete_truncated(head)
