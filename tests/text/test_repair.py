"""Repaired JSON: a strict reader finds in it what the tolerant one found before."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.testing.strategies import damage_bytes, json_values
from talktree.text.json.encode import encode_json
from talktree.text.json.repair import apply_repairs, find_invalid_utf8, repair_values
from talktree.text.json.syntax import NodeKind


@pytest.mark.parametrize(
    ("text", "sound"),
    [
        (b'{"a":1,}', b'{"a":1}'),
        (b'{"a":1 "b":2}', b'{"a":1, "b":2}'),
        (b"[1,,2,]", b"[1,2]"),
        (b'{"a":1},', b'{"a":1}'),
        (b'{"a": , "b":1}', b'{ "b":1}'),
        (b'{"a"[1,2],"b":3}', b'{"a":[1,2],"b":3}'),
        (b'{"a" {"b":2}}', b'{"a": {"b":2}}'),
        (b'{"a":"x\0y\n"}', b'{"a":"xy\\n"}'),
        (b'{"a":"\\q"}', b'{"a":"\\\\q"}'),
        (b'{"x":1,"a":tru', b'{"x":1}'),
        (b'{"x":1,"a":', b'{"x":1}'),
        (b'{"x":1,"a', b'{"x":1}'),
        (b'{"x":12', b"{}"),
        (b'[{"a":1]', b'[{"a":1}]'),
        (b"[1,2]]", b"[1,2]"),
        (b'{"a":1,"a":2,"a":3}', b'{"a":3}'),
        (b'{"a":1, {"b":2}, "c":3}', b'{"a":1,  "c":3}'),
        (b'[{"a":"hello \\u00', b'[{"a":"hello "}]'),
        (b'[{"a":"h\xc3', b'[{"a":"h"}]'),
        (b'{"a":"\\ud83c"}', b'{"a":"\\ufffd"}'),
        (b'{"a":NaN}', b'{"a":null}'),
        (b'{"a":1 /* x */}', b'{"a":1 }'),
        (b'{\n "a": "x,\n "b": 2\n}', b'{\n "a": "x",\n "b": 2\n}'),
        (b'{\n "a": "x\n}\n', b'{\n "a": "x"\n}\n'),
        (b'{"a":"x\ny"}', b'{"a":"x\\ny"}'),
        (b'{"a"\0\0:1}', b'{"a":1}'),
        (b'[[]-""]', b'[[],"-\\""]'),
        (b'[[],\x02"]', b'[[],"\\u0002"]'),
        (b'{"a":1,id":2}', b'{"a":1,"id":2}'),
        (b'{"a":1 id" :2}', b'{"a":1 ,"id" :2}'),
        (b'{"a":1,"i"d":2}', b'{"a":1,"id":2}'),
        (b'{"a":1,"id"":2}', b'{"a":1,"id":2}'),
        (b'[\n{"a":1},\n"  {\n"a":2\n}\n]', b'[\n{"a":1},\n  {\n"a":2\n}\n]'),
        (b'{"a":1,"id:2,"b":3}', b'{"a":1,"id":2,"b":3}'),
        (b'{"a":1,"id:[{"c":2}],"b":3}', b'{"a":1,"id":[{"c":2}],"b":3}'),
        (b'[{"a":1},"  {"id":2}]', b'[{"a":1},  {"id":2}]'),
        (b'[{"a":1,{"a":2}]', b'[{"a":1},{"a":2}]'),
        (b'[{"a":[]\n,\n{"a":{"b":2}}]', b'[{"a":[]}\n,\n{"a":{"b":2}}]'),
        (b'{"a":1,"id: [\n{"b":2}\n]}', b'{"a":1,"id": [\n{"b":2}\n]}'),
        (b'[0.0\xac""]', b'["0.0\xef\xbf\xbd\\""]'),
    ],
)
def test_each_oddity_is_repaired_alone(text: bytes, sound: bytes) -> None:
    assert apply_repairs(text, repair_values(text).changes) == sound
    assert apply_repairs(sound, repair_values(sound).changes) == sound


@given(
    data=st.data(),
    value=st.lists(json_values, min_size=1) | st.dictionaries(st.text(), json_values),
)
def test_repaired_text_is_strict_json(data: st.DataObject, value: list[object]) -> None:
    whole = encode_json(value)  # type: ignore[arg-type]
    assert not repair_values(whole).changes or b"\\ud" in whole
    text = data.draw(damage_bytes(whole))
    found = repair_values(text)
    roots = found.scan.roots
    if len(roots) == 1 and roots[0].kind is not NodeKind.SCALAR:
        sound = apply_repairs(text, found.changes)
        json.loads(sound)
        left = {change.key for change in repair_values(sound).changes}
        assert left <= {"duplicate-key"}


@given(st.binary(max_size=60))
def test_strange_bytes_are_exactly_the_invalid_utf8(raw: bytes) -> None:
    out, at = b"", 0
    for start, stop in find_invalid_utf8(raw, 0, len(raw)):
        out, at = out + raw[at:start], stop
    (out + raw[at:]).decode()


def test_hostile_texts_take_linear_time() -> None:
    for text in (
        b"/*" * 100_000,
        b'"' * 200_001,
        b"\xff" * 200_000,
        b"[" * 100_000,
        b"{,:" * 60_000,
    ):
        repair_values(text)
