"""Whatever is converted into message files, a strict reader of their document takes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from talktree.model.entries import Entry
from tests.convert.chatbuilder_reader import folders
from tests.convert.foreign import (
    Files,
    again,
    every_sample,
    files_of,
    random_talks,
    sample,
    talk_of,
    with_and_without_carry,
)


def _same_texts(files: Files) -> None:
    """The document's reading of every file is ours."""
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
