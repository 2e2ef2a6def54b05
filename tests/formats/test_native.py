"""The native format: everything in the model survives, and every document can be dumped to it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.conversion.forward import convert_to_format
from talktree.conversion.losses import LossReport
from talktree.conversion.options import Options
from talktree.files import Source, load
from talktree.formats import get_format
from talktree.formats.engine import read_document, write_document
from talktree.formats.format import Probe, Record
from talktree.formats.native.lens_entries import ENTRIES, PARTS
from talktree.formats.native.parse import NativeDialect, NativeMark
from talktree.model import edit
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry, Opaque
from talktree.model.message import Message
from talktree.model.outline import LineOutline, Trait, outline_entry
from talktree.model.parts import Text, UnknownPart
from talktree.model.skeleton import NO_TIME, Skeleton
from talktree.testing.strategies import entries, messages, uuids
from talktree.text.json.decode import decode
from talktree.text.json.encode import encode_json
from talktree.text.json.value import REFUSALS, Token
from tests.cases import examples
from tests.formats.cases import DATA, all_samples, name
from tests.random_sessions import random_session
from tests.session_lines import to_bytes

NATIVE = get_format("native")
EVERY_PART = DATA / "native/good/every-part.jsonl"
HEADER = b'{"talktree":{"version":1}}\n{"conversation":{"id":"c"}}\n'


def dump(source: Document) -> Iterable[bytes]:
    """Return a document as a native file without embedded data."""
    made = convert_to_format(source, NATIVE, Options(carry=False), LossReport())
    (pieces,) = made.files.values()
    return pieces


def document(data: bytes) -> Document:
    return read_document(Source.of_bytes(data, name="chat.jsonl"), NATIVE)


def written(document: Document) -> bytes:
    (pieces,) = write_document(document).values()
    return b"".join(pieces)


def through_bytes(entry: Entry) -> Entry:
    """Return the entry as it is read from the line that is written for it."""
    value, _, usable = decode(encode_json(NATIVE.put(entry, None)))
    assert usable
    return NATIVE.get(Record(value))


# everything in the model


@given(entries)
def test_every_entry_reads_back_from_its_line(entry: Entry) -> None:
    assert through_bytes(entry) == entry


@given(entries)
def test_a_prefiltered_line_reads_like_a_fully_decoded_one(entry: Entry) -> None:
    line = encode_json(NATIVE.put(entry, None))
    whole = NativeDialect().outline(decode(line).value)
    try:
        glance = NativeDialect().skim(line)
    except REFUSALS:
        # Content that is not plain JSON is decoded completely in any case.
        assert decode(line).problems
        return
    assert skeleton(skeleton_of(glance)) == skeleton(skeleton_of(whole))


def skeleton_of(line: LineOutline) -> Skeleton:
    made = Skeleton()
    made.extend([line])
    made.finish()
    return made


@given(messages)
def test_the_tree_sees_a_line_as_it_sees_its_message(message: Message) -> None:
    value = NATIVE.put(message, None)
    added = Skeleton()
    added.add_outline(outline_entry(message))
    added.finish()
    assert skeleton(skeleton_of(NativeDialect().outline(value))) == skeleton(added)


@pytest.mark.parametrize(
    "text",
    ["\ud83d\ude00", "a\ud83d\ude00~0 \ud83d", "\ud83d\udcf0~0~1", "\\ud83d\ude00"],
)
def test_halves_that_are_side_by_side_stay_halves(text: str) -> None:
    message = Message(id="m", parts=(Text(text),), extra={text: [text, {"in": text}]})
    assert through_bytes(message) == message
    data = HEADER + encode_json(NATIVE.put(message, None)) + b"\n"
    found = document(data).conversation
    assert found["m"] == message
    edited = edit.set_text(found, "m", text + "!")
    again = document(written(document(data).with_conversation(edited)))
    assert again.conversation["m"].text == text + "!"


def test_tokens_survive_in_a_file() -> None:
    extra = {"nan": Token("NaN"), "big": Token("9" * 5000), "deep": [Token("1e999")]}
    data = HEADER + encode_json(NATIVE.put(Message(id="m", extra=extra), None)) + b"\n"
    found = document(data)
    assert found.conversation["m"].extra == extra
    assert {each.code for each in found.findings} == {"SYN206", "SYN207"}


def test_nesting_of_any_depth_survives() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    line = encode_json(NATIVE.put(Message(id="m", extra={"deep": deep}), None))
    assert line.count(b"[") == 100_001
    found = document(HEADER + line + b"\n").conversation["m"].extra["deep"]
    for _ in range(100_000):
        (found,) = found
    assert found == []


def test_every_struct_of_the_model_has_a_shape_and_every_part_its_tag() -> None:
    assert {shape.struct.__struct_config__.tag for shape in PARTS.values()} == set(PARTS)
    assert {shape.struct.__struct_config__.tag for shape in ENTRIES.values()} == set(ENTRIES)


def test_the_specification_names_every_field() -> None:
    page = (DATA.parent.parent / "docs/formats/native.md").read_text()
    for tag, shape in {**PARTS, **ENTRIES}.items():
        assert f"`{tag}`" in page
        for field in shape.struct.__struct_encode_fields__:
            assert f"`{field}`" in page, f"{field} of {tag}"


def test_fields_at_their_default_are_left_out() -> None:
    assert NATIVE.put(Message(), None) == {"message": {}}
    assert NATIVE.put(Message(id="m", role="user", flags=frozenset({"b", "a"})), None) == {
        "message": {"id": "m", "role": "user", "flags": ["a", "b"]}
    }


def test_times_are_iso_text_with_as_many_digits_as_they_need() -> None:
    def written_time(time: int) -> object:
        value = NATIVE.put(Message(time_ns=time), None)
        assert isinstance(value, dict)
        assert isinstance(value["message"], dict)
        return value["message"]["time"]

    assert written_time(0) == "1970-01-01T00:00:00.000Z"
    assert written_time(1_740_819_600_123_456_789) == "2025-03-01T09:00:00.123456789Z"
    assert written_time(10**21) == 10**21


# files


def test_several_conversations_are_in_one_file() -> None:
    found = read_document(load(EVERY_PART), NATIVE)
    assert [(each.id, each.record_count) for each in found.conversations] == [
        ("garden", 13),
        ("kitchen", 1),
        ("cellar", 0),
    ]
    assert found.conversations[0].title == "Water the garden"
    assert found.conversations[1]["g1"].text == "The same id, in another conversation."


def test_a_new_entry_goes_into_its_own_conversation_even_an_empty_one() -> None:
    found = read_document(load(EVERY_PART), NATIVE)
    new = Message(id="new", role="user", parts=(Text("hello"),))
    counts = [len(each) for each in found.conversations]
    for at, conversation in enumerate(found.conversations):
        after = document(written(found.with_conversation(edit.append(conversation, new))))
        assert [
            len(each) - before for each, before in zip(after.conversations, counts, strict=True)
        ] == [int(at == other) for other in range(3)]
        assert after.conversations[at]["new"] == new


def test_emptied_conversations_keep_their_line() -> None:
    found = read_document(load(EVERY_PART), NATIVE)
    for conversation in found.conversations[:2]:
        empty = conversation.with_entries([], {})
        after = document(written(found.with_conversation(empty)))
        assert [each.id for each in after.conversations] == ["garden", "kitchen", "cellar"]
        assert len(after.find(conversation.id)) == 0
    refilled = edit.append(
        found.conversations[0].with_entries([], {}), Message(id="n", role="user")
    )
    after = document(written(found.with_conversation(refilled)))
    assert [len(each) for each in after.conversations] == [1, 1, 0]


def test_removing_a_record_keeps_what_is_between_records() -> None:
    path = DATA / "native/good/loose-style.jsonl"
    found = read_document(load(path), NATIVE)
    whole = path.read_bytes()
    first = whole[: whole.index(b'{"message": {"id": "m1"')]
    left = written(found.with_conversation(edit.remove(found.conversation, ["m1"])))
    assert left.startswith(first + b"\r\n")
    assert [each.id for each in document(left).conversation.messages()] == ["m2"]


def test_unknown_members_stay_at_every_level_when_a_message_is_edited() -> None:
    path = DATA / "native/good/loose-style.jsonl"
    found = read_document(load(path), NATIVE)
    edited = edit.set_text(found.conversation, "m1", "changed")
    assert written(found.with_conversation(edited)) == path.read_bytes().replace(
        b"spaces, CR LF", b"changed"
    )


def test_a_newer_version_is_read_as_far_as_it_is_understood_and_reported() -> None:
    found = read_document(load(DATA / "native/bad/newer-and-odd.jsonl"), NATIVE)
    assert "SYN404" in {each.code for each in found.findings}
    parts = found.conversations[0]["m1"].parts
    assert [type(part) for part in parts] == [UnknownPart] * 5 + [Text]
    assert parts[0] == UnknownPart("hologram", {"part": "hologram", "beam": 4})
    assert found.conversations[0]["m2"].usage is not None


def test_a_conversation_that_begins_twice_is_two() -> None:
    found = read_document(load(DATA / "native/bad/newer-and-odd.jsonl"), NATIVE)
    assert [each.id for each in found.conversations] == ["c", "c#2", "newer-and-odd"]
    assert "NAT201" in {each.code for each in found.findings}


def test_a_file_without_a_version_is_read_and_reported() -> None:
    found = document(b'{"message":{"id":"m","role":"user","parts":[{"part":"text","text":"x"}]}}\n')
    assert found.conversation.id == "chat"
    assert [each.code for each in found.findings] == ["NAT101"]


def test_two_files_in_a_row_are_one_file_with_all_conversations() -> None:
    found = document(EVERY_PART.read_bytes() + HEADER.replace(b'"c"', b'"d"'))
    assert [each.id for each in found.conversations] == ["garden", "kitchen", "cellar", "d"]
    assert found.findings == []


def test_marks_are_reported_from_entries() -> None:
    assert isinstance(NativeDialect().skim(b'{"conversation":{"id":"c"}}'), NativeMark)
    assert isinstance(NativeDialect().skim(b'{"talktree":{"version":1}}'), NativeMark)
    assert not isinstance(NativeDialect().skim(b'{"message":{},"conversation":{}}'), NativeMark)


def test_moving_a_message_overrules_what_the_line_said_of_its_place() -> None:
    found = read_document(load(EVERY_PART), NATIVE)
    garden = found.conversations[0]
    start = garden.skeleton.ids.index("a1")
    assert garden.skeleton.linked[start] == "spawned"
    assert garden.skeleton.spawned[start] == "call-2"
    moved = edit.move(garden, "a1", to="g7")
    after = document(written(found.with_conversation(moved))).conversations[0]
    assert after["a1"].parent == "g7"
    assert after.skeleton.linked.get(start) is None


def test_an_entry_that_is_not_a_message_can_take_part_in_the_tree() -> None:
    lines = (
        b'{"message":{"id":"a","role":"user"}}\n'
        b'{"opaque":{"id":"p","kind":"hook"},"tree":{"trait":"note","parent":"a","role":"hook"}}\n'
        b'{"message":{"id":"b","parent":"p","role":"assistant"}}\n'
    )
    found = document(HEADER + lines)
    assert list(found.conversation.skeleton.parents) == [-1, 0, 1]
    assert isinstance(list(found.conversation.entries)[1], Opaque)
    assert b"".join(dump(found)) == HEADER.replace(b'"c"', b'"c","format":"native"') + lines


@pytest.mark.parametrize(
    "data",
    [
        b'{"type":"user","uuid":"a","message":{"role":"user","content":"x"}}',
        b'{"message":{"role":"user","content":"x"}}',
        b'{"role":"user","content":"x"}',
        b'{"conversation":{"messages":[]}}',
        b"[]",
        b"",
    ],
)
def test_foreign_files_are_not_claimed(data: bytes) -> None:
    assert NATIVE.detect(Probe(Source.of_bytes(data))) is None


# dumps


def same_tree(one: Conversation, two: Conversation) -> None:
    """Assert that both conversations have the same tree and the same active branch."""
    assert skeleton(one.skeleton) == skeleton(two.skeleton)
    assert one.branches() == two.branches()
    assert [each.id for each in one.path()] == [each.id for each in two.path()]


def skeleton(skeleton: Skeleton) -> list[object]:
    rows = zip(
        count(), skeleton.ids, skeleton.parents, skeleton.traits, skeleton.times,
        skeleton.roles, skeleton.sidechain, strict=False,
    )  # fmt: skip
    nodes = [row for row in rows if row[3]]
    return [nodes, skeleton.groups(), skeleton.linked, skeleton.spawned]


@given(st.integers(0, 1 << 31))
@examples(200)
def test_a_dump_of_a_random_session_has_the_same_tree(seed: int) -> None:
    data = to_bytes(random_session(seed))
    source = read_document(Source.of_bytes(data, name="s.jsonl"), get_format("claude-code"))
    again = document(b"".join(dump(source)))
    same_tree(source.conversation, again.conversation)


@pytest.mark.parametrize(("slug", "path"), all_samples(), ids=name)
def test_a_dump_reads_back_as_the_same_conversations(slug: str, path: Path) -> None:
    source = read_document(load(path), get_format(slug))
    data = b"".join(dump(source))
    again = document(data)
    assert [each.id for each in again.conversations] == [each.id for each in source.conversations]
    for one, two in zip(source.conversations, again.conversations, strict=True):
        assert list(two.entries) == list(one.entries)
        assert two.title == one.title
        same_tree(one, two)
    assert NATIVE.detect(Probe(Source.of_bytes(data))) is not None
    assert written(again) == data


@given(data=st.data())
def test_dumping_any_entries_and_reading_them_gives_the_same(data: st.DataObject) -> None:
    # Every other entry has a new id; the rest are arbitrary.
    drawn = data.draw(st.lists(entries, max_size=5))
    named = [replace(entry, id=data.draw(uuids)) for entry in drawn]
    conversation = document(HEADER).conversation
    for entry in named:
        conversation = edit.append(conversation, entry)
    source = document(HEADER).with_conversation(conversation)
    again = document(b"".join(dump(source))).conversation
    assert list(again.entries) == named
    same_tree(conversation, again)


def test_a_dump_names_the_format_it_came_from() -> None:
    lines = iter(dump(read_document(load(DATA / "muse/good/application.json"), get_format("muse"))))
    assert next(lines) == b'{"talktree":{"version":1}}\n'
    assert next(lines).decode() == (
        '{"conversation":{"id":"application","format":"muse","title":"Schöner Nebel"}}\n'
    )


def test_a_place_that_differs_from_the_fields_is_kept() -> None:
    found = read_document(load(EVERY_PART), NATIVE).conversations[0]
    assert Trait(found.skeleton.traits[found.skeleton.ids.index("g5")]) is Trait.NOTE
    assert found.skeleton.times[0] == NO_TIME
