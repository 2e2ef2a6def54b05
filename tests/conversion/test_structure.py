"""Messages added and deleted in another format are added and deleted in the source."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from talktree.api import to_bytes
from talktree.errors import TalktreeError
from talktree.formats import get_format
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.model import edit
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.model.parts import Text
from tests.conversion.trips import PAIRS, Files, golden, into

NEW = Message(
    id="0b6f6c0e-1c1e-4b7a-9d55-3f1f5f0c9a11",
    role="user",
    parts=(Text("A reply that was not there before"),),
    time_ns=1_800_000_000_000_000_000,
)
SINGLE = "single.md"
"""Formats in which a file is one message, so that a second one has no place in it."""


def raws(document: Document) -> list[bytes]:
    """Return the bytes of all records."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    return [sheet.record(at).raw for sheet in origin.sheets for at in range(len(sheet))]


def longest(document: Document) -> Conversation:
    """Return the conversation with most entries."""
    return max(document.conversations, key=len)


def back(changed: Document, there: Files, target: str, source: str, name: str) -> Document:
    """Return the restored source after an edit in the other format."""
    again = Files(to_bytes(changed), there.folder).read_as(target)
    made = into(again, source)
    return made.read_as(source, name) if made.files else read_nothing(source)


def read_nothing(source: str) -> Document:
    """Read a folder without files."""
    return Files({}, folder=True).read_as(source)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_new_message_arrives(source: str, target: str) -> None:
    for name, files in golden(source, "good"):
        document = read_document(files, get_format(source))
        there = into(document, target)
        other = there.read_as(target)
        conversation = longest(other)
        path = conversation.path()
        if not path or name == SINGLE:
            continue
        new = get_format(target).complete(replace(NEW, parent=path[-1].id))
        longer = other.with_conversation(edit.append(conversation, new))
        after = back(longer, there, target, source, files.name)
        old, found = raws(document), raws(after)
        assert len(found) == len(old) + 1, name
        said = [each for one in after.conversations for each in one.messages()]
        assert sum("A reply that was not there" in each.text for each in said) == 1


@pytest.mark.parametrize("which", [0, -1])
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_deleted_message_goes_alone(source: str, target: str, which: int) -> None:
    for name, files in golden(source, "good"):
        document = read_document(files, get_format(source))
        there = into(document, target)
        other = there.read_as(target)
        conversation = longest(other)
        said = [each for each in conversation.messages() if each.text.strip()]
        if len(said) < 2 or (which == 0 and get_format(target).keeper == "first"):
            # Where there are only messages, the first one keeps unattached records.
            continue
        try:
            shorter = other.with_conversation(edit.remove(conversation, [said[which].id]))
            after = back(shorter, there, target, source, files.name)
        except TalktreeError as error:
            pytest.fail(f"{name}: {error}")
        messages = sum(1 for each in document.conversations for _ in each.messages())
        left = sum(1 for each in after.conversations for _ in each.messages())
        assert left == messages - 1, name
