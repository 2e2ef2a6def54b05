"""The shape of trees: linear time, no recursion, exact children."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from talktree.model.outline import Trait
from talktree.model.skeleton import ROOT, Skeleton
from talktree.model.tree import Tree


def grown(parents: list[int | None], traits: list[int] | None = None) -> Tree:
    """Return a tree in which the parent of node n is the given earlier or later node."""
    skeleton = Skeleton()
    for number, parent in enumerate(parents):
        trait = Trait.SAID if traits is None else traits[number]
        skeleton.add(trait, f"n{number}", None if parent is None else f"n{parent}")
    skeleton.finish()
    return Tree(skeleton)


def test_deep_chain_is_one_line() -> None:
    tree = grown([None, *range(99_999)])
    assert len(tree.path(99_999)) == 100_000
    assert [branch.messages for branch in tree.branches()] == [100_000]


def test_wide_fan_is_as_many_branches() -> None:
    tree = grown([None, *([0] * 100_000)])
    branches = tree.branches()
    assert len(branches) == 100_000
    assert branches[0].leaf == "n100000"
    assert sum(branch.messages for branch in branches) == 100_001


@given(st.lists(st.integers(-1, 30), min_size=1, max_size=30))
def test_any_links_make_a_tree(links: list[int]) -> None:
    tree = grown([None if link < 0 else link for link in links])
    skeleton = tree.skeleton
    assert sorted(tree.order) == list(range(len(links)))
    for position in range(len(links)):
        here, steps = position, 0
        while here != ROOT:
            here, steps = skeleton.parents[here], steps + 1
            assert steps <= len(links)
        assert tree.path(position)[-1] == position
    assert sum(branch.messages for branch in tree.branches()) == len(links)


@given(st.lists(st.tuples(st.integers(-1, 20), st.integers(1, 4)), min_size=1, max_size=20))
def test_every_message_is_on_exactly_one_branch(nodes: list[tuple[int, int]]) -> None:
    parents = [None if link < 0 else link for link, _ in nodes]
    tree = grown(parents, [trait for _, trait in nodes])
    assert sum(branch.messages for branch in tree.branches()) == len(nodes)


def test_duplicate_and_missing_ids_get_aliases() -> None:
    skeleton = Skeleton()
    links = [("a", None), ("b", "a"), ("a", "b"), ("c", "a"), (None, "c"), ("a", "c"), ("", "a")]
    for id, parent in links:
        skeleton.add(Trait.SAID, id, parent)
    skeleton.finish()
    assert skeleton.ids == ["a", "b", "a#2", "c", "@5", "a#3", "@7"]
    # Replies bind to the nearest occurrence before them.
    assert list(skeleton.parents) == [ROOT, 0, 1, 2, 3, 3, 5]


def test_cycles_are_cut_and_reported() -> None:
    skeleton = Skeleton()
    for id, parent in (("a", "c"), ("b", "a"), ("c", "b"), ("d", "d")):
        skeleton.add(Trait.SAID, id, parent)
    skeleton.finish()
    assert [each.code for each in skeleton.findings] == ["TRE102", "TRE102"]
    assert len(Tree(skeleton).order) == 4
