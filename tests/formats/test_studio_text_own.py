"""Conversation Studio as text in our own dialect: nothing is lost, and any mail reader reads it."""

from __future__ import annotations

import email
import email.message
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import DamagedRecord
from talktree.files import Source, load
from talktree.formats.engine import read_document
from talktree.formats.format import Probe
from talktree.formats.studio_text import FORMAT, render_comments
from talktree.formats.studio_text.parse_text_file import cut_text
from talktree.model import edit
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.testing import contract
from talktree.testing.strategies import json_objects, json_values, wild_text, word
from talktree.text.json.value import Json, is_same
from tests.formats.cases import DATA
from tests.formats.studio_document import EXAMPLES

QUAY: dict[str, Json] = {
    "id": "1",
    "userId": "mara",
    "type": "user",
    "timestamp": 1741000000000,
    "content": "The north quay.",
    "attachments": [],
    "children": [],
}
DOCUMENTED: list[Json] = [json.loads(raw) for raw in EXAMPLES.values()]


def document(raw: bytes, name: str = "comments.text") -> Document:
    return read_document(Source.of_bytes(raw, name=name), FORMAT)


def written(document: Document) -> bytes:
    (data,) = contract.write_files(document).values()
    return data


def outline(document: Document) -> list[tuple[str | None, str, str]]:
    return [(each.parent, each.id, each.text) for each in document.conversation.messages()]


def values(raw: bytes) -> list[tuple[Json, int]]:
    return [(piece.value, piece.depth) for piece in cut_text(raw).pieces]


def rendered(comments: list[tuple[Json, int]]) -> bytes:
    return b"".join(render_comments(comments))


def test_documented_comments_survive_although_they_share_an_id() -> None:
    comments = list(zip(DOCUMENTED, [0, 1, 1, 2, 2], strict=True))
    raw = rendered(comments)
    assert all(
        is_same(dict(sorted(one.items())), dict(sorted(two.items()))) and depth == deep
        for (one, depth), (two, deep) in zip(comments, values(raw), strict=True)
        if isinstance(one, dict) and isinstance(two, dict)
    )
    parents = [parent for parent, _, _ in outline(document(raw))]
    first = "1733794702200ka59h"
    assert parents == [None, first, first, f"{first}#3", f"{first}#3"]


_members: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["m", "m#2", "@1"]) | wild_text | json_values,
        "userId": wild_text | json_values,
        "type": wild_text | st.just("undefined"),
        "timestamp": st.integers(0, 2**53) | json_values,
        "content": wild_text | json_values | st.text("-\r\n \t=.talktree", max_size=90),
        "contentHash": word | st.none(),
        "parentId": word | st.none(),
        "deleted": st.booleans() | st.none(),
        "attachments": st.just([]) | st.lists(json_objects, max_size=2) | st.none(),
        "artifacts": st.lists(json_objects, max_size=2),
        "children": st.just([]) | st.none(),
        "Depth": st.just("9"),
        "content-type": wild_text,
    },
)


@st.composite
def trees(draw: st.DrawFn) -> list[tuple[Json, int]]:
    depth = -1
    out: list[tuple[Json, int]] = []
    for value in draw(st.lists(_members, min_size=1, max_size=6)):
        depth = draw(st.integers(0, depth + 1))
        out.append((value, depth))
    return out


@given(tree=trees())
def test_any_comments_survive_exactly(tree: list[tuple[Json, int]]) -> None:
    raw = rendered(tree)
    found = cut_text(raw)
    assert found.problems == []
    for (wanted, depth), piece in zip(tree, found.pieces, strict=True):
        assert isinstance(wanted, dict)
        assert isinstance(piece.value, dict)
        assert piece.depth == depth
        assert wanted.keys() == piece.value.keys()
        assert all(is_same(item, piece.value[key]) for key, item in wanted.items())
    assert rendered(values(raw)) == rendered(values(rendered(values(raw))))


@given(tree=trees())
def test_stdlib_email_finds_headers_and_bodies(tree: list[tuple[Json, int]]) -> None:
    message = email.message_from_bytes(rendered(tree))
    assert message.is_multipart()
    parts = [part for part in message.get_payload() if isinstance(part, email.message.Message)]
    comments = [part for part in parts if part["Depth"] is not None]
    assert all(not part.is_multipart() and not part.defects for part in parts)
    for (wanted, depth), part in zip(tree, comments, strict=True):
        assert isinstance(wanted, dict)
        assert part["Depth"] == str(depth)
        assert part["Id"] is None or part["Id"] == wanted["id"]
        assert part["User-Id"] is None or part["User-Id"] == wanted["userId"]
        said = wanted.get("content")
        assert _body(part) == (said if isinstance(said, str) else "")


def _body(part: email.message.Message) -> str:
    raw = part.get_payload(decode=True)
    assert isinstance(raw, bytes)
    if part.get_content_type() == "application/json":
        return str(json.loads(raw))
    return raw.decode(part.get_content_charset() or "ascii")


def test_value_that_is_not_a_comment_is_kept_in_its_place() -> None:
    comments: list[tuple[Json, int]] = [
        ({"id": "a", "content": "x", "attachments": [], "children": []}, 0),
        (["not", {"a": None}], 1),
        ({"id": "b", "content": "y", "attachments": [], "children": []}, 1),
    ]
    raw = rendered(comments)
    assert values(raw) == comments
    assert outline(document(raw)) == [(None, "a", "x"), ("a", "b", "y")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'boundary="talktree-', b'boundary="talktrea-'),
        (b"Studio-Text: 1", b"Studio-Tex: 1"),
        (b"MIME-Version: 1.0\n", b"\0\0\n"),
        (b'boundary="', b"boundary"),
    ],
)
def test_damaged_first_headers_cost_nothing(old: bytes, new: bytes) -> None:
    raw = (DATA / "studio-text/good/harbour.text").read_bytes()
    assert values(raw.replace(old, new, 1)) == values(raw)


