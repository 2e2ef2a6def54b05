"""New files of comments: written as a stream, read as the same comments, at any depth."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.format import ConversationInfo
from talktree.formats.nested_file import PieceSheet
from talktree.formats.record_file import Item
from talktree.formats.studio import FORMAT
from talktree.testing.strategies import wild_json, wild_text
from talktree.text.json.decode import decode
from talktree.text.json.encode import encode_json
from talktree.text.json.value import Json, Token, is_same

ABOUT = ConversationInfo(id="talk", session="00000000-0000-4000-8000-000000000000")


def comment(id: str, **members: Json) -> dict[str, Json]:
    return {"id": id, "content": "", "attachments": [], "children": [], **members}


def items(*nested: tuple[int, dict[str, Json]]) -> Iterator[Item]:
    return (Item(None, value, changed=True, depth=depth) for depth, value in nested)


def composed(given: Iterator[Item], slug: str = "studio") -> bytes:
    return b"".join(get_format(slug).compose("talk", ABOUT, given, first=True))


def pieces(raw: bytes, slug: str = "studio") -> list[tuple[int, Json]]:
    (sheet,) = get_format(slug).split(Source.of_bytes(raw, name="talk")).sheets
    assert isinstance(sheet, PieceSheet)
    return [(piece.depth, piece.value) for piece in sheet.pieces]


def test_each_comment_is_a_line_and_its_replies_the_lines_below() -> None:
    depths = (0, 1, 2, 1, 0)
    raw = composed(items(*((depth, comment(f"m{at}")) for at, depth in enumerate(depths))))
    own = '"content":"","attachments":[],"children":['
    assert raw.decode().splitlines() == [
        "[",
        '{"id":"m0","parentId":null,' + own,
        '{"id":"m1","parentId":"m0",' + own,
        '{"id":"m2","parentId":"m1",' + own + "]}",
        "]},",
        '{"id":"m3","parentId":"m0",' + own + "]}",
        "]},",
        '{"id":"m4","parentId":null,' + own + "]}",
        "]",
    ]
    assert json.loads(raw)[0]["children"][0]["children"][0]["id"] == "m2"


def test_no_comments_are_an_empty_list() -> None:
    assert json.loads(composed(items())) == []


def test_comments_are_written_as_they_come() -> None:
    taken = 0

    def one_by_one() -> Iterator[Item]:
        nonlocal taken
        for taken in range(1, 4):
            yield Item(None, comment(f"m{taken}"), changed=True)

    out = b""
    for chunk in FORMAT.compose("talk", ABOUT, one_by_one(), first=True):
        out += chunk
        assert out.count(b'"id"') >= taken - 1
    assert taken == 3


@pytest.mark.parametrize("slug", ["studio", "studio-text", "studio-xml"])
def test_a_chain_of_any_depth_is_written_and_read(slug: str) -> None:
    count = 10_000
    chain = ((depth, comment(f"m{depth}")) for depth in range(count))
    found = pieces(composed(items(*chain), slug), slug)
    assert [depth for depth, _ in found] == list(range(count))
    last = found[-1][1]
    assert isinstance(last, dict)
    assert last["parentId"] == f"m{count - 2}"


@given(st.lists(st.tuples(st.integers(0, 5), wild_text, wild_json), max_size=8))
def test_any_comments_are_read_as_they_were(drawn: list[tuple[int, str, Json]]) -> None:
    given: list[tuple[int, dict[str, Json]]] = []
    for number, (depth, text, odd) in enumerate(drawn):
        deepest = given[-1][0] + 1 if given else 0
        value = decode(encode_json(comment(f"m{number}", content=text, odd=odd))).value
        assert isinstance(value, dict)
        given.append((min(depth, deepest), value))
    found = pieces(composed(items(*given)))
    assert [depth for depth, _ in found] == [depth for depth, _ in given]
    for (_, seen), (_, value) in zip(found, given, strict=True):
        assert isinstance(seen, dict)
        assert seen.keys() == {*value, "parentId"}
        assert all(is_same(item, seen[name]) for name, item in value.items())


@given(st.lists(st.tuples(st.integers(0, 5), wild_text, wild_json), max_size=8))
def test_pre_encoded_comments_become_the_same_bytes(drawn: list[tuple[int, str, Json]]) -> None:
    deepest, given = 0, list[tuple[int, dict[str, Json]]]()
    for depth, text, odd in drawn:
        depth = min(depth, deepest)
        deepest = depth + 1
        given.append((depth, comment(text, attachments=[odd], content=text, parentId=text)))
        given.append((depth, {"id": odd, "\ue000rest": text}))
        given.append((depth, {"id": "bare"}))
    depths = [depth for depth, _ in given]
    readied = FORMAT.pre_encode([value for _, value in given])
    assert composed(items(*zip(depths, readied, strict=True))) == composed(items(*given))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "odd",
    [Token("NaN"), Token("1e999"), Token("..."), "\ud83c", 2**70, 1e22, -0.0, float("inf")],
    ids=repr,
)
def test_values_that_other_encoders_would_change_are_exact(odd: Json) -> None:
    for name in ("attachments", "artifacts", "other"):
        ((_, seen),) = pieces(composed(items((0, comment("m", **{name: [odd]})))))
        assert isinstance(seen, dict)
        assert encode_json(seen[name]) == encode_json([odd])
