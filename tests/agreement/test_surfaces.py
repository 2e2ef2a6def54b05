"""Lists, transcripts, trees, statistics, tables and the studio agree on every number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import talktree
from tests.agreement import surfaces
from tests.agreement.populations import MADE, given, lay_out
from tests.web.running import Running, running

NAMES = [*given(), *MADE]
NO_CONVERSATION = {"run"}
"""Rows of the list that only say why a file could not be read: a recording of another kind."""
NO_BYTES = ("claude-code-bad-strangers", "empty")
"""A file without a byte among others is kept, but it is not a conversation."""
WITH_AGENTS = ("agents", "claude-code-good-project")
"""The studio opens the file of a session alone; its card counts the sub-agents, too."""


class World:
    """All populations in one library, and a studio that shows it."""

    def __init__(self, paths: dict[str, Path], studio: Running) -> None:
        self.paths = paths
        self.studio = studio
        self.root = studio.studio.desk.root
        self.listed = surfaces.listed(self.root)
        self.cards = surfaces.cards(studio)


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    root = tmp_path_factory.mktemp("agreement").resolve()
    paths = lay_out(root)
    with running([root]) as studio:
        yield World(paths, studio)


def _read(path: Path) -> surfaces.Said:
    try:
        return surfaces.python(path)
    except talktree.TalktreeError:
        return {}


def _without(found: dict[str, surfaces.Facts], ids: set[str]) -> dict[str, surfaces.Facts]:
    return {id: facts for id, facts in found.items() if id not in ids}


@pytest.mark.parametrize("name", NAMES)
def test_a_file_has_the_same_numbers_everywhere(name: str, world: World) -> None:
    path = world.paths[name]
    read = _read(path)
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
    for id, card in surfaces.below(world.cards, world.paths[name]).items():
        if id in NO_CONVERSATION or name in WITH_AGENTS:
            continue
        cid = str(card.pop("cid"))
        opened, header = surfaces.header(world.studio, cid)
        card["branches listed"] = card["branches"]
        assert surfaces.disagreements({"card": {id: card}, "header": {opened: header}}) == []


def test_totals_of_files_are_sums_over_their_conversations(world: World) -> None:
    for path in world.paths.values():
        read = _read(path)
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
