"""Comments as JSON: the document's own examples, the content of real files, and damage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.errors import WouldLose
from talktree.files import Source
from talktree.formats.format import Probe
from talktree.formats.studio import FORMAT
from talktree.formats.studio.hashing import compute_digest, hash_text
from talktree.formats.studio.lens import complete, put, write_entry
from talktree.model import edit
from talktree.model.message import DELETED, Author, Message
from talktree.model.parts import Artifact, Attachment, Text, Thinking, UnknownPart
from talktree.testing import contract
from talktree.testing.strategies import json_values, wild_text
from tests.formats.comments import NAME, comment, message, opened, saved, texts
from tests.formats.studio_document import ARTIFACT, BASIC, DATA_URL, EXAMPLES, NO_URL, SCHEMA

# the document's examples


@pytest.mark.parametrize("raw", EXAMPLES.values(), ids=EXAMPLES)
def test_a_single_comment_is_a_whole_file(raw: bytes) -> None:
    source = Source.of_bytes(raw, name=NAME)
    contract.check_detection(FORMAT, source)
    contract.check_unchanged_document_writes_identical_bytes(FORMAT, source)
    contract.check_edit_changes_one_record(FORMAT, source, text="other")
    assert opened(raw)[0].findings == []


def test_all_examples_in_one_list_are_kept_apart_by_aliases() -> None:
    raw = b"[" + b",".join(EXAMPLES.values()) + b"]"
    document, talk = opened(raw)
    ids = [each.id for each in talk.messages()]
    same = "1733794702200ka59h"
    assert ids == [same, f"{same}#2", f"{same}#3", f"{same}#4", "1733794702200soijv"]
    assert [each.name for each in document.findings] == ["duplicate-id"] * 3
    changed = saved(document, edit.set_text(talk, f"{same}#3", "changed"))
    assert changed.count(b"changed") == 1
    assert changed.count(same.encode()) == 4
    assert [text for _, _, text in texts(changed)][2] == "changed"


def test_attachments_and_artifacts_are_parts() -> None:
    (image,) = opened(DATA_URL)[1].messages()
    assert image.parts[1] == Attachment(
        "example.png",
        "image/png",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA...",
        {"file": {"dimensions": {"width": 1024, "height": 768}}},
    )
    (file,) = opened(NO_URL)[1].messages()
    assert file.parts[1] == Attachment("abc.txt", "text/plain", None, {"file": {}})
    (chart,) = opened(ARTIFACT)[1].messages()
    assert chart.parts[1] == Artifact(
        "1733794702200gsghc",
        "application/vnd.ant.react",
        "Interactive Chart Component",
        None,
        {"info": "Click to open component", "status": "visible", "command": "create"},
    )


def test_a_comment_says_who_when_and_in_which_role() -> None:
    (said,) = opened(BASIC)[1].messages()
    assert (said.role, said.authors, said.time_ns) == (
        "user",
        (Author("user"),),
        1733794702200 * 1_000_000,
    )
    assert said.parts == (Text("What is in the file"),)
    assert said.extra == {}


def test_the_schema_is_not_a_conversation() -> None:
    assert FORMAT.detect(Probe(Source.of_bytes(SCHEMA, name=NAME))) is None


@pytest.mark.parametrize(
    "raw",
    [
        b"[]",
        b"{}",
        b'{"message_history":[{"id":"1","content":"x","author":"u","role":"user"}]}',
        b'{"type":"user","uuid":"u","message":{"role":"user","content":"x"},"timestamp":"t"}',
        b'[{"id":1,"content":"a","children":[],"attachments":[]}]',
        b'{"name":"x","children":[{"name":"y","children":[]}]}',
        b'{"userId":"u","items":[]}',
        b'"userId contentHash"',
        b"userId,content\n",
    ],
)
def test_other_json_is_not_claimed(raw: bytes) -> None:
    assert FORMAT.detect(Probe(Source.of_bytes(raw, name=NAME))) is None


def test_detection_names_the_members_it_saw() -> None:
    found = FORMAT.detect(Probe(Source.of_bytes(BASIC, name="no suffix")))
    assert found is not None
    assert found.confidence > 0.9
    assert "userId, contentHash, content, children, attachments" in found.reason


# roles, times, texts


@pytest.mark.parametrize(("type", "role"), [(None, "unknown"), ("", ""), ("poem", "poem")])
def test_any_type_is_a_role_and_a_missing_one_is_not_made_up(type: str | None, role: str) -> None:
    record = comment() if type is None else comment(type=type)
    assert message(record).role == role
    assert put(message(record), record) == record.value


@pytest.mark.parametrize(
    ("stamp", "time"),
    [
        (1733794702200, 1733794702200_000_000),
        (1733794702200.0, 1733794702200_000_000),
        (1733794702, 1733794702_000_000_000),
        ("2024-12-10T01:38:22.200Z", 1733794702200_000_000),
        (True, None),
        ("yesterday", None),
        (10**30, None),
        ([], None),
    ],
)
def test_times_are_milliseconds_and_anything_else_is_kept(stamp: object, time: int | None) -> None:
    record = comment(timestamp=stamp)
    said = message(record)
    assert said.time_ns == time
    assert (said.extra.get("timestamp") == stamp) == (time is None)
    assert put(said, record) == record.value


def test_empty_content_is_an_empty_text_and_no_content_is_none() -> None:
    assert message(comment(content="")).parts == (Text(""),)
    assert message(comment(content=None)).parts == ()
    assert message(comment(content=5)).extra["content"] == 5


def test_a_new_comment_has_every_member_the_document_requires() -> None:
    bare = Message(id="n", role="user", time_ns=1733794702200 * 1_000_000)
    value = write_entry(complete(bare))
    assert value == {
        "id": "n",
        "userId": "user",
        "type": "user",
        "timestamp": 1733794702200,
        "content": "",
        "contentHash": "0",
        "attachments": [],
        "children": [],
    }


def test_new_attachments_and_artifacts_have_what_the_document_requires() -> None:
    parts = (Text("x"), Attachment("a.txt"), Artifact(id="1", title="Mermaid chart"))
    value = write_entry(complete(Message(id="n", role="user", parts=parts)))
    assert isinstance(value, dict)
    assert value["attachments"] == [{"file": {}, "name": "a.txt", "url": None}]
    assert value["artifacts"] == [
        {
            "id": "1",
            "type": "application/vnd.ant.mermaid",
            "title": "Mermaid chart",
            "status": "visible",
            "command": "create",
        }
    ]


def test_deleted_is_a_flag_and_false_stays_false() -> None:
    record = comment(deleted=False)
    said = message(record)
    assert said.flags == frozenset()
    assert put(said, record) == record.value
    gone = put(replace(said, flags=frozenset({DELETED})), record)
    assert isinstance(gone, dict)
    assert gone["deleted"] is True


@given(json_values, st.sampled_from(["id", "userId", "type", "timestamp", "content", "deleted"]))
def test_a_member_of_any_type_survives(value: object, name: str) -> None:
    record = comment(**{name: value})
    assert put(message(record), record) == record.value


@given(
    json_values,
    st.sampled_from(["attachments", "artifacts", "parentId", "contentHash", "children", "x"]),
)
def test_a_list_of_anything_survives(value: object, name: str) -> None:
    for odd in (value, [value], [{"url": value, "type": value, "file": value}]):
        record = comment(**{name: odd})
        assert put(message(record), record) == record.value
        said = replace(message(record), role="other")
        contract.check_get_put(FORMAT, said, record)


def test_items_that_are_not_objects_stay_in_their_lists() -> None:
    record = comment(attachments=["name", {"name": "a"}, None], artifacts=[3])
    said = message(record)
    assert [type(part) for part in said.parts] == [
        Text,
        UnknownPart,
        Attachment,
        UnknownPart,
        UnknownPart,
    ]
    assert put(said, record) == record.value


def test_content_that_a_comment_cannot_hold_is_refused_and_not_dropped() -> None:
    document, talk = opened(BASIC)
    thought = Message(id="n", role="assistant", parts=(Text("a"), Thinking("hm")))
    with pytest.raises(WouldLose):
        saved(document, edit.append(talk, thought))


# hashes


@pytest.mark.parametrize("algorithm", ["utf16-32", "sha256-10", "sha256-7"])
@given(old=wild_text, new=wild_text)
def test_a_changed_text_gets_a_hash_of_the_same_kind(algorithm: str, old: str, new: str) -> None:
    record = comment(content=old, contentHash=compute_digest(old, algorithm))  # type: ignore[arg-type]
    value = put(replace(message(record), parts=(Text(new),)), record)
    assert isinstance(value, dict)
    assert value["contentHash"] in {
        compute_digest(new, algorithm),  # type: ignore[arg-type]
        # Short texts can have one hash by two algorithms; then the first one counts.
        hash_text(new),
    }


def test_an_edit_repairs_a_wrong_hash_with_the_documents_own() -> None:
    record = comment(content="Here's an image", contentHash="50dcdf2c")
    assert put(message(record), record) == record.value
    value = put(replace(message(record), parts=(Text("new"),)), record)
    assert isinstance(value, dict)
    assert value["contentHash"] == hash_text("new")


def test_an_edit_invents_no_hash() -> None:
    for record in (comment(), comment(contentHash=None), comment(contentHash=12)):
        value = put(replace(message(record), parts=(Text("new"),)), record)
        assert value == {**record.value, "content": "new"}  # type: ignore[dict-item]


def test_another_change_leaves_even_a_wrong_hash_alone() -> None:
    record = comment(contentHash="wrong", type="user")
    value = put(replace(message(record), role="system"), record)
    assert value == {**record.value, "type": "system"}  # type: ignore[dict-item]


def test_changing_a_text_to_what_its_wrong_hash_says_is_possible() -> None:
    document, talk = opened(DATA_URL)
    fixed = saved(document, edit.set_text(talk, "1733794702200ka59h", "What is in the file"))
    assert b'"contentHash": "50dcdf2c"' in fixed


def test_a_comment_cut_off_after_its_replies_is_a_message() -> None:
    inner = b'{"id":"b","userId":"u","type":"user","timestamp":2,"content":"two","children":[]}'
    outer = b'[{"id":"a","userId":"u","type":"user","timestamp":1,"content":"one","children":['
    raw = outer + inner + b"]"
    document, conversation = opened(raw)
    assert [each.text for each in conversation.messages()] == ["one", "two"]
    assert {each.code for each in document.findings} == {"SYN101"}
    contract.check_any_bytes(FORMAT, Source.of_bytes(raw, name=NAME))
