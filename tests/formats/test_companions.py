"""The files that belong to another file, as formats define it."""

from __future__ import annotations

from pathlib import Path

from talktree.files import load
from talktree.formats.companions import find_companion_paths
from tests.companion_samples import FILES, OF_ONE, OF_TWO, ONE, TWO, write


def test_companions_are_not_separate_sources_in_a_walk(tmp_path: Path) -> None:
    folder = write(tmp_path / "project", FILES)
    mine = {path for path in (*OF_ONE, *OF_TWO) if path not in (f"{ONE}.jsonl", f"{TWO}.jsonl")}
    assert find_companion_paths(load(folder).files) == mine
