"""Comments as JSON: parents, remains of exporters, the effect of truncation, any size."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from talktree.errors import DamagedRecord
from talktree.formats.format import Record
from talktree.formats.studio.lens import put
from talktree.model import edit
from talktree.model.message import Message
from talktree.model.parts import Attachment, Text
from tests.formats.comments import comment, message, opened, saved, texts
from tests.formats.studio_document import BASIC

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


def test_a_reply_never_overwrites_children_that_are_not_a_list() -> None:
    document, talk = opened(b'[{"id":"a","userId":"u","content":"x","children":"mine"}]')
    reply = Message(id="r", parent="a", role="user", parts=(Text("reply"),))
    with pytest.raises(DamagedRecord):
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

TRUNCATED = (
    b'[{"id":"a","userId":"u","content":"1","children":['
    b'{"id":"b","content":"2","children":[]},{"id":"c","content":"3 is cut of'
)


def test_only_the_truncated_comment_is_lost_and_the_others_can_be_edited() -> None:
    document, talk = opened(TRUNCATED)
    assert texts(TRUNCATED) == [("a", None, "1"), ("b", "a", "2")]
    assert [each.name for each in document.findings] == ["torn-record"]
    assert saved(document, edit.set_text(talk, "a", "one")) == TRUNCATED.replace(b'"1"', b'"one"')
    assert saved(document, edit.set_text(talk, "b", "two")) == TRUNCATED.replace(b'"2"', b'"two"')


@pytest.mark.parametrize("parent", [None, "a"])
def test_nothing_is_written_after_a_truncation(parent: str | None) -> None:
    document, talk = opened(TRUNCATED)
    fresh = Message(id="n", parent=parent, role="user", parts=(Text("x"),))
    with pytest.raises(DamagedRecord):
        saved(document, edit.append(talk, fresh))


def test_a_reply_before_the_truncation_is_possible() -> None:
    document, talk = opened(TRUNCATED)
    fresh = Message(id="n", parent="b", role="user", parts=(Text("x"),))
    assert ("n", "b", "x") in texts(saved(document, edit.append(talk, fresh)))


def test_replies_inside_a_truncated_comment_stay_inside() -> None:
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
