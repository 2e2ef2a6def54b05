"""A walk through a conversation gives the same with and without cached records."""

from __future__ import annotations

from pathlib import Path

import pytest

from talktree import api
from talktree.export.choice import ExportOptions
from talktree.export.walk import ExportWalk, Stop
from talktree.model.link_repair import with_inferred_links

ROOT = Path(__file__).parent.parent.parent
SOURCES = (
    ROOT / "demo/claude-code.jsonl",
    ROOT / "demo/sage",
    ROOT / "tests/data/claude-code/good/project",
    ROOT / "tests/data/claude-code/good/one-session.jsonl",
)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_remembering_changes_nothing(source: Path) -> None:
    assert _stops(source, remembers=True) == _stops(source, remembers=False)


def test_visited_records_are_not_held_in_memory() -> None:
    (conversation,) = api.read(SOURCES[0]).conversations
    walk = ExportWalk(conversation, ExportOptions(), remembers=True)
    list(walk.iter_stops())
    assert not walk._known


def _stops(source: Path, *, remembers: bool) -> list[Stop]:
    return [
        stop
        for conversation in api.read(source).conversations
        for stop in ExportWalk(
            with_inferred_links(conversation), ExportOptions(), remembers=remembers
        ).iter_stops()
    ]
