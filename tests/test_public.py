"""The public names of `import talktree`."""

from __future__ import annotations

from pathlib import Path

import pytest

import talktree

SAMPLE = Path(__file__).parent / "data" / "claude-messages" / "good" / "tools-and-branches.jsonl"


@pytest.mark.parametrize("name", talktree.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(talktree, name) is not None
    assert name in dir(talktree)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = talktree.nothing


def test_read_walk_and_write(tmp_path: Path) -> None:
    document = talktree.read(SAMPLE)
    conversation = document.conversation
    assert [branch.kind for branch in conversation.branches()] == ["active", "sidechain", "fork"]
    assert [message.id for message in conversation.path("m12")][-3:] == ["m10", "m11", "m12"]
    assert len(conversation.tree) == 17
    assert talktree.write(document, tmp_path / "copy.jsonl") == [tmp_path / "copy.jsonl"]
    assert (tmp_path / "copy.jsonl").read_bytes() == SAMPLE.read_bytes()


def test_failures_are_one_family(tmp_path: Path) -> None:
    with pytest.raises(talktree.TalktreeError) as caught:
        talktree.read(tmp_path / "gone")
    assert caught.value.hint
