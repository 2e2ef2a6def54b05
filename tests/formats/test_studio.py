"""Comments as JSON: the document's own examples, what real files hold, and what breaks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.errors import Damaged, WouldLose
from talktree.files import Source
from talktree.formats.base import Probe, Record
from talktree.formats.engine import read
from talktree.formats.studio import FORMAT
from talktree.formats.studio.hashing import content_hash, digest
from talktree.formats.studio.lens import complete, get, native, put
from talktree.model import edit
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import DELETED, Author, Message
from talktree.model.parts import Artifact, Attachment, Text, Thinking, Unknown
from talktree.testing import contract
from talktree.testing.strategies import json_values, wild_text
from tests.formats.studio_document import ARTIFACT, BASIC, DATA_URL, EXAMPLES, NO_URL, SCHEMA

NAME = "talk.json"


def opened(raw: bytes) -> tuple[Document, Conversation]:
    document = read(Source.of_bytes(raw, name=NAME), FORMAT)
    return document, document.conversations[0]


def saved(document: Document, conversation: Conversation) -> bytes:
    return contract.written(document.with_conversation(conversation))[NAME]


def texts(raw: bytes) -> list[tuple[str, str | None, str]]:
    return [(each.id, each.parent, each.text) for each in opened(raw)[1].messages()]


def comment(**members: object) -> Record:
    value = {"id": "c", "content": "hello", "children": [], **members}
    return Record(value, id="c")  # type: ignore[arg-type]


def message(record: Record) -> Message:
    entry = get(record)
    assert isinstance(entry, Message)
    return entry


# the document's examples


@pytest.mark.parametrize("raw", EXAMPLES.values(), ids=EXAMPLES)
def test_a_single_comment_is_a_whole_file(raw: bytes) -> None:
    source = Source.of_bytes(raw, name=NAME)
    contract.detection_picks_it(FORMAT, source)
    contract.unchanged_document_writes_identical_bytes(FORMAT, source)
    contract.edit_changes_one_record(FORMAT, source, text="other")
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
    assert (said.role, said.authors, said.time) == (
        "user",
        (Author("user"),),
        1733794702200 * 1_000_000,
    )
    assert said.parts == (Text("What is in the file"),)
    assert said.extra == {}


def test_the_schema_is_no_conversation() -> None:
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
    assert said.time == time
    assert (said.extra.get("timestamp") == stamp) == (time is None)
    assert put(said, record) == record.value


def test_empty_content_is_an_empty_text_and_no_content_is_none() -> None:
    assert message(comment(content="")).parts == (Text(""),)
    assert message(comment(content=None)).parts == ()
    assert message(comment(content=5)).extra["content"] == 5


def test_a_new_comment_has_every_member_the_document_requires() -> None:
    bare = Message(id="n", role="user", time=1733794702200 * 1_000_000)
    value = native(complete(bare))
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
    value = native(complete(Message(id="n", role="user", parts=parts)))
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
        contract.reading_sees_what_was_put(FORMAT, said, record)


def test_items_that_are_no_objects_stay_in_their_lists() -> None:
    record = comment(attachments=["name", {"name": "a"}, None], artifacts=[3])
    said = message(record)
    assert [type(part) for part in said.parts] == [Text, Unknown, Attachment, Unknown, Unknown]
    assert put(said, record) == record.value


def test_what_a_comment_cannot_hold_is_refused_and_not_dropped() -> None:
    document, talk = opened(BASIC)
    thought = Message(id="n", role="assistant", parts=(Text("a"), Thinking("hm")))
    with pytest.raises(WouldLose):
        saved(document, edit.append(talk, thought))


# hashes


@pytest.mark.parametrize("algorithm", ["utf16-32", "sha256-10", "sha256-7"])
@given(old=wild_text, new=wild_text)
def test_a_changed_text_gets_a_hash_of_the_same_kind(algorithm: str, old: str, new: str) -> None:
    record = comment(content=old, contentHash=digest(old, algorithm))  # type: ignore[arg-type]
    value = put(replace(message(record), parts=(Text(new),)), record)
    assert isinstance(value, dict)
    assert value["contentHash"] in {
        digest(new, algorithm),  # type: ignore[arg-type]
        # Short texts can have one hash by two algorithms; then the first one counts.
        content_hash(new),
    }


def test_an_edit_mends_a_wrong_hash_with_the_documents_own() -> None:
    record = comment(content="Here's an image", contentHash="50dcdf2c")
    assert put(message(record), record) == record.value
    value = put(replace(message(record), parts=(Text("new"),)), record)
    assert isinstance(value, dict)
    assert value["contentHash"] == content_hash("new")


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


# parents

FAMILY = b"""[
  {"id":"a","userId":"u","content":"1","contentHash":"31","children":[
    {"id":"b","parentId":"a","userId":"u","content":"2","contentHash":"32","children":[]},
    {"id":"c","parentId":"elsewhere","userId":"u","content":"3","contentHash":"33","children":[]}
  ]},
  {"id":"d","parentId":null,"userId":"u","content":"4","contentHash":"34","children":[]}
]
"""


def test_nesting_decides_and_a_contradicting_parent_id_is_left_alone() -> None:
    assert [(id, parent) for id, parent, _ in texts(FAMILY)] == [
        ("a", None),
        ("b", "a"),
        ("c", "a"),
        ("d", None),
    ]


def test_a_parent_id_follows_a_move_if_it_was_right() -> None:
    document, talk = opened(FAMILY)
    moved = saved(document, edit.move(talk, "b", to="d"))
    assert [parent for _, parent, _ in texts(moved)] == [None, "a", None, "d"]
    assert b'"id":"b","parentId":"d"' in moved
    out = saved(document, edit.move(talk, "b", to=None))
    assert b'"id":"b","parentId":null' in out
    wrong = saved(document, edit.move(talk, "c", to="d"))
    assert b'"id":"c","parentId":"elsewhere"' in wrong
    again = saved(document, edit.move(talk, "d", to="a"))
    assert b'"id":"d","parentId":"a"' in again
    without = saved(document, edit.move(talk, "a", to="d"))
    assert without.count(b"parentId") == FAMILY.count(b"parentId")


def test_a_reply_to_a_comment_without_children_opens_its_list() -> None:
    raw = b'[{"id":"a","userId":"u","content":"x"},{"id":"b","content":"y","children":null}]'
    for id in ("a", "b"):
        document, talk = opened(raw)
        reply = Message(id="r", parent=id, role="user", parts=(Text("reply"),))
        assert ("r", id, "reply") in texts(saved(document, edit.append(talk, reply)))


def test_a_reply_never_overwrites_children_that_are_no_list() -> None:
    document, talk = opened(b'[{"id":"a","userId":"u","content":"x","children":"mine"}]')
    reply = Message(id="r", parent="a", role="user", parts=(Text("reply"),))
    with pytest.raises(Damaged):
        saved(document, edit.append(talk, reply))


def test_a_second_root_beside_a_single_comment_makes_a_list() -> None:
    document, talk = opened(BASIC)
    fresh = Message(id="n", role="user", parts=(Text("second"),))
    out = saved(document, edit.append(talk, fresh))
    assert [each["id"] for each in json.loads(out)] == ["1733794702200ka59h", "n"]


def test_a_reply_to_a_single_comment_keeps_the_form_of_the_file() -> None:
    document, talk = opened(BASIC)
    reply = Message(id="n", parent="1733794702200ka59h", role="user", parts=(Text("second"),))
    out = saved(document, edit.append(talk, reply))
    assert out.startswith(BASIC[: BASIC.rindex(b"[")])
    assert json.loads(out)["children"][0]["content"] == "second"


def test_a_reply_with_the_id_of_its_parent_is_still_a_reply() -> None:
    raw = b'[{"id":"a","userId":"u","content":"1","children":[{"id":"a","content":"2"}]}]'
    assert texts(raw) == [("a", None, "1"), ("a#2", "a", "2")]


def test_putting_never_changes_the_record_that_was_read() -> None:
    record = Record({"id": "b", "parentId": "a", "content": "x"}, id="b", parent="a")
    put(replace(message(record), parent="d", parts=(Text("y"),)), record)
    assert record.value == {"id": "b", "parentId": "a", "content": "x"}


# exports


def test_urls_that_an_exporter_cut_short_are_kept_as_they_are() -> None:
    url = "data:image/png;base64," + "A" * 78 + "..."
    record = comment(attachments=[{"name": "a", "url": url, "type": "image/png", "file": {}}])
    part = message(record).parts[1]
    assert isinstance(part, Attachment)
    assert part.url == url


def test_an_attachment_without_file_gets_none_by_an_edit() -> None:
    record = comment(attachments=[{"name": "a", "url": "u", "type": "image"}])
    value = put(replace(message(record), role="user"), record)
    assert isinstance(value, dict)
    assert value["attachments"] == [{"name": "a", "url": "u", "type": "image"}]


# damage

TORN = (
    b'[{"id":"a","userId":"u","content":"1","children":['
    b'{"id":"b","content":"2","children":[]},{"id":"c","content":"3 is cut of'
)


def test_only_the_torn_comment_is_lost_and_the_others_can_be_edited() -> None:
    document, talk = opened(TORN)
    assert texts(TORN) == [("a", None, "1"), ("b", "a", "2")]
    assert [each.name for each in document.findings] == ["torn-record"]
    assert saved(document, edit.set_text(talk, "a", "one")) == TORN.replace(b'"1"', b'"one"')
    assert saved(document, edit.set_text(talk, "b", "two")) == TORN.replace(b'"2"', b'"two"')


@pytest.mark.parametrize("parent", [None, "a"])
def test_nothing_is_written_behind_a_tear(parent: str | None) -> None:
    document, talk = opened(TORN)
    fresh = Message(id="n", parent=parent, role="user", parts=(Text("x"),))
    with pytest.raises(Damaged):
        saved(document, edit.append(talk, fresh))


def test_a_reply_before_the_tear_is_possible() -> None:
    document, talk = opened(TORN)
    fresh = Message(id="n", parent="b", role="user", parts=(Text("x"),))
    assert ("n", "b", "x") in texts(saved(document, edit.append(talk, fresh)))


def test_replies_inside_a_torn_comment_stay_inside() -> None:
    raw = b'[{"id":"a","children":[{"id":"b","content":"2","children":[]}],"content":"cut of'
    document, talk = opened(raw)
    assert texts(raw) == [("b", None, "2")]
    assert saved(document, edit.set_text(talk, "b", "two")) == raw.replace(b'"2"', b'"two"')


def test_bare_values_among_replies_keep_their_place() -> None:
    raw = b'[{"id":"a","content":"1","children":[{"id":"b","content":"2","children":[]},7,"x"]},8]'
    document, talk = opened(raw)
    fresh = Message(id="n", parent="b", role="user", parts=(Text("new"),))
    out = json.loads(saved(document, edit.append(talk, fresh)))
    assert out[1] == 8
    assert out[0]["children"][1:] == [7, "x"]
    assert out[0]["children"][0]["children"][0]["id"] == "n"


# size


@pytest.mark.parametrize("shape", ["chain", "row"])
def test_depth_and_breadth_do_not_matter(shape: str) -> None:
    count = 20_000
    starts = [f'{{"id":"{n}","userId":"u","content":"{n}","children":[' for n in range(count)]
    if shape == "chain":
        raw = ("[" + "".join(starts) + "]}" * count + "]").encode()
    else:
        raw = ("[" + ",".join(f"{start}]}}" for start in starts) + "]").encode()
    document, talk = opened(raw)
    assert len(talk) == count
    middle = str(count // 2)
    out = saved(document, edit.set_text(talk, middle, "changed"))
    assert out == raw.replace(f'"content":"{middle}"'.encode(), b'"content":"changed"')
    assert talk[middle].parent == (str(count // 2 - 1) if shape == "chain" else None)
