"""What a format adopts is read again just as it was adopted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from talktree import api
from talktree.conversion.about import about
from talktree.conversion.fit import drafted
from talktree.conversion.ids import id_for
from talktree.conversion.surrogates import as_written
from talktree.errors import TalktreeError
from talktree.formats import by_slug
from talktree.formats.engine import read
from talktree.formats.format import Format, Record
from talktree.model.conversation import Conversation
from talktree.model.message import Message
from talktree.text.times import is_ambiguous
from tests.conversion.trips import SLUGS, Files, golden, native_files

RULES = Path(__file__).parent.parent / "data" / "rules"
MOMENT = 1_700_000_000_000_000_000


def check(conversation: Conversation, message: Message, target: Format) -> None:
    """Adopt a message, write it, read it."""
    told = about(conversation, target)
    id = id_for(message.id, conversation.id, target)
    draft = drafted(message, target, extra=False, id=id, parent=None, follows=None).message
    adopted = target.adopt(draft, told, moment=MOMENT)
    value = target.put(adopted, None)
    if as_written(value) is value and not is_ambiguous(adopted.time_ns):
        assert target.get(Record(value)) == adopted


@pytest.mark.parametrize("target", SLUGS)
def test_golden_messages(target: str) -> None:
    assert by_slug(target).faithful
    for source in SLUGS:
        for _, files in golden(source):
            for conversation in read(files, by_slug(source)).conversations:
                for message in conversation.messages():
                    check(conversation, message, by_slug(target))


@pytest.mark.parametrize("target", SLUGS)
def test_messages_with_findings(target: str) -> None:
    checked = 0
    for path in sorted(RULES.glob("*/bad*/*")):
        try:
            document = api.read(path)
        except TalktreeError:
            continue
        for conversation in document.conversations:
            for message in conversation.messages():
                check(conversation, message, by_slug(target))
                checked += 1
    assert checked > 300


@pytest.mark.parametrize("target", SLUGS)
@given(data=native_files())
def test_random_messages(target: str, data: bytes) -> None:
    for conversation in Files({"c.jsonl": data}, folder=False).read_as("native").conversations:
        for message in conversation.messages():
            check(conversation, message, by_slug(target))
