"""Values that hold all text of their records, detected for many records together."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.text.json.decode import decode, find_oddities
from talktree.text.json.precheck import PIECE, is_fully_represented

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text('ab"\\\n\x1bü“', max_size=6),
)


@st.composite
def texts(draw: st.DrawFn, depth: int = 3) -> str:
    """Generate JSON in any layout, in which names may occur twice."""
    kind = draw(st.sampled_from(("leaf", "list", "object"))) if depth else "leaf"
    gap = draw(st.sampled_from(("", " ", "\n ")))
    if kind == "leaf":
        leaf, ascii = draw(LEAVES), draw(st.booleans())
        if isinstance(leaf, str) and draw(st.booleans()):
            # Quotes written as number escapes; a placeholder represents them on the way.
            text = json.dumps(leaf.replace('"', "\0"), ensure_ascii=ascii)
            return text.replace("\\u0000", "\\u0022")
        return json.dumps(leaf, ensure_ascii=ascii)
    inside = draw(st.lists(texts(depth=depth - 1), max_size=3))
    if kind == "list":
        return f"[{gap}{f',{gap}'.join(inside)}]"
    names = [json.dumps(draw(st.text('ab"\\', max_size=2))) for _ in inside]
    members = [f"{name}{gap}:{each}" for name, each in zip(names, inside, strict=True)]
    return f"{{{gap}{f',{gap}'.join(members)}}}"


def _is_fully_represented(*raws: bytes) -> bool:
    return is_fully_represented(b"\n".join(raws), [decode(raw).value for raw in raws])


@given(st.lists(texts(), min_size=1, max_size=4))
def test_oddities_are_never_overlooked(found: Sequence[str]) -> None:
    raws = [each.encode() for each in found]
    if _is_fully_represented(*raws):
        assert not any(find_oddities(raw, decode(raw).value) for raw in raws)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":"\\u00e9 \\" \\n","b":[{"c":1.5e3,"d":null}]}\n',
        b'{ "a" : "\xc3\xa9", "b" : [ ] }\r\n',
        b'[{"name":"\\\\","":""},-999999999999999]',
        b"17",
        b'{"a":"C:\\\\","b":"\\\\\\"","c":"\\u0022"}',
    ],
)
def test_plain_texts_need_no_closer_look(raw: bytes) -> None:
    assert _is_fully_represented(raw, raw)


@pytest.mark.parametrize("shift", range(-3, 4))
def test_escapes_count_where_pieces_of_a_text_meet(shift: int) -> None:
    raw = b'{"a":"' + b"." * (PIECE - 6 + shift) + b'\\\\\\"\\"\\\\"}'
    assert _is_fully_represented(raw)
    assert not _is_fully_represented(raw.replace(b'{"a"', b'{"b":1,"b"', 1).replace(b"...", b"", 1))


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1,"a":2}',
        b'{"a":{"b":"\\u0022\\u0022","c":1,"c":2}}',
        b'{"a\\\\":1,"b":2,"b":3}',
        b'{"a":1234567890123456}',
        b'{"a":-12345678901234567890}',
        b"[" * 201 + b"]" * 201,
    ],
)
def test_ambiguous_json_needs_a_full_read(raw: bytes) -> None:
    assert not _is_fully_represented(b'{"a":1}', raw)
