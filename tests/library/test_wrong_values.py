"""Wrong values are errors of the caller, not damage of the index."""

from __future__ import annotations

from pathlib import Path

import pytest

import talktree


def test_wrong_dates_and_ids_are_value_errors(tmp_path: Path) -> None:
    draft = talktree.new("claude-messages")
    draft.reply("One")
    draft.save(tmp_path / "c.jsonl")
    with talktree.open_library(tmp_path / "library") as library:
        assert str(tmp_path) in repr(library)
        library.import_([tmp_path / "c.jsonl"])
        with pytest.raises(ValueError, match="blah"):
            library.search("after:blah")
        with pytest.raises(ValueError, match="nobody"):
            library.read("nobody")
