"""Muse histories: every form in the format's document and in real exports, each as a law."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from talktree.errors import TalktreeError, WouldLose
from talktree.files import Source, load
from talktree.formats import get_format
from talktree.formats.detect import detect
from talktree.formats.engine import read_document, write_document
from talktree.formats.format import Probe, Record
from talktree.model import edit
from talktree.model.document import Document
from talktree.model.entries import Head, Opaque
from talktree.model.message import Author, Message
from talktree.model.parts import Text
from tests.formats.cases import DATA

MUSE = get_format("muse")
DAY = 1_732_782_425_694 * 1_000_000

BASE_STRUCTURE = b"""{
  "_id": "<string>",
  "schema_version": <number>,
  "conversation_id": "<string>",
  "message_history": [...],
  "last_updated_timestamp": <number>
}
"""
EXAMPLE_USAGE = b"""{
  "_id": "ObjectId('123')",
  "schema_version": 2,
  "conversation_id": "abc-123",
  "message_history": [
    {
      "id": "msg-1",
      "role": "user",
      "content": "Hello",
      ...
    }
  ],
  "last_updated_timestamp": 1732782425694
}
"""


NEW = b'{"id": "n", "role": "user", "content": "x", "tags": []}'


def document(data: bytes, *, name: str = "chat.json") -> Document:
    """Detect and read the bytes."""
    source = Source.of_bytes(data, name=name)
    assert detect(source).format.info.slug == "muse"
    return read_document(source, MUSE)


def written(document: Document) -> bytes:
    """Return the single file that a document becomes."""
    (pieces,) = write_document(document).values()
    return b"".join(pieces)


def sample(name: str) -> Document:
    return read_document(load(DATA / "muse" / name), MUSE)


def only_head(document: Document, at: int = 0) -> Head:
    (head,) = (each for each in document.conversations[at].entries if isinstance(each, Head))
    return head


@pytest.mark.parametrize("data", [BASE_STRUCTURE, EXAMPLE_USAGE])
def test_examples_of_the_document_are_recognised_and_written_identically(data: bytes) -> None:
    found = document(data)
    assert written(found) == data
    assert {each.code for each in found.findings} >= {"SYN102"}


def test_base_structure_keeps_its_placeholders_as_values() -> None:
    head, dots = document(BASE_STRUCTURE).conversation.entries
    assert isinstance(head, Head)
    assert repr(head.extra["schema_version"]) == "Token('<number>')"
    assert isinstance(dots, Opaque)
    assert repr(dots.value) == "Token('...')"


def test_example_usage_is_read_and_edited_around_its_dots() -> None:
    found = document(EXAMPLE_USAGE)
    conversation = found.conversation
    assert only_head(found).id == "abc-123"
    assert only_head(found).updated_ns == DAY
    assert conversation["msg-1"].text == "Hello"
    edited = found.with_conversation(edit.set_text(conversation, "msg-1", "Hi"))
    assert written(edited) == EXAMPLE_USAGE.replace(b"Hello", b"Hi")


def test_the_key_not_the_schema_version_distinguishes_the_variants() -> None:
    analytics = document(b'{"schema_version": 1, "message_history": [{"role": "user"}]}')
    application = document(b'{"schema_version": 2, "history": [{"role": "user"}]}')
    assert only_head(analytics).kind == "head"
    assert only_head(application).kind == "history"
    assert len(list(analytics.conversation.messages())) == 1
    assert len(list(application.conversation.messages())) == 1


def test_application_copy_keeps_its_own_fields() -> None:
    head = only_head(sample("good/application.json"))
    assert (head.id, head.title, head.updated_ns) == ("c-204", "Schöner Nebel", None)
    assert head.extra == {
        "owners": ["u-1", "u-2"],
        "tags": ["project:fog"],
        "context": None,
        "is_favorite": True,
        "function_catalog": [],
    }


def test_messages_form_one_chain() -> None:
    conversation = sample("good/analytics.json").conversation
    ids = ["b1f2c7d0-0001", "b1f2c7d0-0002", "b1f2c7d0-0003"]
    assert [each.id for each in conversation.path()] == ids
    assert [each.parent for each in conversation.messages()] == [None, *ids[:2]]


def test_a_message_has_the_fields_of_the_model_and_the_rest_in_extra() -> None:
    first, second, third = sample("good/analytics.json").conversation.messages()
    assert first.authors == (Author("player-one"),)
    assert first.tags == ("project:9c1e",)
    assert first.time_ns == 1_732_782_401_250 * 1_000_000
    assert isinstance(first.extra["selected_context_metadata"], list)
    assert first.extra["front_desk_classification_results"]["plugins"] is None
    assert second.extra["front_desk_classification_results"] is None
    assert second.extra["message_tokens"] == {"prompt": 812, "completion": 164}
    assert (second.usage, second.api_message) == (None, None)
    assert second.extra["request_id"] == first.extra["request_id"] == "req-1"
    assert third.parts == (Text(""),)
    assert third.extra["selected_context_metadata"] == {"scene": "Level 3"}


def test_inline_boundary_metadata_and_footnotes_stay_verbatim() -> None:
    found = sample("good/analytics.json").conversation["b1f2c7d0-0002"]
    assert '\n--boundary-5f3a9c {"source": "https://example.org/physics"' in found.text
    assert found.text.endswith("**Continuous**. 1↩")
    assert found.extra["footnotes"]["1"]["title"] == "Collision detection modes"


def test_edited_values_keep_their_wrappers() -> None:
    found = sample("good/export.jsonl")
    conversation = found.conversations[0]
    first = next(conversation.messages())
    assert first.id == "6748a1f0c3d2e4b5a6978812"
    later = replace(first, id="6748a1f0c3d2e4b5a6978899", time_ns=first.time_ns or 0)
    later = replace(later, time_ns=(first.time_ns or 0) + 1_000_000_000)
    edited = edit.replace(conversation, first.id, later)
    before = (DATA / "muse/good/export.jsonl").read_bytes()
    expected = before.replace(b'"6748a1f0c3d2e4b5a6978812"', b'"6748a1f0c3d2e4b5a6978899"').replace(
        b'"1732782400000"', b'"1732782401000"'
    )
    assert written(found.with_conversation(edited)) == expected


def test_one_object_a_line_and_a_list_are_conversations_of_their_own() -> None:
    lines = sample("good/export.jsonl")
    assert [each.record_count for each in lines.conversations] == [3, 3, 1]
    assert [only_head(lines, at).id for at in range(3)] == ["conv-a", "conv-b", "conv-c"]
    listed = sample("good/list.json")
    assert [each.title for each in listed.conversations] == [None, "empty so far"]


def test_a_new_message_goes_into_its_own_conversation_and_raises_its_update_time() -> None:
    found = sample("good/export.jsonl")
    new = Message(id="n", role="user", parts=(Text("thanks"),), time_ns=DAY + 10**12)
    for at, conversation in enumerate(found.conversations):
        after = read_document(
            Source.of_bytes(
                written(found.with_conversation(edit.append(conversation, new))),
                name="export.jsonl",
            ),
            MUSE,
        )
        counts = [
            len(each) - len(old)
            for each, old in zip(after.conversations, found.conversations, strict=True)
        ]
        assert counts == [int(at == other) for other in range(3)]
        assert only_head(after, at).updated_ns == DAY + 10**12
        assert not [each for each in after.findings if each.severity == "error"]


def test_update_time_keeps_its_form_and_is_never_lowered_or_invented() -> None:
    found = document(EXAMPLE_USAGE)
    late = Message(id="n", role="user", parts=(Text("x"),), time_ns=DAY + 10**9)
    early = replace(late, time_ns=DAY - 10**9)
    conversation = found.conversation
    raised = written(found.with_conversation(edit.append(conversation, late)))
    assert b'"last_updated_timestamp": 1732782426694\n' in raised
    kept = written(found.with_conversation(edit.append(conversation, early)))
    assert b'"last_updated_timestamp": 1732782425694\n' in kept
    bare = document(b'{"_id": "x", "message_history": [{"id": "a", "role": "user"}]}')
    grown = written(bare.with_conversation(edit.append(bare.conversation, late)))
    assert b"last_updated" not in grown
    wrapped = sample("good/export.jsonl")
    longer = edit.append(wrapped.conversations[1], late)
    text = written(wrapped.with_conversation(longer))
    assert b'"last_updated_timestamp":{"$date":{"$numberLong":"1732782427000"}}' in text
    longer = edit.append(wrapped.conversations[1], replace(late, time_ns=DAY + 10**12))
    text = written(wrapped.with_conversation(longer))
    assert b'"last_updated_timestamp":{"$date":{"$numberLong":"1732783425694"}}' in text


def test_editing_words_does_not_touch_a_stale_update_time() -> None:
    data = (
        b'{"message_history": [{"id": "a", "role": "user", "content": "x", '
        b'"timestamp": 1732782425694}], "last_updated_timestamp": 1700000000000}'
    )
    found = document(data)
    assert written(found.with_conversation(edit.set_text(found.conversation, "a", "y"))) == (
        data.replace(b'"x"', b'"y"')
    )


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            b'{"conversation_id": "c", "message_history": null}',
            b'{"conversation_id": "c", "message_history": [' + NEW + b"]}",
        ),
        (
            b'{"id": "c", "is_favorite": true}',
            b'{"id": "c", "is_favorite": true, "message_history": [' + NEW + b"]}",
        ),
    ],
)
def test_a_conversation_without_a_list_gets_one_when_a_message_is_added(
    data: bytes, expected: bytes
) -> None:
    found = read_document(Source.of_bytes(data), MUSE)
    new = Message(id="n", role="user", parts=(Text("x"),))
    assert written(found.with_conversation(edit.append(found.conversation, new))) == expected


def test_nothing_is_added_to_a_truncated_conversation() -> None:
    found = sample("bad/bom-crlf-torn.json")
    new = Message(id="n", role="user", parts=(Text("x"),))
    with pytest.raises(TalktreeError, match="damaged"):
        written(found.with_conversation(edit.append(found.conversation, new)))


def test_records_of_context_entries_are_recognised_and_kept_opaque() -> None:
    found = document((DATA / "muse/bad/context-entries.json").read_bytes())
    entries = list(found.conversation.entries)
    assert [type(each) for each in entries] == [Opaque, Opaque]
    assert {each.kind for each in entries if isinstance(each, Opaque)} == {"context"}


def test_loose_records_between_conversations_stay_outside_of_them() -> None:
    data = (DATA / "muse/bad/null-history.json").read_bytes()
    found = document(data)
    last = found.conversations[-1]
    new = Message(id="n", role="user", parts=(Text("x"),))
    grown = written(found.with_conversation(edit.append(last, new)))
    assert grown.startswith(data[: data.index(b'"both"')])
    again = read_document(Source.of_bytes(grown), MUSE)
    assert [each.record_count for each in again.conversations] == [1, 1, 1, 3]


def test_roles_are_read_without_regard_to_case_and_kept_as_written() -> None:
    data = (
        b'{"schema_version": 2, "message_history": [{"id": "a", "role": "User", "content": "x"}]}'
    )
    found = document(data)
    assert found.conversation["a"].role == "user"
    edited = edit.set_text(found.conversation, "a", "y")
    assert written(found.with_conversation(edited)) == data.replace(b'"x"', b'"y"')


def test_missing_fields_are_read_as_nothing() -> None:
    found = document(b'{"conversation_id": "c", "message_history": [{"content": "x"}, {}]}')
    first, rest = list(found.conversation.entries)[1:]
    assert isinstance(first, Message)
    assert (first.id, first.role, first.time_ns, first.authors, first.tags) == (
        "@2", "unknown", None, (), (),
    )  # fmt: skip
    assert isinstance(rest, Opaque)


def test_content_that_it_cannot_hold_is_refused() -> None:
    found = document(EXAMPLE_USAGE)
    for entry in (
        Message(id="n", role="user", parts=(Text("a"), Text("b"))),
        Message(id="n", role="user", parts=(Text("a"),), model="m"),
        Message(id="n", role="user", parts=(Text("a"),), time_ns=DAY + 1),
    ):
        with pytest.raises(WouldLose):
            written(found.with_conversation(edit.append(found.conversation, entry)))
    branch = edit.append(
        edit.append(
            found.conversation, Message(id="n", parent="msg-1", role="user", parts=(Text(""),))
        ),
        Message(id="o", parent="msg-1", role="user", parts=(Text(""),)),
    )
    with pytest.raises(WouldLose, match="branches"):
        written(found.with_conversation(branch))


def test_a_new_head_reads_back() -> None:
    for kind in ("head", "history"):
        head = Head(id="c", kind=kind, title="t", updated_ns=DAY, extra={"owners": ["a"]})
        assert MUSE.get(Record(MUSE.put(head, None), id="c")) == head


@pytest.mark.parametrize(
    "data",
    [
        b'[{"id": "1", "userId": "u", "type": "user", "content": "x", "children": []}]',
        b'{"type": "user", "uuid": "a", "message": "x", "timestamp": "2025-01-01T00:00:00Z"}',
        b'{"history": ["a", "b"], "title": "browser"}',
        b'{"history": [{"url": "https://example.org"}]}',
        b'{"messages": [{"role": "user", "content": "x"}]}',
        b'{"role": "user", "content": "x"}',
        b"[]",
        b"{}",
    ],
)
def test_foreign_files_are_not_claimed(data: bytes) -> None:
    assert MUSE.detect(Probe(Source.of_bytes(data))) is None
