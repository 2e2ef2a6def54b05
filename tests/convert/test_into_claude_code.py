"""Sessions made from other formats are sessions Claude Code takes and goes on with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from msgspec.structs import replace

from talktree.convert.fit import drafted
from talktree.formats import by_slug
from talktree.formats.base import About, Record
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.testing import strategies
from tests.convert.claude_code_reader import faults
from tests.convert.foreign import (
    every_sample,
    files_of,
    random_talks,
    sample,
    talk_of,
    with_and_without_carry,
)

CLAUDE_CODE = by_slug("claude-code")
ABOUT = About(id="talk", session="3f1c1c3e-7a55-4d0c-9d6e-0a5d6f0b7c11")


@every_sample("claude-code")
@with_and_without_carry
def test_every_sample_becomes_a_session(slug: str, path: Path, *, carry: bool) -> None:
    for file, data in files_of(sample(slug, path), "claude-code", carry=carry).items():
        assert faults(data) == [], file
        named = {json.loads(line).get("sessionId") for line in data.splitlines()}
        assert named <= {file.removesuffix(".jsonl"), None}


@given(listed=random_talks)
def test_any_conversation_becomes_a_session(listed: Sequence[Entry]) -> None:
    for carry in (True, False):
        for data in files_of(talk_of(listed), "claude-code", carry=carry).values():
            assert faults(data, pairs=False) == []


@given(message=strategies.messages)
def test_a_message_taken_in_is_read_as_it_was_made(message: Message) -> None:
    draft = drafted(message, CLAUDE_CODE, extra=False).message
    made = CLAUDE_CODE.adopt(replace(draft, id="x"), ABOUT, moment=1)
    seen = CLAUDE_CODE.get(Record(CLAUDE_CODE.put(made, None), parent=made.parent))
    assert seen == made
    assert CLAUDE_CODE.adopt(made, ABOUT, moment=2) == made
