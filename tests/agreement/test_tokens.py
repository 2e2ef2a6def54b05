"""Files, library, tables and studio agree on replies and tokens."""

from __future__ import annotations

import pytest

from tests.agreement import surfaces
from tests.agreement.allowances import WITH_AGENTS
from tests.agreement.test_surfaces import NAMES
from tests.agreement.world import World, read_facts


@pytest.mark.parametrize("name", NAMES)
def test_a_conversation_has_the_same_tokens_everywhere(name: str, world: World) -> None:
    path = world.paths[name]
    if len(read_facts(path)) != 1 or name in WITH_AGENTS:
        return
    totals = surfaces.file_tokens([path])
    ((id, card),) = surfaces.below(world.cards, path).items()
    cid = str(card["cid"])
    tokens = {name: totals[name] for name in surfaces.TOKENS}
    assert surfaces.header_tokens(world.studio, cid) == tokens
    rows = [facts for key, facts in world.usage.items() if key == (int(cid.split(".")[0]), id)]
    assert rows == ([totals] if totals["replies"] else [])
    if card["branches"] == 1 and not card["sidechains"]:
        assert surfaces.branch_tokens(world.studio, cid) == tokens


def test_all_tokens_are_counted_once(world: World) -> None:
    counted = surfaces.file_tokens([world.folder])
    assert surfaces.library_tokens(world.root) == counted
    assert world.counted == counted
    overview = surfaces.overview_tokens(world.studio)
    assert overview == {name: counted[name] for name in surfaces.TOKENS}


def test_replies_in_pieces_copies_and_progress_lines_count_once(world: World) -> None:
    # Six replies: the unnamed one, msg_1 with 30 output tokens, and msg_2, 3, 5 and 6.
    expected = {"replies": 6, "input": 18, "cache_read": 600, "cache_write": 120}
    for name in ("replies", "gz"):
        assert surfaces.file_tokens([world.paths[name]]) == expected | {"output": 58}
    assert surfaces.file_tokens([world.paths["resumed"]])["output"] == 15 + 6
    assert surfaces.file_tokens([world.paths["sidechain"]])["output"] == 12 + 13


def test_copies_in_another_format_are_the_same_replies(world: World) -> None:
    both = [world.paths[name] for name in ("replies", "gz", "replies-converted")]
    assert surfaces.file_tokens(both)["output"] == 58
