"""Conversation Studio as text, in all forms that its exporters have written."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import TalktreeError, WouldLose
from talktree.files import Source, load
from talktree.formats.engine import read_document
from talktree.formats.studio_text import FORMAT
from talktree.formats.studio_text.parse_text_file import cut_text
from talktree.model import edit
from talktree.model.document import Document
from talktree.model.entries import Opaque
from talktree.model.message import Author, Message
from talktree.model.parts import Attachment, Text
from talktree.testing import contract
from talktree.testing.strategies import wild_text
from tests.formats.cases import DATA
from tests.formats.entries.studio_text import messages

FOREIGN = sorted(DATA.glob("studio-text/foreign/*"))
each_foreign = pytest.mark.parametrize("path", FOREIGN, ids=lambda path: path.name)

APP = b"""\
------BoundaryR
Content-Type: text/plain; charset="UTF-8"
User-Id: user-139
Type: undefined
Hash: 6b86b273ff
Timestamp: 1732588756703
Id: 1732588756703

1

------BoundaryR
Content-Type: multipart/mixed; boundary="----BoundaryC"
------BoundaryC
Content-Type: text/plain; charset="UTF-8"
User-Id: user-244
Type: assistant
Hash: 4b227777d4
Timestamp: 1732588806438
Id: 1732588806438

4

Attachments:
- a (b).png (image/png)
  URL: data:image/png;base64,iVBORw0K...Jggg==
- gone.txt (undefined)
  URL: null

------BoundaryC--

------BoundaryR--
"""
WORKER = b"""\
Content-Type: multipart/mixed; boundary="----BoundaryM"

------BoundaryM
Content-Type: multipart/mixed; boundary="----BoundaryA"
------BoundaryA
Content-Type: text/plain; charset="UTF-8"
User-Id: user-139
Type: user
Hash: 6b86b273ff
Timestamp: 1732588756703
Id: a

1

------BoundaryA
Content-Type: image/png
Content-Disposition: attachment; filename="ff.png"
Content-Transfer-Encoding: base64

data:image/png;base64,iVBOR...ggg==

------BoundaryA
Content-Type: multipart/mixed; boundary="----BoundaryB"
------BoundaryB
Content-Type: text/plain; charset="UTF-8"
User-Id: user-387
Type: undefined
Hash: d4735e3a26
Timestamp: 1732588824089
Id: b
Parent-Id: a

2

------BoundaryB--

------BoundaryA--

------BoundaryM--
"""
OLDER = b"""\
Content-Type: multipart/mixed; boundary="----BoundaryA"

------BoundaryA
Content-Type: text/plain; charset="UTF-8"
User-Id: user-139
Hash: 6b86b273ff
Timestamp: 1732588756703
E-Tag: 1732588756703

1

------BoundaryA
Content-Type: image/png
Content-Disposition: attachment; filename="ff2.png"
Content-Location: data:image/png;base64,iVBORw0KGgo=


------BoundaryA
Content-Disposition: reply; to=1732588756703
Content-Type: multipart/mixed; boundary="----BoundaryB"

------BoundaryB
Content-Type: text/plain; charset="UTF-8"
User-Id: user-585
Hash: d4735e3a26
Timestamp: 1732588762870
E-Tag: 1732588762870

2

------BoundaryB--

------BoundaryA--

Content-Type: multipart/mixed; boundary="----BoundaryC"

------BoundaryC
Content-Type: text/plain; charset="UTF-8"
User-Id: user-654
Hash: 4e07408562
Timestamp: 1732588772420
E-Tag: 1732588772420

3

