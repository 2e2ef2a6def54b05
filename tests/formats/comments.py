"""Helpers that open and save Conversation Studio files in one line."""

from __future__ import annotations

from talktree.files import Source
from talktree.formats.engine import read_document
from talktree.formats.format import Record
from talktree.formats.studio import FORMAT
from talktree.formats.studio.lens import get
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.testing import contract

NAME = "talk.json"


def opened(raw: bytes) -> tuple[Document, Conversation]:
    document = read_document(Source.of_bytes(raw, name=NAME), FORMAT)
    return document, document.conversations[0]


def saved(document: Document, conversation: Conversation) -> bytes:
    return contract.write_files(document.with_conversation(conversation))[NAME]


def texts(raw: bytes) -> list[tuple[str, str | None, str]]:
    return [(each.id, each.parent, each.text) for each in opened(raw)[1].messages()]


def comment(**members: object) -> Record:
    value = {"id": "c", "content": "hello", "children": [], **members}
    return Record(value, id="c")  # type: ignore[arg-type]


def message(record: Record) -> Message:
    entry = get(record)
    assert isinstance(entry, Message)
    return entry
