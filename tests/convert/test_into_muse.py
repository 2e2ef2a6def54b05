"""Whatever is converted into a Muse history, a strict reader of its document takes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from talktree.model.entries import Entry
from tests.convert.foreign import (
    every_sample,
    files_of,
    random_talks,
    sample,
    talk_of,
    with_and_without_carry,
)
from tests.convert.muse_reader import histories


@every_sample("muse")
@with_and_without_carry
def test_every_sample_becomes_histories_a_strict_reader_takes(
    slug: str, path: Path, *, carry: bool
) -> None:
    document = sample(slug, path)
    found = histories(files_of(document, "muse", carry=carry))
    assert len(found) == max(1, len(document.conversations))


@given(listed=random_talks, carry=st.booleans())
def test_any_conversation_becomes_a_history_a_strict_reader_takes(
    listed: Sequence[Entry], *, carry: bool
) -> None:
    histories(files_of(talk_of(listed), "muse", carry=carry))