------BoundaryC
Content-Disposition: reply; to=1732588772420
[object Promise]
------BoundaryC--
"""


def document(raw: bytes, name: str = "comments.text") -> Document:
    return read_document(Source.of_bytes(raw, name=name), FORMAT)


def written(document: Document) -> bytes:
    (data,) = contract.write_files(document).values()
    return data


def outline(document: Document) -> list[tuple[str | None, str, str]]:
    return [(each.parent, each.id, each.text) for each in document.conversation.messages()]


# output of the exporters


def test_app_text_nests_replies_and_lists_attachments() -> None:
    found = document(APP)
    assert outline(found) == [
        (None, "1732588756703", "1"),
        ("1732588756703", "1732588806438", "4"),
    ]
    root, reply = found.conversation.messages()
    assert (root.role, reply.role) == ("unknown", "assistant")
    assert [part for part in reply.parts if isinstance(part, Attachment)] == [
        Attachment("a (b).png", "image/png", "data:image/png;base64,iVBORw0K...Jggg=="),
        Attachment("gone.txt", None, None),
    ]
    assert found.findings == []


def test_worker_text_names_parents_and_has_attachments_as_parts() -> None:
    found = document(WORKER)
    assert outline(found) == [(None, "a", "1"), ("a", "b", "2")]
    root, _ = found.conversation.messages()
    assert root.parts[1] == Attachment("ff.png", "image/png", "data:image/png;base64,iVBOR...ggg==")
    assert found.findings == []


def test_older_text_is_one_multipart_a_root() -> None:
    found = document(OLDER)
    assert outline(found) == [
        (None, "1732588756703", "1"),
        ("1732588756703", "1732588762870", "2"),
        (None, "1732588772420", "3"),
    ]
    root = found.conversation["1732588756703"]
    assert root.parts[1] == Attachment("ff2.png", "image/png", "data:image/png;base64,iVBORw0KGgo=")


def test_lost_replies_are_an_opaque_record_and_a_finding() -> None:
    found = document(OLDER)
    assert isinstance(list(found.conversation.entries)[-1], Opaque)
    (lost,) = found.findings
    assert (lost.severity, lost.line) == ("error", 47)
    assert "replies" in lost.message


@pytest.mark.parametrize("raw", [APP, WORKER, OLDER], ids=["app", "worker", "older"])
def test_edit_replaces_just_the_content(raw: bytes) -> None:
    found = document(raw)
    first = next(found.conversation.messages())
    changed = edit.set_text(found.conversation, first.id, "one\n\n--x\nId: fake")
    out = written(found.with_conversation(changed))
    # The hash is updated by the algorithm that made it.
    expected = raw.replace(b"\n\n1\n", b"\n\none\n\n--x\nId: fake\n", 1)
    assert out == expected.replace(b"6b86b273ff", out[out.find(b"Hash: ") + 6 :][:10], 1)
    assert out != expected


def test_hash_decides_whether_a_list_is_content() -> None:
    body = b"1\n\nAttachments:\n- x (y)\n  URL: z"
    as_list = document(APP.replace(b"\n1\n", b"\n" + body + b"\n", 1))
    assert next(as_list.conversation.messages()).text == "1"
    proven = APP.replace(b"\n1\n", b"\n" + body + b"\n", 1)
    proven = proven.replace(b"6b86b273ff", sha256(body).hexdigest()[:10].encode())
    message = next(document(proven).conversation.messages())
    assert (message.text, len(message.parts)) == (body.decode(), 1)


def test_quoted_export_stays_content_unless_the_hash_proves_damage() -> None:
    quoted = WORKER.replace(b"\n1\n", b"\n1\n\n" + APP + b"\n", 1)
    assert len(outline(document(quoted.replace(b"6b86b273ff", b"0000000000")))) == 2
    damaged = WORKER.replace(
        b"\n------BoundaryA\nContent-Type: multi", b"\n------Bo?\nContent-Type: multi"
    )
    found = document(damaged)
    assert outline(found) == outline(document(WORKER))
    assert [each.name for each in found.findings] == ["odd-separator"]


def test_words_for_nothing_are_nothing() -> None:
    raw = APP.replace(b"Hash: 6b86b273ff", b"Hash: undefined").replace(b": user-139", b": null")
    value = cut_text(raw).pieces[0].value
    assert isinstance(value, dict)
    assert "contentHash" not in value
    assert value["userId"] is None
    assert "type" not in value


def test_unknown_header_is_kept_and_editable() -> None:
    raw = APP.replace(b"Type: undefined\n", b"X-Mood: fine\n")
    found = document(raw)
    (first, _) = found.conversation.messages()
    assert first.extra == {"X-Mood": "fine"}


def test_line_ends_of_the_older_exporter_are_not_content() -> None:
    path = DATA / "studio-text/foreign/older-crlf.text"
    texts = [text for _, _, text in outline(read_document(load(path), FORMAT))]
    assert texts == ["first", "reply\nE-Tag: fake\n--x", "deeper", "second root"]


@pytest.mark.parametrize("raw", [APP, WORKER, OLDER], ids=["app", "worker", "older"])
def test_truncated_text_reads_as_far_as_it_goes(raw: bytes) -> None:
    whole = [id for _, id, _ in outline(document(raw))]
    most = 0
    for end in range(1, len(raw)):
        source = Source.of_bytes(raw[:end], name="comments.text")
        contract.check_unchanged_document_writes_identical_bytes(FORMAT, source)
        found = document(raw[:end])
        ids = [id for each in found.conversations for id in each.skeleton.ids if id]
        assert len(ids) >= most
        assert found.findings or raw[:end].rstrip().endswith(b"--")
        assert len(ids) < 2 or ids[:-1] == whole[: len(ids) - 1]
        most = len(ids)


# new comments in output of the exporters


@each_foreign
def test_new_comment_is_written_like_the_others(path: Path) -> None:
    found = read_document(load(path), FORMAT)
    ids = [id for _, id, _ in outline(found)]
    for parent in (None, *ids):
        entry = Message(
            id="new",
            parent=parent,
            role="user",
            parts=(Text("new\n\nwords"),),
            authors=(Author("ana"),),
        )
        changed = edit.append(found.conversation, entry)
        out = written(found.with_conversation(changed))
        assert b"Studio-Text" not in out
        again = document(out)
        assert (parent, "new", "new\n\nwords") in outline(again)
        assert [each for each in outline(again) if each[1] != "new"] == outline(found)
        assert [each for each in again.findings if each.severity != "note"] == []


@pytest.mark.parametrize(
    ("raw", "header"), [(WORKER, b"Parent-Id: b"), (OLDER, b"to=1732588762870")]
)
def test_new_reply_names_its_parent_where_the_dialect_does(raw: bytes, header: bytes) -> None:
    found = document(raw)
    parent = outline(found)[1][1]
    entry = Message(id="new", parent=parent, role="user", parts=(Text("x"),))
    out = written(found.with_conversation(edit.append(found.conversation, entry)))
    assert header in out.replace(raw, b"")


@each_foreign
@pytest.mark.parametrize(
    "entry",
    [
        Message(id="n", role="user", parts=(Text("half \ud83c"),)),
        Message(id="n", role="user", parts=(Text(""),), flags=frozenset({"deleted"})),
        Message(id="n", role="user", parts=(Text(""),), extra={"x": {"y": 1}}),
        Message(id="two\nlines", role="user", parts=(Text(""),)),
        Message(id="n", role="undefined", parts=(Text(""),)),
        Message(id="n", role="user", parts=(Text(""), Attachment("a", "b", "c", {"size": 1}))),
    ],
)
def test_content_that_a_dialect_cannot_hold_is_refused(path: Path, entry: Message) -> None:
    found = read_document(load(path), FORMAT)
    with pytest.raises(WouldLose):
        written(found.with_conversation(edit.append(found.conversation, entry)))


@each_foreign
def test_content_with_an_open_boundary_line_is_refused(path: Path) -> None:
    found = read_document(load(path), FORMAT)
    line = next(line for line in path.read_text().splitlines() if line.startswith("--"))
    first = outline(found)[0][1]
    with pytest.raises(WouldLose):
        written(found.with_conversation(edit.set_text(found.conversation, first, f"x\n{line}\ny")))


@pytest.mark.parametrize(
    "path", sorted(DATA.glob("studio-text/[fg]*/*")), ids=lambda path: path.name
)
def test_move_and_removal_keep_all_others(path: Path) -> None:
    found = read_document(load(path), FORMAT)
    before = outline(found)
    for _, id, _ in before:
        for to in (None, *(each for _, each, _ in before)):
            try:
                moved = edit.move(found.conversation, id, to=to)
            except TalktreeError:
                continue
            again = document(written(found.with_conversation(moved)))
            assert sorted(map(str, outline(again))) == sorted(
                str((to if each[1] == id else each[0], *each[1:])) for each in before
            )
        removed = edit.remove(found.conversation, [id])
        again = document(written(found.with_conversation(removed)))
        assert [each[1:] for each in outline(again)] == [
            each[1:] for each in before if each[1] != id
        ]


@given(data=st.data())
def test_edit_of_an_export_is_read_back_or_refused(data: st.DataObject) -> None:
    found = read_document(load(data.draw(st.sampled_from(FOREIGN))), FORMAT)
    ids = [id for _, id, _ in outline(found)]
    conversation = edit.set_text(
        found.conversation, data.draw(st.sampled_from(ids)), data.draw(wild_text)
    )
    entry = FORMAT.complete(data.draw(messages))
    if data.draw(st.booleans()) and isinstance(entry, Message) and entry.id not in ids:
        conversation = edit.append(conversation, entry)
    try:
        out = written(found.with_conversation(conversation))
    except WouldLose:
        return
    again = document(out).conversation
    wanted = sorted(conversation.messages(), key=lambda each: again.find_position(each.id))
    assert list(again.messages()) == wanted
