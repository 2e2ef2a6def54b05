"""The fast way to split records gives the same as the exact way, or falls back to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.files import MemoryContent
from talktree.formats.json_file import JsonSheet
from talktree.formats.muse import FORMAT as MUSE
from talktree.formats.muse.detect import ANALYTICS, APPLICATION, detect_kind, find_history_key
from talktree.formats.nested_file import FilePiece
from talktree.formats.studio import FORMAT
from talktree.testing.strategies import any_text, damage_bytes, json_values, word
from talktree.text.json.encode import COMPACT, PRETTY, encode_json
from talktree.text.json.split import cut_records
from talktree.text.json.value import Json, is_same

NAMES = (ANALYTICS, APPLICATION)
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


def pieces(raw: bytes, *, quick: bool) -> tuple[bool, list[FilePiece], object]:
    sheet = JsonSheet(
        "x.json",
        MemoryContent(raw),
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
        assert is_same(one.value, two.value)
        one.value = two.value = None
        assert one == two
    return plain


@given(st.lists(_records, max_size=4) | _records, st.sampled_from([COMPACT, PRETTY]))
def test_both_ways_agree_on_plain_texts(value: Json, style: object) -> None:
    raw = encode_json(value, style)  # type: ignore[arg-type]
    assert assert_both_ways_agree(raw)


@given(st.data(), st.lists(_records, max_size=3))
def test_both_ways_agree_on_damaged_texts(data: st.DataObject, value: Json) -> None:
    assert_both_ways_agree(data.draw(damage_bytes(encode_json(value))))


def in_lines(raw: bytes, random: Random) -> bytes:
    """Generate a compact text with line ends between some of its tokens, most often around
    lists."""
    tokens = re.findall(rb'"(?:[^"\\]|\\.)*"|[^"]', raw, re.DOTALL)
    often = {b"[": 0.8, b"]": 0.5, b"}": 0.3, b",": 0.5, b":": 0.02}
    return b"".join(token + b"\n" * (random.random() < often.get(token, 0)) for token in tokens)


@given(st.lists(_records, max_size=4) | _records, st.randoms(use_true_random=False))
def test_both_ways_agree_on_lines(value: Json, random: Random) -> None:
    assert assert_both_ways_agree(in_lines(encode_json(value), random))


@given(st.data(), st.lists(_records, max_size=3), st.randoms(use_true_random=False))
def test_both_ways_agree_on_damaged_lines(data: st.DataObject, value: Json, random: Random) -> None:
    assert_both_ways_agree(data.draw(damage_bytes(in_lines(encode_json(value), random))))


@given(st.lists(_records, min_size=1, max_size=4))
def test_both_ways_agree_on_what_a_format_writes(value: list[Json]) -> None:
    lines = b"[\n" + b",\n".join(map(encode_json, value)) + b"\n]\n"
    assert assert_both_ways_agree(lines)
    raw = lines.replace(b'"kids":[]}', b'"kids":[\n{"a":1,"kids":[\n{"kids":[]}\n]}\n]}')
    assert assert_both_ways_agree(raw)


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
        b'[\n{"kids":[{}],"kids":[\n]}\n]',
        b'[\n{"kids":[\n]},\n{"kids":[]}\n,]',
        b'[\n{"a":1,"kids":[\n{}\n}\n]',
        b'[\n{"k\\u0069ds":[{}]}\n]\n',
        b'[\n{"a":"kids":[]}\n]',
        b'[\n{"kids":[\n]}}\n]',
        b"[\n{}\n{}\n]",
    ],
)
def test_irregular_text_is_left_to_the_exact_scanner(raw: bytes) -> None:
    assert cut_records(raw, "kids") is None
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
        b'[\n{"a":"\\"kids\\":[","kids":[]}\n]\n',
        b'[\n{"a\\"kids":[]},\n{"a\\"kids":[\n]}\n]\n',
        b'[\n{"a":{"kids":[]}},\n{"kids":[\n{"kids":[]}\n],"b":1},{},\n{"kids":[\n] }\n]\n',
        b'{"kids":[\n{},\n{"kids":[{}]}\n]}\n',
        b'{"kids":[]}\n',
        b'{"a":{"kids":[\n1]}}\n',
    ],
)
def test_plain_texts_go_the_quick_way(raw: bytes) -> None:
    assert assert_both_ways_agree(raw)


def test_a_truncated_text_is_given_up_quickly() -> None:
    assert cut_records(b'[{"a":"' + b"x" * 2_000_000, "kids") is None
    assert cut_records(b"[" + b'{"a":"b"' * 100_000, "kids") is None


@pytest.mark.parametrize("name", ["message_history", "history"])
@given(
    messages=st.lists(st.dictionaries(word | st.just("history"), json_values, max_size=3)),
    more=st.dictionaries(word | st.just("message_history"), json_values, max_size=2),
    style=st.sampled_from([COMPACT, PRETTY]),
    listed=st.booleans(),
)
def test_conversations_are_cut_alike(
    name: str, messages: list[Json], more: dict[str, Json], style: object, *, listed: bool
) -> None:
    head: Json = {"_id": "1", **more, name: messages}
    raw = encode_json([head, head] if listed else head, style)  # type: ignore[arg-type]
    quick, exact = (_muse_file(raw, names) for names in (NAMES, ()))
    assert (quick.frame, quick.tail, quick.listed) == (exact.frame, exact.tail, exact.listed)
    assert len(quick.pieces) == len(exact.pieces)
    for one, two in zip(quick.pieces, exact.pieces, strict=True):
        assert is_same(one.value, two.value)
        one.value = two.value = None
        assert one == two


def test_an_ordinary_conversation_is_cut_quickly() -> None:
    raw = b'{"_id":"1","message_history":[{"role":"user","content":"x"}],"n":[1,{"a":[]}]}'
    assert _muse_file(raw, NAMES).plain


def _muse_file(raw: bytes, names: Sequence[str]) -> JsonSheet:
    def hole(value: Json, depth: int) -> str | None:
        """Return the children slot, by the format's rule: only heads hold messages."""
        return find_history_key(value) if depth == 0 and detect_kind(value) == "head" else None

    content = MemoryContent(raw)
    return JsonSheet(
        "x.json", content, MUSE, group="x", hole=hole, links="chain", many=True, names=names
    )
