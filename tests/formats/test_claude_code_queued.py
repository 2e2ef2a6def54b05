"""Prompts typed while Claude Code works are lines of another type."""

from __future__ import annotations

from pathlib import Path

import pytest

from talktree import api
from talktree.files import Source
from talktree.formats.claude_code.detect import ClaudeCodeDialect
from talktree.formats.claude_code.lens import get
from talktree.formats.claude_code.write import put
from talktree.formats.format import Record
from talktree.model import edit
from talktree.model.message import Message
from talktree.model.outline import Trait
from talktree.model.parts import Attachment, Text
from talktree.text.json.encode import encode_json
from talktree.text.json.value import Json

FILE = Path(__file__).parent.parent / "data" / "claude-code" / "good" / "steered.jsonl"
TYPED = "and show overdue ones in red"


def line(**attached: Json) -> dict[str, Json]:
    return {"type": "attachment", "uuid": "q", "parentUuid": None, "attachment": attached}


def test_a_prompt_typed_meanwhile_is_a_message_of_the_user() -> None:
    conversation = api.read(FILE).conversation
    said = [message for message in conversation.path() if message.role == "user" and message.text]
    assert [message.text for message in said] == [
        "Sort the list by due date",
        TYPED,
        "like in this picture",
    ]
    assert isinstance(said[-1].parts[1], Attachment)
    assert [branch.kind for branch in conversation.branches()] == ["active"]


def test_changing_it_changes_its_words_where_they_are() -> None:
    document = api.read(FILE)
    typed = next(each for each in document.conversation.messages() if each.text == TYPED)
    changed = edit.set_text(document.conversation, typed.id, "and hide the rest")
    written = api.to_bytes(document.with_conversation(changed))[FILE.name]
    assert written == FILE.read_bytes().replace(
        b'"prompt":"' + TYPED.encode(), b'"prompt":"and hide the rest'
    )


@pytest.mark.parametrize(
    ("attached", "said"),
    [
        ({"type": "queued_command", "prompt": "go"}, True),
        ({"type": "queued_command", "prompt": "go", "origin": {"kind": "human"}}, True),
        ({"type": "queued_command", "prompt": [{"type": "text", "text": "go"}]}, True),
        ({"type": "queued_command", "prompt": "go", "origin": {"kind": "peer"}}, False),
        ({"type": "queued_command", "prompt": "go", "isMeta": True}, False),
        ({"type": "queued_command", "prompt": "go", "commandMode": "task-notification"}, False),
        ({"type": "queued_command", "prompt": [{"type": "tool_use", "name": "x"}]}, False),
        ({"type": "queued_command", "prompt": 7}, False),
        ({"type": "queued_command"}, False),
        ({"type": "todo_reminder", "content": "queued_command"}, False),
    ],
)
def test_only_what_a_person_typed_is_said(attached: dict[str, Json], said: bool) -> None:
    value = line(**attached)
    record = Record(value, encode_json(value), "", None, "", 0, (), True)
    entry = get(record)
    assert isinstance(entry, Message)
    assert (entry.role, bool(entry.parts)) == (("user", True) if said else ("attachment", False))
    for found in (ClaudeCodeDialect().skim(encode_json(value)), ClaudeCodeDialect().outline(value)):
        assert found.role == entry.role
        assert found.trait == (Trait.SAID if said else Trait.NOTE)
    assert put(entry, record) == value


def test_others_get_the_words() -> None:
    made = api.convert_document(api.read(FILE), to="chatbuilder").files
    assert any(TYPED in b"".join(pieces).decode() for pieces in made.values())


def test_a_reply_to_it_is_an_ordinary_line() -> None:
    document = api.read(FILE)
    typed = next(each for each in document.conversation.messages() if each.text == TYPED)
    reply = Message(id="1", parent=typed.id, role="user", parts=(Text("Stop."),))
    changed = document.with_conversation(edit.append(document.conversation, reply))
    again = api.read(Source.of_bytes(api.to_bytes(changed)[FILE.name], name=FILE.name))
    assert again.conversation["1"].text == "Stop."
