"""Samples of Sage sessions, and helpers to read and change them."""

from __future__ import annotations

from talktree.files import Source
from talktree.formats.engine import read_document
from talktree.formats.sage import FORMAT
from talktree.model import edit
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.testing.contract import write_files
from talktree.text.json.decode import decode
from talktree.text.json.value import Json
from tests.formats.cases import DATA

DOCUMENT = DATA / "sage" / "document"
"""The examples of the format's document, verbatim."""
TIDES = DATA / "sage" / "good" / "session-tide-table"
PROGRAM = DATA / "sage" / "good" / "as-the-program-writes.jsonl"
LEGACY = DATA / "sage" / "good" / "legacy-session.json"
MANY = DATA / "sage" / "good" / "two-sessions"


def of_text(text: str, *, name: str = "messages.jsonl") -> Document:
    """Return the document in a file with this text."""
    return read_document(Source.of_bytes(text.encode(), name=name), FORMAT)


def only(text: str, *, name: str = "messages.jsonl") -> Entry:
    """Return the only entry."""
    (entry,) = of_text(text, name=name).conversation.entries
    return entry


def message_in(text: str) -> Message:
    """Return the only message."""
    found = only(text)
    assert isinstance(found, Message)
    return found


def lines_of(document: Document, path: str) -> list[dict[str, Json]]:
    """Return the lines of a file as it would be written."""
    found = [decode(line).value for line in write_files(document)[path].splitlines()]
    return [value for value in found if isinstance(value, dict)]


def appended(conversation: Conversation, document: Document, entry: Entry) -> Document:
    """Return the document with one more entry."""
    return document.with_conversation(edit.append(conversation, entry))
