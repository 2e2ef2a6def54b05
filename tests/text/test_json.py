"""JSON in and out: nothing refused, nothing lost, nothing changed without an edit."""

from __future__ import annotations

import json
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.testing.strategies import damage_bytes, json_values, wild_text
from talktree.text.json.decode import decode, inspect
from talktree.text.json.encode import COMPACT, PRETTY, Style, encode_json, encode_new, learn_style
from talktree.text.json.patch import find_member, patch_json
from talktree.text.json.scanner import scan_json
from talktree.text.json.value import EncodedValue, Json, Token, is_same

styles = st.builds(
    Style,
    indent=st.sampled_from([None, "  ", "\t", "    "]),
    item=st.sampled_from([",", ", "]),
    colon=st.sampled_from([":", ": "]),
    ascii=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
)
wild_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | wild_text | st.just(Token("NaN")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(wild_text, inner, max_size=4),
    max_leaves=8,
)


@given(wild_values, styles)
def test_written_value_reads_back(value: Json, style: Style) -> None:
    assert is_same(decode(encode_json(value, style)).value, value)


@given(json_values)
def test_tolerant_reader_agrees_with_the_standard_one(value: Json) -> None:
    text = json.dumps(value, ensure_ascii=False).encode()
    found = scan_json(text)
    assert is_same(found.roots[0].value, json.loads(text))
    assert [each for each in found.problems if each.code != "number"] == []


@given(json_values, json_values, styles)
def test_patched_text_holds_the_new_value(old: Json, new: Json, style: Style) -> None:
    assert is_same(decode(patch_json(encode_json(old, style), new)).value, new) or _only_order(
        old, new
    )


def _only_order(old: Json, new: Json) -> bool:
    """Return a value without order: members keep their old order, so only the order may differ."""
    text = patch_json(encode_json(old), new)
    return json.dumps(json.loads(text), sort_keys=True) == json.dumps(new, sort_keys=True)


@given(json_values, styles)
def test_patching_with_the_same_value_changes_nothing(value: Json, style: Style) -> None:
    text = b"  " + encode_json(value, style) + b"\r\n"
    assert patch_json(text, value) == text


@given(st.data())
def test_damaged_text_is_answered(data: st.DataObject) -> None:
    text = data.draw(damage_bytes(encode_json(data.draw(json_values), PRETTY)))
    found = scan_json(text)
    assert all(0 <= root.start <= root.stop <= len(text) for root in found.roots)
    assert isinstance(inspect(text), list)


ODD = (
    b'{ "a": 1.10, "b" : {"x":[1,2]},  "a": 5, "big": 1e999, "n": NaN, '
    b'"z": 12345678901234567890123 }\n'
)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"b": {"x": [1, 2, 3]}}, ODD.replace(b"[1,2]", b"[1,2,3]")),
        ({"b": None}, ODD.replace(b'{"x":[1,2]}', b"null")),
        ({"a": 6}, ODD.replace(b'"a": 5', b'"a": 6')),
        ({"new": "é"}, ODD.replace(b"123 }", '123, "new": "é" }'.encode())),
        ({"n": ...}, ODD.replace(b', "n": NaN', b"")),
        ({"a": ...}, ODD.replace(b'"a": 1.10, ', b"").replace(b',  "a": 5', b"")),
    ],
)
def test_only_the_changed_member_changes(change: dict[str, object], expected: bytes) -> None:
    value = decode(ODD).value
    assert isinstance(value, dict)
    new = {key: item for key, item in {**value, **change}.items() if item is not ...}
    assert patch_json(ODD, cast(Json, new)) == expected


def test_added_members_follow_the_layout() -> None:
    text = b'{\n  "a": 1,\n  "b": []\n}'
    assert patch_json(text, {"a": 1, "b": [{"c": 1}], "d": {}}) == (
        b'{\n  "a": 1,\n  "b": [\n    {\n      "c": 1\n    }\n  ],\n  "d": {}\n}'
    )


@pytest.mark.parametrize("depth", [1000, 100_000])
def test_any_depth_is_read_and_written(depth: int) -> None:
    text = b'{"a":[' * depth + b"1" + b"]}" * depth
    found = decode(text)
    assert found.usable
    assert [each.code for each in found.problems] == ["deep"]
    assert encode_json(found.value) == text


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (b'{"a":1,"a":2}', ["duplicate-key"]),
        (b'{"a":NaN}', ["nan"]),
        (b'{"a":-Infinity}', ["nan"]),
        (b'{"a":1e999}', ["number"]),
        (b'{"a":' + b"7" * 5000 + b"}", ["number"]),
        (b'{"a":18446744073709551616}', ["number"]),
        (b'{"a":9007199254740992}', []),
        (b'{"a":[1,-9007199254740993]}', ["number"]),
        (b'{"a":"12345678901234567890"}', []),
        (b'{"a":"\xff"}', ["utf8"]),
        (b'{"a":"\\ud83c"}', ["surrogate"]),
        (b'{"a":"\\ud83c\\udf0d"}', []),
        (b'{"a":"\x01"}', ["control"]),
        ('{"a":"\u2028"}'.encode(), []),
        (b'\0\0{"a":1}', ["nul"]),
        (b'\xef\xbb\xbf{"a":1}', ["bom"]),
        (b'{"a":1 // why\n}', ["comment"]),
        (b'{"a":...}', ["syntax"]),
        (b'{"a":"torn', ["torn"]),
        (b'{"a":[1,{"b":2', ["torn"]),
    ],
)
def test_every_oddity_has_a_name(text: bytes, codes: list[str]) -> None:
    assert [each.code for each in inspect(text)] == codes


def test_numbers_keep_their_kind() -> None:
    assert decode(b"[1,1.0,true]").value == [1, 1.0, True]
    assert not is_same(1, 1.0)
    assert not is_same(1, True)
    assert not is_same(0.0, -0.0)
    assert is_same(decode(b"1e999").value, Token("1e999"))


@pytest.mark.parametrize(
    ("text", "style"),
    [
        (b'{"a":1,"b":2}', COMPACT),
        (b'{"a": 1, "b": 2}', Style(item=", ", colon=": ")),
        (b'{\n  "a": 1\n}', Style(indent="  ", colon=": ")),
        (b'[\r\n\t{\r\n\t\t"a": 1\r\n\t}\r\n]', Style(indent="\t", colon=": ", newline="\r\n")),
    ],
)
def test_style_is_learnt_from_the_text(text: bytes, style: Style) -> None:
    assert learn_style(text) == style


def test_last_member_of_a_name_counts() -> None:
    found = find_member(b'{"a": [1], "a": [2]}', "a")
    assert found is not None
    assert found.value == [2]


@pytest.mark.parametrize("beside", [1.5, Token("NaN"), "\ud800"])
def test_pre_encoded_values_are_written_unchanged(beside: Json) -> None:
    ready = EncodedValue(encode_json({"a": ["ü", 1]}))
    for write in (encode_json, encode_new):
        assert write({"ready": ready, "beside": beside}) == write(
            {"ready": {"a": ["ü", 1]}, "beside": beside}
        )
