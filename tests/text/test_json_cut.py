"""The quick way to cut records gives what the exact way gives, or leaves it to that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.files import Memory
from talktree.formats.json_sheet import JsonSheet
from talktree.formats.piece_sheet import Piece
from talktree.formats.studio import FORMAT
from talktree.testing.strategies import any_text, damaged, json_values, word
from talktree.text.json_cut import cut
from talktree.text.json_style import COMPACT, PRETTY
from talktree.text.json_value import Json, same
from talktree.text.json_write import encode

_records = st.recursive(
    st.dictionaries(word, json_values, max_size=3),
    lambda inner: st.builds(
        lambda before, kids, after: {**before, "kids": kids, **after},
        st.dictionaries(word, json_values, max_size=2),
        st.lists(inner, max_size=3),
        st.dictionaries(word, json_values | any_text, max_size=1),
    ),
    max_leaves=8,
)


def pieces(raw: bytes, *, quick: bool) -> tuple[bool, list[Piece], object]:
    sheet = JsonSheet(
        "x.json",
        Memory(raw),
        FORMAT,
        group="x",
        hole="kids" if quick else lambda value, depth: "kids",
        links="nested",
    )
    return sheet.plain, list(sheet.pieces), (sheet.frame, sheet.tail, sheet.listed)


def assert_both_ways_agree(raw: bytes) -> bool:
    plain, quick, around = pieces(raw, quick=True)
    _, exact, around_exact = pieces(raw, quick=False)
    assert around == around_exact
    assert len(quick) == len(exact)
    for one, two in zip(quick, exact, strict=True):
        assert same(one.value, two.value)
        one.value = two.value = None
        assert one == two
    return plain


@given(st.lists(_records, max_size=4) | _records, st.sampled_from([COMPACT, PRETTY]))
def test_both_ways_agree_on_plain_texts(value: Json, style: object) -> None:
    raw = encode(value, style)  # type: ignore[arg-type]
    assert assert_both_ways_agree(raw)


@given(st.data(), st.lists(_records, max_size=3))
def test_both_ways_agree_on_damaged_texts(data: st.DataObject, value: Json) -> None:
    assert_both_ways_agree(data.draw(damaged(encode(value))))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"  ",
        b"3",
        b'"kids"',
        b"[1]",
        b'["a"]',
        b"[[]]",
        b"[{}{}]",
        b"[{},]",
        b"[,{}]",
        b"[{}] x",
        b"{} {}",
        b"[{}",
        b"{",
        b'{"a',
        b"]",
        b"}",
        b'{"kids":[}]',
        b'{"kids":[{}]',
        b'{"kids":[],"kids":[{}]}',
        b'{"kids":[{}],"kids":1}',
        b'{"k\\u0069ds":[{}]}',
        b'{"kids":[1]}',
        b'{"a":"\xff"}',
        b'{"a":NaN}',
        b"\xef\xbb\xbf[{}]",
        b'[{"a":"kids":[]}]',
        b"[{}\x0c]",
    ],
)
def test_what_is_not_plain_is_left_to_the_exact_way(raw: bytes) -> None:
    assert cut(raw, "kids") is None
    assert not assert_both_ways_agree(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"[]",
        b" [ ] ",
        b"{}",
        b'{"kids":null}',
        b'{"a":{"kids":[{}]},"b":[{"kids":[1]}]}',
        b'{"kids" : [ {"kids":[ ]} , {} ] }\n',
        b'[{"a":"\\"kids\\":[","kids":[]}]',
        b'{"a":"kids","kids":[{"kids":[{"x":"[{]}"}]}]}',
    ],
)
def test_plain_texts_go_the_quick_way(raw: bytes) -> None:
    assert assert_both_ways_agree(raw)


def test_a_torn_text_is_given_up_quickly() -> None:
    assert cut(b'[{"a":"' + b"x" * 2_000_000, "kids") is None
    assert cut(b"[" + b'{"a":"b"' * 100_000, "kids") is None
