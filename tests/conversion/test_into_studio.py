"""Converted conversations as comments: valid by the document's schema, hashed, in place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator  # type: ignore[import-untyped]
from msgspec.structs import replace

from talktree.conversion.convert import convert_conversations
from talktree.conversion.fit import fit_message
from talktree.conversion.options import Options
from talktree.files import Source, load
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.formats.format import ConversationInfo, Record
from talktree.formats.nested_file import PieceSheet
from talktree.formats.record_file import Item
from talktree.formats.studio.hashing import hash_text
from talktree.model.message import Author, Message
from talktree.model.parts import Artifact, Attachment, Text, UnknownPart
from talktree.testing import contract
from talktree.testing.strategies import messages, wild_json, wild_text
from talktree.text.json.decode import decode
from talktree.text.json.encode import encode_json
from talktree.text.json.value import Json, is_same
from talktree.text.times import MILLI, is_exact_in_millis
from tests.formats.cases import all_samples, name
from tests.formats.studio_schema import SCHEMA

TARGETS = ("studio", "studio-text", "studio-xml")
ABOUT = ConversationInfo(id="talk", session="00000000-0000-4000-8000-000000000000")
MOMENT = 1_741_000_000_000 * MILLI
OF_CONTENTS = {"deep", "lone-surrogate"}
"""Findings about a file that are caused by the conversation itself."""
VALID = Draft7Validator(SCHEMA)

every_target = pytest.mark.parametrize("target", TARGETS)
with_and_without_carry = pytest.mark.parametrize("carry", [True, False], ids=["carry", "clean"])


# the written files, as other programs read them


def comments(target: str, path: str, raw: bytes) -> list[Any]:
    """Return the comments of a file, nested as in the document."""
    if target == "studio":
        nested = json.loads(raw)
        assert isinstance(nested, list)
        return nested
    _another_parser_reads_it(target, raw)
    (sheet,) = get_format(target).split(Source.of_bytes(raw, name=path)).sheets
    assert isinstance(sheet, PieceSheet)
    assert sheet.findings == []
    top: list[Any] = []
    lists = [top]
    for piece in sheet.pieces:
        comment = piece.value
        assert isinstance(comment, dict)
        assert comment["children"] == []
        del lists[piece.depth + 1 :]
        lists[piece.depth].append({**comment, "children": []})
        lists.append(lists[piece.depth][-1]["children"])
    return top


def _another_parser_reads_it(target: str, raw: bytes) -> None:
    if target == "studio-xml":
        assert ElementTree.fromstring(raw.decode()).tag == "comments"
    else:
        mail = message_from_bytes(raw, policy=policy.default)
        assert mail.is_multipart()
        assert mail.defects == []


def is_as_the_document_says(nested: Sequence[Any], *, null_at_top: bool) -> None:
    """Assert a valid file: unique ids, matching hashes, parents that agree with the nesting."""
    assert [error.message for error in VALID.iter_errors(nested)] == []
    seen: set[str] = set()
    pending: list[tuple[Any, str | None]] = [(each, None) for each in nested]
    while pending:
        comment, parent = pending.pop()
        assert comment["contentHash"] == hash_text(comment["content"])
        assert comment.get("parentId") == parent
        assert ("parentId" in comment) == (parent is not None or null_at_top)
        assert comment["id"]
        assert comment["id"] not in seen
        seen.add(comment["id"])
        pending += [(reply, comment["id"]) for reply in comment["children"]]


def made(source: Source, slug: str, target: str, *, carry: bool) -> tuple[dict[str, bytes], bool]:
    found = convert_conversations(
        read_document(source, get_format(slug)), target, Options(carry=carry)
    )
    return {path: b"".join(pieces) for path, pieces in found.files.items()}, found.folder


# every sample of every format


@every_target
@with_and_without_carry
@pytest.mark.parametrize(("slug", "path"), all_samples(), ids=name)
def test_every_sample_becomes_valid_comments(
    slug: str, path: Path, target: str, carry: bool
) -> None:
    if slug == target:
        return
    files, folder = made(load(path), slug, target, carry=carry)
    for file, raw in files.items():
        is_as_the_document_says(comments(target, file, raw), null_at_top=target == "studio")
        found = read_document(Source.of_bytes(raw, name=file), get_format(target)).findings
        assert {each.name for each in found} <= OF_CONTENTS
    if carry and len(files) == 1:
        contract.check_detection(get_format(target), contract.make_source(files, folder=folder))


# random conversations


@st.composite
def conversations(draw: st.DrawFn) -> bytes:
    """Generate a native file of random messages, each a reply to an earlier one or a root."""
    found = draw(st.lists(messages, min_size=1, max_size=5))
    placed = []
    for number, message in enumerate(found):
        above = draw(st.integers(-1, number - 1))
        parent = None if above < 0 else f"m{above}"
        placed.append(replace(message, id=f"m{number}", parent=parent))
    return native_file(placed)


def native_file(messages: Iterable[Message]) -> bytes:
    native = get_format("native")
    items = (Item(None, native.put(each, None), changed=True) for each in messages)
    return b"".join(native.compose("talk.jsonl", ABOUT, items, first=True))


@every_target
@with_and_without_carry
@given(raw=conversations())
def test_any_conversation_becomes_valid_comments_and_comes_back(
    target: str, carry: bool, raw: bytes
) -> None:
    source = Source.of_bytes(raw, name="talk.jsonl")
    files, _ = made(source, "native", target, carry=carry)
    ((path, written),) = files.items()
    is_as_the_document_says(comments(target, path, written), null_at_top=target == "studio")
    if carry:
        back, _ = made(Source.of_bytes(written, name=path), target, "native", carry=True)
        assert back == {"talk.jsonl": raw}


@every_target
@given(message=messages, extra=st.booleans())
def test_adopted_entries_are_read_back_and_need_nothing_more(
    target: str, message: Message, extra: bool
) -> None:
    format = get_format(target)
    wanted = fit_message(message, format, extra=extra, parent=None).message
    whole = format.adopt(wanted, ABOUT, moment=MOMENT)
    value = format.put(whole, None)
    assert isinstance(value, dict)
    is_as_the_document_says([value], null_at_top=False)
    assert whole.time_ns is not None
    if is_exact_in_millis(whole.time_ns):
        seen = format.get(Record(value, parent=whole.parent))
        assert seen == whole
        assert format.adopt(whole, ABOUT, moment=0) == whole


# filled-in values


def adopted(message: Message) -> Message:
    return get_format("studio").adopt(message, ABOUT, moment=MOMENT)


def test_a_message_without_content_gets_all_required_members() -> None:
    whole = adopted(Message(id="m", role="user"))
    assert whole == Message(
        id="m", role="user", parts=(Text(""),), authors=(Author("user"),), time_ns=MOMENT
    )


def test_a_message_without_an_id_gets_one_as_the_document_makes_them() -> None:
    one, two = (adopted(Message(parts=(Text(text),))) for text in "ab")
    assert one.id.startswith("1741000000000-")
    assert len(one.id) == len("1741000000000-") + 32
    assert one.id != two.id
    assert adopted(Message(parts=(Text("a"),))).id == one.id


def test_times_are_cut_to_milliseconds_and_unsayable_ones_give_way() -> None:
    assert adopted(Message(id="m", time_ns=MOMENT + 999_999)).time_ns == MOMENT
    assert adopted(Message(id="m", time_ns=2**62 * 1000)).time_ns == MOMENT


@pytest.mark.parametrize(
    ("part", "name", "type"),
    [
        (Attachment(), "attachment-1", None),
        (Attachment("a.txt"), "a.txt", None),
        (Attachment(media_type="image/png"), "attachment-1.png", "image/png"),
        (Attachment(media_type="text/plain"), "attachment-1.txt", "text/plain"),
        (Attachment(media_type="application/vnd.x-y"), "attachment-1", "application/vnd.x-y"),
        (Attachment(url="data:image/jpeg;base64,AAAA"), "attachment-1.jpg", "image/jpeg"),
        (Attachment(url="https://example.org/a/plan.pdf?x=1"), "plan.pdf", None),
        (Attachment(url="https://example.org/"), "attachment-1", None),
    ],
)
def test_attachments_get_a_name_a_type_a_url_and_a_file(
    part: Attachment, name: str, type: str | None
) -> None:
    whole = adopted(Message(id="m", parts=(part,))).parts[1]
    assert whole == Attachment(name, type, part.url or "", {"file": {}})


def test_artifacts_get_ids_that_are_the_same_each_time() -> None:
    bare = (Artifact(content="def f():\n    pass\n"), Artifact(title="Chart"), Artifact(id="own"))
    first, second, third = adopted(Message(id="m", parts=bare)).parts[1:]
    assert isinstance(first, Artifact)
    assert (first.media_type, first.title) == ("application/vnd.ant.code", "Untitled")
    assert first.extra == {"status": "visible", "command": "create"}
    assert isinstance(second, Artifact)
    assert isinstance(third, Artifact)
    assert len({first.id, second.id, third.id}) == 3
    assert third.id == "own"
    assert adopted(Message(id="m", parts=bare)).parts[1] == first


def test_undocumented_members_of_another_encoding_are_replaced() -> None:
    odd: dict[str, Any] = {"type": 5, "timestamp": "soon", "contentHash": 1, "children": {"a": 1}}
    parts = (
        Attachment(extra={"file": "x", "url": 5, "pinned": 1}),
        Attachment("b", url="u", extra={"file": {"dimensions": {"width": "wide"}, "size": 3}}),
        Artifact("1", extra={"status": "reference", "info": 5, "version": 2}),
        UnknownPart("attachment", "bare"),
    )
    whole = adopted(Message(id="m", parts=parts, extra={**odd, "pinned": True}))
    assert whole.extra == {"pinned": True}
    one, two, three = whole.parts[1:]
    assert one == Attachment("attachment-1", None, "", {"file": {}, "pinned": 1})
    assert two == Attachment("b", None, "u", {"file": {"size": 3}})
    assert isinstance(three, Artifact)
    assert three.extra == {"status": "visible", "command": "create", "version": 2}


# embedded source data


def loaded(target: str, loads: Sequence[Json]) -> bytes:
    """Return a file of comments with embedded source data."""
    format = get_format(target)
    items = []
    for number, each in enumerate(loads):
        message = format.adopt(Message(id=f"m{number}"), ABOUT, moment=MOMENT)
        items.append(Item(None, format.with_carry(format.put(message, None), each), changed=True))
    return b"".join(format.compose("talk", ABOUT, iter(items), first=True))


def unloaded(target: str, raw: bytes) -> list[Json]:
    """Return the source data that the comments of a file embed."""
    format = get_format(target)
    (sheet,) = format.split(Source.of_bytes(raw, name="talk")).sheets
    return [format.take_carry(sheet.record(index).value)[0] for index in range(len(sheet))]


def said_in_json(value: Json) -> Json:
    """Return a value as any reader of JSON sees it: adjacent surrogate halves are one character."""
    return decode(encode_json(value)).value


@every_target
@given(loads=st.lists(st.dictionaries(wild_text, wild_json, max_size=4), min_size=1, max_size=3))
def test_embedded_data_of_a_comment_is_read_unchanged(target: str, loads: list[Json]) -> None:
    loads = [said_in_json(each) for each in loads]
    assert is_same(unloaded(target, loaded(target, loads)), loads)


MARKS = ["]]>", "</extra>", "<![CDATA[", "&amp;", "\0\x1b\r\n", "\ud83c", "=?utf-8?q?=20?=", "--"]


@every_target
def test_strings_that_look_like_internal_marks_stay_strings(target: str) -> None:
    deep: Json = "in the middle"
    for _ in range(2000):
        deep = [deep]
    first: Json = {"marks": list[Json](MARKS), "deep": deep}
    # The boundary of a text is made from its contents, so only a second file can quote one.
    second: Json = {"quoted": loaded(target, [first]).decode()}
    third: Json = {"quoted": loaded(target, [first, second]).decode()}
    loads = [first, second, third]
    assert is_same(unloaded(target, loaded(target, loads)), loads)


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("studio", '"attachments":[],"x-talktree":{"of":"x"},"children":['),
        ("studio-text", 'Content-Description: details\n\n{"x-talktree":{"of":"x"}}\n--'),
        ("studio-xml", '<extra>{"x-talktree":{"of":"x"}}</extra>'),
    ],
)
def test_embedded_data_has_one_place(target: str, place: str) -> None:
    assert place in loaded(target, [{"of": "x"}]).decode()