def test_a_damaged_header_costs_no_message_and_is_reported() -> None:
    raw = rendered([(QUAY, 0), ({**QUAY, "id": "2", "content": "Because of it."}, 1)])
    first = raw.index(b"\n--talktree-") + 1
    # After the last header, a line that is not a header is read as text.
    lines = raw[first : raw.index(b"The north quay.")].splitlines(keepends=True)[1:-2]
    for number, line in enumerate(lines):
        at = first + raw[first:].index(line)
        for damaged in (b"\x01" + line, line.replace(b":", b'":', 1), line.replace(b":", b"", 1)):
            text = raw[:at] + damaged + raw[at + len(line) :]
            read = document(text)
            shown = [message.text for message in read.conversation.messages()]
            assert shown == ["The north quay.", "Because of it."], (number, damaged)
            assert written(read) == text
            assert "odd-header" in {finding.name for finding in read.findings}, damaged


def test_an_edit_keeps_a_damaged_header() -> None:
    found = document(rendered([(QUAY, 0)]).replace(b"User-Id:", b'User-Id":'))
    out = written(found.with_conversation(edit.set_text(found.conversation, "1", "The south.")))
    assert b'\nUser-Id": mara\n' in out
    assert outline(document(out)) == [(None, "1", "The south.")]


def test_boundary_occurs_in_no_content() -> None:
    comments: list[tuple[Json, int]] = [({"id": "a", "content": "x"}, 0)]
    name = cut_text(rendered(comments)).root.decode()
    quoting: list[tuple[Json, int]] = [({"id": "a", "content": f"x\n--{name}\n--{name}--\n"}, 0)]
    raw = rendered(quoting)
    assert cut_text(raw).root != name.encode()
    assert values(raw) == quoting


@pytest.mark.parametrize("half", ["", "\ud83c", "\r"])
def test_edit_that_quotes_the_boundary_of_its_file_survives(half: str) -> None:
    raw = rendered([({"id": "a", "content": "x"}, 0), ({"id": "b", "content": "y"}, 1)])
    name = cut_text(raw).root.decode()
    text = f"\talktree\n--{name}\n--{name}--\n{half}"
    found = document(raw)
    out = written(found.with_conversation(edit.set_text(found.conversation, "a", text)))
    assert outline(document(out)) == [(None, "a", text), ("a", "b", "y")]
    assert out.count(name.encode()) == raw.count(name.encode())


def test_edit_in_our_dialect_changes_one_part() -> None:
    path = DATA / "studio-text/good/harbour.text"
    raw = path.read_bytes()
    found = read_document(load(path), FORMAT)
    ids = [id for _, id, _ in outline(found)]
    out = written(found.with_conversation(edit.set_text(found.conversation, ids[1], "Neither.")))
    name = b"--" + cut_text(raw).root
    before, after = raw.split(name), out.split(name)
    assert [at for at, (one, two) in enumerate(zip(before, after, strict=True)) if one != two] == [
        3
    ]
    assert b"\n\nNeither.\n" in after[3]


def test_file_that_went_through_mail_reads_the_same() -> None:
    raw = (DATA / "studio-text/good/harbour.text").read_bytes()
    assert [value for value, _ in values(raw.replace(b"\n", b"\r\n"))] == [
        value for value, _ in values(raw)
    ]


def test_long_chain_neither_recurses_nor_overflows_mail() -> None:
    chain: list[tuple[Json, int]] = [
        ({"id": f"m{number}", "content": str(number), "attachments": [], "children": []}, number)
        for number in range(3000)
    ]
    raw = rendered(chain)
    assert values(raw) == chain
    message = email.message_from_bytes(raw)
    assert len(message.get_payload()) == len(chain)
    found = document(raw)
    moved = edit.move(found.conversation, "m1500", to="m0")
    again = document(written(found.with_conversation(moved))).conversation
    assert again["m1500"].parent == "m0"
    assert again["m2999"].parent == "m2998"


def test_new_file_starts_from_nothing() -> None:
    found = document(b"")
    assert found.conversations == ()
    made = b"".join(FORMAT.blank_sheet("x.text").rewrite([]))
    assert made == b""


def test_text_without_comments_is_kept_and_not_added_to() -> None:
    found = document(b"just some words\n")
    assert [each.name for each in found.findings] == ["odd-header"]
    entry = Message(id="a", role="user", parts=(Text("x"),))
    with pytest.raises(DamagedRecord):
        written(found.with_conversation(edit.append(found.conversation, entry)))


@pytest.mark.parametrize(
    "raw",
    [
        b"From: a@example.org\nTo: b@example.org\nSubject: hi\n\nUser-Id: 1\n",
        b'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="x"\n\n--x\n'
        b"Content-Type: text/plain\n\nhello\n--x--\n",
        b"-- \nRegards\n",
        b"Studio-Text: a note about it\n\nand no more\n",
        b"--\nUser-Id: x\n",
        b"",
    ],
)
def test_ordinary_mail_and_text_are_not_claimed(raw: bytes) -> None:
    assert FORMAT.detect(Probe(Source.of_bytes(raw, name="mail.eml"))) is None
