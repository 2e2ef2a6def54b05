"""Lists, transcripts, trees, statistics, tables and the studio agree on every number."""

from __future__ import annotations

import pytest

from tests.agreement import surfaces
from tests.agreement.allowances import NO_BYTES, NO_CONVERSATION, WITH_AGENTS
from tests.agreement.populations import MADE, given
from tests.agreement.world import World, read_facts

NAMES = [*given(), *MADE]


def _without(found: dict[str, surfaces.Facts], ids: set[str]) -> dict[str, surfaces.Facts]:
    return {id: facts for id, facts in found.items() if id not in ids}


@pytest.mark.parametrize("name", NAMES)
def test_a_file_has_the_same_numbers_everywhere(name: str, world: World) -> None:
    path = world.paths[name]
    read = read_facts(path)
    if not read:
        assert not _without(surfaces.below(world.listed, path), NO_CONVERSATION)
        return
    said: dict[str, surfaces.Said] = {
        "read": read,
        "show --json": surfaces.show(path),
        "tree --json": surfaces.tree(path),
    }
    assert surfaces.disagreements(said) == []
    assert all(facts["roles in counts"] == facts["roles"] for facts in read.values())
    assert all(facts["on branches"] == facts["messages"] for facts in said["tree --json"].values())
    if name == NO_BYTES[0]:
        said = {"read": _without(dict(read), {NO_BYTES[1]})}
    said["list --json"] = _without(surfaces.below(world.listed, path), NO_CONVERSATION)
    said["cards"] = _without(surfaces.below(world.cards, path), NO_CONVERSATION)
    assert surfaces.disagreements(said) == []


@pytest.mark.parametrize("name", NAMES)
def test_an_open_conversation_has_the_numbers_of_its_card(name: str, world: World) -> None:
    for id, facts in surfaces.below(world.cards, world.paths[name]).items():
        if id in NO_CONVERSATION or name in WITH_AGENTS:
            continue
        opened, header = surfaces.header(world.studio, str(facts["cid"]))
        card = {**facts, "branches listed": facts["branches"]}
        assert surfaces.disagreements({"card": {id: card}, "header": {opened: header}}) == []


def test_totals_of_files_are_sums_over_their_conversations(world: World) -> None:
    for path in world.paths.values():
        read = read_facts(path)
        if read:
            assert surfaces.file_totals([path]) == surfaces.sums(list(read.values())), path


def test_totals_of_the_library_are_sums_over_its_list(world: World) -> None:
    rows = [facts for each in world.listed.values() for facts in each.values()]
    totals = surfaces.library_totals(world.root)
    for name in surfaces.COUNTS:
        assert totals[name] == sum(row[name] for row in rows), name
    unread = sum(id in NO_CONVERSATION for each in world.listed.values() for id in each)
    assert totals["conversations"] == len(rows) - unread
    roles = totals["roles"]
    assert sum(roles.values()) == totals["messages"]
    overview = surfaces.overview(world.studio)
    assert overview == {name: totals[name] for name in ("conversations", "messages")}
    about = world.studio.get("/about")["library"]
    assert about["conversations"] == totals["conversations"]


def test_the_table_of_messages_has_a_row_for_each_message(world: World) -> None:
    rows = surfaces.table(world.root)
    totals = surfaces.library_totals(world.root)
    assert sum(rows.values()) == totals["messages"]
    listed = {id for each in surfaces.listed(world.root, "--agents").values() for id in each}
    assert rows.keys() <= listed
