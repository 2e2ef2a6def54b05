"""Every conversion to message files is accepted by a strict reader of their document."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.conversion.fit import fit_message
from talktree.conversion.losses import LossReport
from talktree.formats import get_format
from talktree.formats.chatbuilder import lens_embedded as carrying
from talktree.formats.chatbuilder.parse import parse_layout
from talktree.formats.format import ConversationInfo, Record
from talktree.model.entries import Entry, Head
from talktree.model.message import Author, Message
from talktree.model.parts import Text, ToolCall
from talktree.testing.strategies import messages, uuids, wild_json, wild_text
from talktree.text.json.decode import decode
from talktree.text.json.encode import encode_json
from talktree.text.json.value import Json, is_same
from tests.conversion.chatbuilder_reader import File, folders
from tests.conversion.foreign import (
    Files,
    again,
    details,
    every_sample,
    files_of,
    random_talks,
    sample,
    talk_of,
    with_and_without_carry,
)
from tests.talk import at, reply, said

CHATBUILDER = get_format("chatbuilder")
ABOUT = ConversationInfo(id="talk", session="6f1a8b34-52c7-4a7e-9f0d-3b7c5a2e9d10")
CARRIED: Json = {"of": "x", "text": "\n\n\n; role: user\n\ud83c"}


def _same_texts(files: Files) -> None:
    """Assert that the document's reading of every file is the same as ours."""
    ours = [
        [message.text for message in conversation.messages()]
        for conversation in again(files, "chatbuilder").conversations
    ]
    theirs = [[file.content for file in inside] for inside in folders(files).values()]
    assert sorted(texts for texts in ours if texts) == sorted(theirs)


@every_sample("chatbuilder")
@with_and_without_carry
def test_every_sample_becomes_files_a_strict_reader_takes(
    slug: str, path: Path, *, carry: bool
) -> None:
    _same_texts(files_of(sample(slug, path), "chatbuilder", carry=carry))


@given(listed=random_talks, carry=st.booleans())
def test_any_conversation_becomes_files_a_strict_reader_takes(
    listed: Sequence[Entry], *, carry: bool
) -> None:
    _same_texts(files_of(talk_of(listed), "chatbuilder", carry=carry))


@given(message=messages, id=uuids)
def test_adopted_entries_are_read_back_unchanged(message: Message, id: str) -> None:
    draft = fit_message(message, CHATBUILDER, extra=False).message
    made = CHATBUILDER.adopt(replace(draft, id=id), ABOUT, moment=at(0))
    seen = CHATBUILDER.get(Record(CHATBUILDER.put(made, None), parent=made.parent))
    assert seen == made
    assert CHATBUILDER.adopt(made, ABOUT, moment=at(5)) == made


def files(*listed: Entry, loss_report: LossReport | None = None) -> list[File]:
    """Return a conversation as the files that a strict reader sees."""
    made = files_of(talk_of(listed), "chatbuilder", carry=False, loss_report=loss_report)
    (found,) = folders(made).values()
    return found


# texts


@given(texts=st.lists(wild_text, min_size=1, max_size=4))
def test_every_text_comes_back_as_one_message(texts: list[str]) -> None:
    listed = [said(f"m{at}", f"m{at - 1}" if at else None) for at in range(len(texts))]
    listed = [replace(each, parts=(Text(text),)) for each, text in zip(listed, texts, strict=True)]
    expected = [
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts
    ]
    assert [file.content for file in files(*listed)] == expected


def test_halves_of_characters_are_replaced_and_reported() -> None:
    loss_report = LossReport()
    (found,) = files(said("a", text="x\ud83cy\udcff"), loss_report=loss_report)
    assert found.content == "x\ufffdy\ufffd"
    assert "text" in details(loss_report)


def test_parts_that_are_no_text_are_shown_in_it() -> None:
    loss_report = LossReport()
    parts = (Text("Look:"), ToolCall("bash", {"command": "ls"}))
    (found,) = files(reply("a", parts=parts), loss_report=loss_report)
    assert found.content == 'Look:\n\n**Call: bash**\n- command: "ls"'
    assert {"tool_call", "text"} <= details(loss_report)


# the header


def test_a_file_has_the_form_of_the_document() -> None:
    talk = talk_of(
        [said("a", text="# Tides\nWhen?", time_ns=at(0), authors=(Author("Mira", "1.0.0"),))]
    )
    (data,) = files_of(talk, "chatbuilder", carry=False).values()
    id = folders({"1.md": data})[""][0].fields["Block-UUID"]
    assert (
        data.decode()
        == f"""\
; Block-UUID: {id}
; Component: UserMessage
; Version: 1.0.0
; Description: Tides
; Language: markdown
; Created-at: 2026-03-01T00:00:00.000Z
; Authors: Mira (v1.0.0)
;
; role: user


# Tides
When?"""
    )


