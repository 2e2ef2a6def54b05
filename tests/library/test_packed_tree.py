"""The packed tree agrees with the model's tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.files import Source, load
from talktree.formats.claude_code import FORMAT
from talktree.formats.engine import read_document
from talktree.library.extract import claude_code
from talktree.library.extract.duplicate_records import make_reader
from talktree.library.extract.packed_tree import PackedTree
from talktree.model.conversation import Conversation
from tests.library import made
from tests.library.reading_sessions import Line, encoded
from tests.library.test_reading_claude_code import FILES

IDS = st.sampled_from([f"id-{number}" for number in range(7)])
NODES = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["user", "assistant", "progress"]),
            "uuid": IDS,
            "parentUuid": st.none() | IDS,
            "isSidechain": st.sampled_from([False, False, False, True]),
            "timestamp": st.sampled_from(["2026-03-02T09:00:00.000Z", "2026-03-02T09:00:01.000Z"]),
            "message": st.fixed_dictionaries(
                {"content": st.just("word"), "id": st.sampled_from(["m1", "m2", None])}
            ),
        },
        optional={
            "toolUseResult": st.just("done"),
            "logicalParentUuid": IDS,
            "isMeta": st.just(True),
        },
    ),
    max_size=14,
)
"""Few ids, so that forks, differing duplicates, loops and forward links are frequent."""


def rows(nodes: list[Line]) -> list[Line]:
    """Return the same with long plain rows between forks: every id is unique, most are children of
    the previous one."""
    for number, node in enumerate(nodes):
        asked = node["parentUuid"]
        node["uuid"] = f"n{number}"
        back = 1 if asked is None or int(asked[3:]) < 4 else int(asked[3:]) - 2
        node["parentUuid"] = f"n{number - back}" if number >= back else None
    return nodes


def again(nodes: list[Line]) -> list[Line]:
    """Return the same with some lines written twice, as some programs do."""
    return [*nodes[:8], *nodes[2:5], *nodes[8:], *nodes[:2]]


def shape_of(data: bytes) -> PackedTree:
    return PackedTree().with_links(claude_code.extract_claude_code(data).links, make_reader(data))


def is_main(talk: Conversation, position: int | None) -> bool:
    """Whether neither a record nor any of its ancestors is a sub-agent's."""
    while position is not None:
        if talk.skeleton.sidechain[position]:
            return False
        position = talk.tree.parent(position)
    return True


def assert_agrees(shape: PackedTree, talk: Conversation) -> None:
    """Assert that the leaf, the branches and the leaf's ancestors agree with the tree."""
    tree, skeleton = talk.tree, talk.skeleton
    nodes = [at for at, trait in enumerate(skeleton.traits) if trait or at in skeleton.copies]
    number = {position: place for place, position in enumerate(nodes)}
    assert len(shape) == len(nodes)
    leaf = tree.active_leaf()
    assert shape.leaves == ([] if leaf is None else [number[leaf]])
    kinds = [branch.kind for branch in tree.branches()]
    assert (shape.branches, shape.sidechains) == (
        len(kinds) - kinds.count("sidechain"),
        kinds.count("sidechain"),
    )
    reached = set() if leaf is None else {number[position] for position in tree.path(leaf)}
    reached |= {
        number[at] for at, original in skeleton.copies.items() if number[original] in reached
    }
    main = {
        place
        for position, place in number.items()
        if is_main(talk, skeleton.copies.get(position, position))
    }
    active = {place for place, is_active in enumerate(shape.find_active()) if is_active}
    assert active & main == reached & main
    assert reached <= active


@given(NODES | NODES.map(again) | NODES.map(rows))
def test_any_links_have_the_shape_the_tree_gives_them(nodes: list[Line]) -> None:
    data = b"".join(map(encoded, nodes))
    (talk,) = read_document(Source.of_bytes(data), FORMAT).conversations
    assert_agrees(shape_of(data), talk)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_have_the_shape_the_tree_gives_them(path: Path) -> None:
    (talk,) = read_document(load(path), FORMAT).conversations
    data = path.read_bytes()
    assert_agrees(shape_of(data if data.endswith(b"\n") else data + b"\n"), talk)


@given(NODES, st.integers(0, 14))
def test_an_extended_shape_equals_one_made_in_one_step(nodes: list[Line], cut: int) -> None:
    data = b"".join(map(encoded, again(nodes)))
    links, read = claude_code.extract_claude_code(data).links, make_reader(data)
    grown = PackedTree.unpack(PackedTree().with_links(links[:cut], read).pack()).with_links(
        links[cut:], read
    )
    whole = PackedTree().with_links(links, read)
    assert grown.pack() == whole.pack()
    assert grown.states == whole.states


def test_states_of_a_history(tmp_path: Path) -> None:
    """The third session: a reply on an abandoned branch, and a compaction."""
    truth = made.history(tmp_path)
    states: dict[str, str] = {}
    for path in truth.files:
        reported = claude_code.extract_claude_code(path.read_bytes())
        shape = PackedTree().with_links(reported.links)
        for piece in reported.pieces:
            states[piece.text] = shape.state_at(piece.at)
    assert states["An almanac in French?"] == "abandoned"
    assert states["東京の潮汐表を作りました。"] == "compacted"
    assert states["The person wants tide tables for Tokyo."] == "current"
    assert states["Conversation compacted"] == "current"
    assert states["Now the neap tides"] == "current"
    assert states["The wiring is sound."] == "current"
    assert set(states.values()) == {"current", "abandoned", "compacted"}


def test_a_summary_without_a_link_compacts_what_was_before() -> None:
    lines: list[Line] = [
        {"type": "user", "uuid": "a", "parentUuid": None, "message": {"content": "before"}},
        {"type": "user", "uuid": "b", "parentUuid": "a", "message": {"content": "before, too"}},
        {
            "type": "user",
            "uuid": "c",
            "parentUuid": None,
            "isCompactSummary": True,
            "message": {"content": "in short"},
        },
        {"type": "user", "uuid": "d", "parentUuid": "c", "message": {"content": "after"}},
    ]
    shape = shape_of(b"".join(map(encoded, lines)))
    assert list(shape.states) == [2, 2, 0, 0]
    assert shape.number_at(1) is None
    assert shape.state_at(1) == "current"


def test_counts(tmp_path: Path) -> None:
    session = made.small(tmp_path)
    session.fail()
    shape = shape_of(session.bytes())
    assert (shape.messages, shape.branches, shape.sidechains, shape.errors) == (5, 1, 0, 1)
    assert PackedTree().branches == 0
    assert PackedTree().states == b""
