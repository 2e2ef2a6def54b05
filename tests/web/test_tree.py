"""The folded tree: every message in one run, however deep or wide it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from talktree.text.times import SECOND, to_iso
from talktree.web.documents.cache import DocumentCache, OpenConversation
from talktree.web.documents.graph import get_graph, get_segments
from tests.web.caches import Talk, make_cache
from tests.web.running import Running

MANY = 12_000


def line(id: str, parent: str | None, second: int) -> str:
    """Return a prompt."""
    return json.dumps(
        {
            "type": "user",
            "uuid": id,
            "parentUuid": parent,
            "sessionId": "s",
            "timestamp": to_iso((1_760_000_000 + second) * SECOND),
            "message": {"role": "user", "content": id},
        }
    )


def opened(cache: DocumentCache) -> OpenConversation:
    """Return the only conversation."""
    return cache.open("1")


@pytest.mark.parametrize("seed", range(5))
def test_every_message_is_in_one_run(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(Talk(seed).lines(150)) + "\n")
    with make_cache(tmp_path / "library", [path]) as cache:
        here = opened(cache)
        graph, segments = get_graph(here), get_segments(here)
        members = [segments.list_members(number) for number in range(graph.total)]
        assert sorted(each for run in members for each in run) == sorted(
            here.conversation.tree.order
        )
        assert [len(run) for run in members] == [each.messages for each in graph.segments]
        firsts = {each.first for each in graph.segments}
        assert all(each.parent is None or each.parent in firsts for each in graph.segments)
        leaves = {each.leaf for each in graph.segments}
        assert {each.leaf for each in here.conversation.branches()} <= leaves
        current = [each for each in graph.segments if each.current]
        assert {each.leaf for each in current} == {here.leaf}


def test_a_deep_tree_is_one_run(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    parents = [None, *(f"m{number}" for number in range(MANY - 1))]
    path.write_text("\n".join(line(f"m{n}", up, n) for n, up in enumerate(parents)) + "\n")
    with make_cache(tmp_path / "library", [path]) as cache:
        graph = get_graph(opened(cache))
        assert (graph.total, graph.segments[0].messages) == (1, MANY)
        assert graph.segments[0].roles == "u" * 200
        assert len(opened(cache).get_rows()) == MANY


def test_a_wide_tree_is_reported_up_to_the_drawable_size(tmp_path: Path) -> None:
    path = tmp_path / "wide.jsonl"
    wide = (line(f"m{n}", "m0" if n else None, n) for n in range(MANY))
    path.write_text("\n".join(wide) + "\n")
    with make_cache(tmp_path / "library", [path]) as cache:
        here = opened(cache)
        graph = get_graph(here)
        assert graph.total == MANY
        assert len(graph.segments) == 5_000
        reported = {each.first for each in graph.segments}
        assert {here.leaf, "m0"} <= reported
        assert len(here.get_rows()) == 2


def test_a_run_is_reported_in_ranges(seen: Running) -> None:
    for card in seen.get("/conversations")["cards"]:
        base = f"/c/{card['cid']}"
        for segment in seen.get(f"{base}/graph")["segments"]:
            whole = seen.get(f"{base}/run", first=segment["first"])
            assert whole["nodes"][0]["id"] == segment["first"]
            assert len(whole["nodes"]) == min(100, whole["total"])
            part = seen.get(f"{base}/run", first=segment["first"], limit=2, **{"from": 1})
            assert part["nodes"] == whole["nodes"][1:3]
