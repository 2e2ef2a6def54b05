"""What a format adopts is read back exactly as it was adopted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from talktree import api
from talktree.conversion.about import build_conversation_info
from talktree.conversion.fit import fit_message
from talktree.conversion.ids import make_target_id
from talktree.conversion.surrogates import join_surrogates
from talktree.errors import TalktreeError
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.formats.format import Format, Record
from talktree.model.conversation import Conversation
from talktree.model.message import Message
from talktree.text.times import is_ambiguous
from tests.conversion.trips import SLUGS, Files, golden, native_files

RULES = Path(__file__).parent.parent / "data" / "rules"
MOMENT = 1_700_000_000_000_000_000


def check(conversation: Conversation, message: Message, target: Format) -> None:
    """Adopt a message, write it and read it again."""
    reported = build_conversation_info(conversation, target)
    id = make_target_id(message.id, conversation.id, target)
    draft = fit_message(message, target, extra=False, id=id, parent=None, follows=None).message
    adopted = target.adopt(draft, reported, moment=MOMENT)
    value = target.put(adopted, None)
    if join_surrogates(value) is value and not is_ambiguous(adopted.time_ns):
        assert target.get(Record(value)) == adopted


@pytest.mark.parametrize("target", SLUGS)
def test_golden_messages(target: str) -> None:
    assert get_format(target).faithful
    for source in SLUGS:
        for _, files in golden(source):
            for conversation in read_document(files, get_format(source)).conversations:
                for message in conversation.messages():
                    check(conversation, message, get_format(target))


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
                check(conversation, message, get_format(target))
                checked += 1
    assert checked > 300


@pytest.mark.parametrize("target", SLUGS)
@given(data=native_files())
def test_random_messages(target: str, data: bytes) -> None:
    for conversation in Files({"c.jsonl": data}, folder=False).read_as("native").conversations:
        for message in conversation.messages():
            check(conversation, message, get_format(target))
