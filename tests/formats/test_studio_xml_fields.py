"""Reading the fields of a comment together gives the same as parsing each of them."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.formats.nested_file import FilePiece
from talktree.formats.studio_xml.parse import is_odd, iterate_locations, make_cut_piece
from talktree.formats.studio_xml.parse_common_fields import take_fields
from talktree.formats.studio_xml.scanner import scan_comments
from talktree.testing.strategies import any_text, damage_bytes
from talktree.text.json.scanner import Problem
from talktree.text.json.value import is_same
from tests.formats.cases import DATA

TEXTS = ["", "x", "<![CDATA[a < b]]>", "&amp;&#13;", "]]>", "<![CDATA[x", "<b>x</b>", "\0", "1"]
EXTRAS = ['{"a":1}', '{"id":"again"}', "[]", "{", "&#123;}", '{"children":[1]}', "<![CDATA[{}]]>"]
_texts = st.sampled_from(TEXTS) | any_text
_names = st.sampled_from(
    ["id", "userId", "type", "timestamp", "contentHash", "content", "parentId", "deleted", "other"]
)
_leaves = st.builds("<{0}>{1}</{0}>".format, _names, _texts) | st.builds(
    "<{}/>".format, _names | st.just("attachments")
)
_extra = st.builds("<extra>{}</extra>".format, st.sampled_from(EXTRAS))
_items = st.builds("<attachments><attachment>{}</attachment></attachments>".format, _leaves)
_blanks = st.sampled_from(["", "\n  ", "\r\n", " x "])


@st.composite
def _comments(draw: st.DrawFn, depth: int = 2) -> str:
    """Generate a comment with its fields in the usual order, or in any."""
    fields = draw(st.lists(_leaves | _extra | _items, max_size=6))
    if draw(st.booleans()):
        fields.sort(key=_usual)
    replies = draw(st.lists(_comments(depth - 1), max_size=2)) if depth else []
    nested = "".join(replies)
    if draw(st.booleans()):
        nested = f"<children>{nested}</children>" if replies else "<children/>"
    between = draw(_blanks)
    tag = draw(st.sampled_from(["comment", "comment", 'comment id="i"']))
    return between.join([f"<{tag}>", *fields, nested, "</comment>"])


def _usual(field: str) -> int:
    order = ("<id", "<userId", "<type", "<time", "<contentH", "<content", "<parent", "<del", "<att")
    return next((at for at, start in enumerate(order) if field.startswith(start)), len(order))


def read_pieces(raw: bytes, *, exact: float) -> Iterator[tuple[FilePiece, list[Problem]]]:
    found = scan_comments(raw, exact=exact)
    assert is_odd(found) == is_odd(scan_comments(raw))
    for each in iterate_locations(found.records, 0):
        yield make_cut_piece(raw, each)


def assert_both_ways_agree(raw: bytes) -> None:
    quick, exact = (list(read_pieces(raw, exact=count)) for count in (0, inf))
    assert scan_comments(raw, exact=0).problems == scan_comments(raw).problems
    assert len(quick) == len(exact)
    for (one, odd), (two, odd_exact) in zip(quick, exact, strict=True):
        assert is_same(one.value, two.value)
        one.value = two.value = None
        assert one == two
        assert odd == odd_exact


@given(st.lists(_comments(), max_size=3))
def test_both_ways_agree(comments: list[str]) -> None:
    assert_both_ways_agree(f"<comments>{''.join(comments)}</comments>".encode())


@given(st.data(), st.lists(_comments(), max_size=3))
def test_both_ways_agree_on_damaged_files(data: st.DataObject, comments: list[str]) -> None:
    whole = f"<comments>{''.join(comments)}</comments>".encode()
    assert_both_ways_agree(data.draw(damage_bytes(whole)))


@pytest.mark.parametrize(
    "path", sorted(DATA.glob("studio-xml/*/*.xml")), ids=lambda path: path.name
)
def test_both_ways_agree_on_golden_files(path: object) -> None:
    assert_both_ways_agree(path.read_bytes())  # type: ignore[attr-defined]


def test_an_ordinary_comment_is_read_in_one_match() -> None:
    raw = b"<id>i</id>\n<type/><timestamp>5</timestamp><content><![CDATA[<]]></content>"
    assert take_fields(raw, 0, sections=True) == (
        {"id": "i", "timestamp": 5, "content": "<"},
        len(raw),
    )
