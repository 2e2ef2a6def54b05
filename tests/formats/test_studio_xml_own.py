"""The XML that Talktree writes itself: it holds everything the JSON does, for any parser and
depth."""

from __future__ import annotations

from pyexpat import ParserCreate
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.files import MemoryContent, Source
from talktree.formats.engine import read_document
from talktree.formats.lens import Object
from talktree.formats.record_file import Item
from talktree.formats.studio_xml import FORMAT
from talktree.formats.studio_xml.parse import XmlSheet
from talktree.model import edit
from talktree.testing import contract
from talktree.testing.strategies import json_values, wild_text
from talktree.text.json import decode
from talktree.text.json.value import Json, Token
from tests.cases import TORTURE
from tests.formats.studio_document import EXAMPLES

NAME = "talk.xml"
HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n<comments>\n'

_text = wild_text | st.sampled_from(
    ["]]\r>", "a\r\nb", " 5 ", "5", "true", "1e5", "-0", "\ufffe", "<b>"]
)
_odd = json_values | st.sampled_from([Token("NaN"), Token("1e999")])
_any: st.SearchStrategy[Json] = _text | _odd
_attachment = st.dictionaries(
    st.sampled_from(["name", "type", "url", "file"]) | _text, _any, max_size=4
)
_artifact = st.dictionaries(
    st.sampled_from(["id", "type", "title", "content", "x"]), _any, max_size=4
)
_named: dict[str, st.SearchStrategy[Json]] = {
    "id": _any,
    "userId": _any,
    "type": _any,
    "timestamp": _any | st.integers(0, 2**45),
    "content": _any,
    "contentHash": _any,
    "parentId": _any,
    "deleted": _any,
    "extra": _any,
    "attachments": st.lists(_attachment | _any, max_size=3) | _any,
    "artifacts": st.lists(_artifact | _any, max_size=3) | _any,
}
values: st.SearchStrategy[Object] = st.builds(
    lambda other, named: {**other, **named, "children": []},
    st.dictionaries(_text, _any, max_size=2),
    st.fixed_dictionaries({}, optional=_named),
)
"""Any object, mostly with the members of a comment."""


def written(*nested: tuple[Json, int]) -> bytes:
    items = [Item(None, value, changed=True, depth=depth) for value, depth in nested]
    return b"".join(FORMAT.blank_sheet(NAME).rewrite(items))


def sheet(raw: bytes) -> XmlSheet:
    return XmlSheet(NAME, MemoryContent(raw), FORMAT, group="talk")


def unordered(value: Json) -> object:
    """Return a value that is equal for objects with a different order of members."""
    match value:
        case dict():
            return {key: unordered(item) for key, item in value.items()}
        case list():
            return [unordered(item) for item in value]
        case _:
            return (type(value), repr(value))


def test_a_comment_is_written_as_documented() -> None:
    comment: Object = {
        "id": "1",
        "userId": "maya & co",
        "type": "user",
        "timestamp": 1736935200000,
        "content": "a ]]> b",
        "contentHash": "0",
        "attachments": [{"name": "n", "url": None}],
        "deleted": True,
        "x": 1.0,
        "children": [],
    }
    body = b"""\
  <comment>
    <id>1</id>
    <userId>maya &amp; co</userId>
    <type>user</type>
    <timestamp>1736935200000</timestamp>
    <contentHash>0</contentHash>
    <content><![CDATA[a ]]]]><![CDATA[> b]]></content>
    <deleted>true</deleted>
    <attachments>
      <attachment>
        <name>n</name>
        <extra>{"url":null}</extra>
      </attachment>
    </attachments>
    <extra>{"x":1.0}</extra>
    <children/>
  </comment>
</comments>
"""
    assert written((comment, 0)) == HEAD + body


@pytest.mark.parametrize("example", sorted(EXAMPLES))
def test_the_documents_examples_keep_everything(example: str) -> None:
    value = decode.decode(EXAMPLES[example]).value
    (piece,) = sheet(written((value, 0))).pieces
    assert unordered(piece.value) == unordered(value)


@given(st.lists(st.tuples(values, st.integers(0, 3)), min_size=1, max_size=4))
def test_every_member_of_every_type_survives(wanted: list[tuple[Object, int]]) -> None:
    nested: list[tuple[Json, int]] = []
    for value, depth in wanted:
        nested.append((value, min(depth, nested[-1][1] + 1 if nested else 0)))
    raw = written(*nested)
    ElementTree.fromstring(raw)
    found = sheet(raw)
    assert found.findings == []
    assert [(unordered(each.value), each.depth) for each in found.pieces] == [
        (unordered(value), depth) for value, depth in nested
    ]


@given(values, values, values)
def test_any_object_can_become_any_other_in_place(old: Object, new: Object, reply: Object) -> None:
    found = sheet(written((old, 0), (reply, 1), (reply, 0)))
    items = [Item(0, new, changed=True), Item(1, depth=1), Item(2)]
    raw = b"".join(found.rewrite(items))
    ElementTree.fromstring(raw)
    again = sheet(raw)
    # A file whose comments omit empty lists continues to do so.
    wanted = {key: item for key, item in new.items() if item != []}
    seen = again.pieces[0].value
    assert isinstance(seen, dict)
    assert unordered({key: item for key, item in seen.items() if item != []}) == unordered(wanted)
    assert [each.raw for each in again.pieces[1:]] == [each.raw for each in found.pieces[1:]]


@given(wild_text)
def test_any_parser_reads_the_same_text(text: str) -> None:
    raw = written(({"content": text, "userId": text, "children": []}, 0))
    comment = ElementTree.fromstring(raw)[0]
    for name in ("content", "userId"):
        element = comment.find(name)
        assert element is not None
        words = element.text or ""
        if element.get("encoding") == "json":
            assert decode.decode(words.encode()).value == text
        else:
            assert words == text


@pytest.mark.parametrize("value", ["text", 5, None, [1, [2]], True])
def test_values_that_are_not_comments_keep_their_place(value: Json) -> None:
    raw = written(({"id": "a", "children": []}, 0), (value, 1), ({"id": "b", "children": []}, 0))
    found = sheet(raw)
    assert [(each.depth, each.value) for each in found.pieces][1] == (1, value)
    assert [each.depth for each in found.pieces] == [0, 1, 0]
    ElementTree.fromstring(raw)


DEPTH = 100_000 if TORTURE else 20_000


def test_a_very_long_chain_of_replies_is_written_read_and_edited() -> None:
    comment: Object = {"id": "", "content": "x", "children": []}
    raw = written(*(({**comment, "id": f"c{number}"}, number) for number in range(DEPTH)))
    opened: list[str] = []
    parser = ParserCreate()
    parser.StartElementHandler = lambda name, _: opened.append(name)
    parser.Parse(raw, True)
    assert opened.count("comment") == DEPTH
    source = Source.of_bytes(raw, name=NAME)
    document = read_document(source, FORMAT)
    last = document.conversation[f"c{DEPTH - 1}"]
    assert last.parent == f"c{DEPTH - 2}"
    changed = edit.set_text(document.conversation, last.id, "deep")
    files = contract.write_files(document.with_conversation(changed))
    assert files[NAME] == b"<![CDATA[deep]]>".join(raw.rsplit(b"<![CDATA[x]]>", 1))