def test_missing_values_are_filled_in_the_same_each_time() -> None:
    first, second = files(said("a", time_ns=at(2)), reply("b", "a"))
    assert second.fields["Created-at"] == first.fields["Created-at"]
    assert second.fields["Authors"] == "Unknown"
    assert files(said("a"))[0].fields["Created-at"].startswith("1970-01-01T00:00")
    document = talk_of([said("a"), reply("b", "a")])
    assert files_of(document, "chatbuilder") == files_of(document, "chatbuilder")


@pytest.mark.parametrize(
    ("author", "line", "loses"),
    [
        (Author("Claude 3.7 - Sonnet", "1.0.0"), "Claude 3.7 - Sonnet (v1.0.0)", False),
        (Author("Mira\n\n\n; role: system"), "Mira ; role: system", True),
        (Author("Doe, Jane"), "Doe; Jane", True),
        (Author("Mira (v2)"), "Mira [v2]", True),
        (Author("Mira (Ops)"), "Mira (Ops)", False),
        (Author("Mira ("), "Mira [", True),
        (Author("Mira", "one two"), "Mira", True),
        (Author("  "), "Unknown", True),
        (Author("a\u2028b\ud83c"), "a b", True),
    ],
)
def test_authors_are_named_as_one_line_can(author: Author, line: str, *, loses: bool) -> None:
    loss_report = LossReport()
    (found,) = files(said("a", text="hi", authors=(author,)), loss_report=loss_report)
    assert (found.fields["Authors"], found.content) == (line, "hi")
    assert ("authors" in details(loss_report)) == loses


def test_one_odd_author_does_not_swallow_the_next() -> None:
    authors = (Author("Mira ("), Author("\n"), Author("Olu", "2"))
    (found,) = files(said("a", authors=authors))
    assert found.fields["Authors"] == "Mira [, Olu (v2)"


# the folder


def test_a_title_is_the_label_of_the_folder() -> None:
    talk = talk_of([said("a"), Head(title="Tides \ud83c")])
    made = files_of(talk, "chatbuilder", carry=False)
    assert list(made) == ["config.json", "1.md"]
    assert json.loads(made["config.json"]) == {"label": "Tides \ufffd"}
    assert again(made, "chatbuilder").conversation.title == "Tides \ufffd"
    assert list(files_of(talk_of([said("a")]), "chatbuilder", carry=False)) == ["1.md"]


def test_every_message_has_the_number_of_its_place() -> None:
    listed = [said(f"m{at}", f"m{at - 1}" if at else None) for at in range(12)]
    assert [file.content for file in files(*listed)] == [f"m{at}" for at in range(12)]


# embedded source data


def _lines(text: str) -> str:
    return text.replace("\n", "\r\n")


_headers = st.sampled_from(
    [
        "",
        "; role: user\n\n\n",
        "; role: user\n\n",
        "; role: user",
        "role: assistant\n\n\n",
        "; Block-UUID: 1\n; Language: markdown\n;\n; role: user\n\n\n",
        "; role: user\n; visibility: public\n\n\n",
        "; Language: markdown\n; half a sentence\n\n\n",
        "<!--\nBlock-UUID: 1\nrole: user\n-->\n\n\n",
        "<!--\nComponent: x\n-->\n",
        "<!--\nComponent: x\n-->\n; role: user\n\n\n",
        "32d9afc7-aeac-4a67-ba94-0c92678604a1\n; role: user\n\n\n",
        "\ufeff; role: user\n\n\n",
        "\n\n; role: user\n\n\n",
    ]
)
_texts = st.builds(str.__add__, _headers | _headers.map(_lines), wild_text)


@given(text=_texts, carried=st.dictionaries(wild_text, wild_json, max_size=3))
def test_any_file_returns_its_embedded_data_and_itself(text: str, carried: Json) -> None:
    found, left = carrying.extract_source(carrying.embed_source(text, carried))
    assert left == text
    assert is_same(found, decode(encode_json(carried)).value)


@given(text=_texts)
def test_a_file_with_embedded_data_reads_the_same(text: str) -> None:
    layout = parse_layout(text)
    assume(layout.has_separator or not layout.lines)
    before = CHATBUILDER.get(Record(text))
    after = CHATBUILDER.get(Record(carrying.embed_source(text, CARRIED)))
    assert isinstance(before, Message)
    assert isinstance(after, Message)
    extra = {key: item for key, item in after.extra.items() if key != carrying.KEY}
    assert replace(after, extra=extra) == before


@pytest.mark.parametrize("line", ["; X-Talktree: nonsense", "; X-Talktree: [1]", "; X-Talktree:"])
def test_a_line_without_embedded_data_stays_in_the_file(line: str) -> None:
    text = f"{line}\n; role: user\n\n\nhi"
    assert carrying.extract_source(text) == (None, text)


def test_text_that_only_looks_like_the_embedded_line_is_text() -> None:
    text = '; role: user\n\n\n; X-Talktree: {"of": "x"}'
    assert carrying.extract_source(text) == (None, text)
