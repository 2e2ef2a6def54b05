"""Inferred links: any damage gives one tree, always the same, in linear time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from talktree.model.conversation import Conversation
from talktree.model.link_repair import find_inferred_links, with_inferred_links
from talktree.model.outline import Trait
from talktree.model.skeleton import ROOT, Skeleton
from tests.talk import said, talk


class Blank:
    """A store whose records name no session and no agent."""

    def entry(self, number: int, id: str, parent: str | None) -> object:
        return None

    def link(self, skeleton: Skeleton, read: object) -> None:
        """Return nothing: contents reveal no links here."""


def bare(skeleton: Skeleton) -> Conversation:
    """Return a conversation that consists only of its skeleton."""
    return Conversation(
        id="bare",
        format="native",
        store=Blank(),  # type: ignore[arg-type]
        members=range(len(skeleton)),
        skeleton=skeleton,
    )


def grown(nodes: list[tuple[int, int, bool, bool]]) -> Skeleton:
    """Return a tree where node n has the given parent (any number, also its own or a missing
    one)."""
    skeleton = Skeleton()
    for number, (parent, trait, side, nameless) in enumerate(nodes):
        name = None if nameless else f"n{number}"
        skeleton.add(trait, name, None if parent < 0 else f"n{parent}", sidechain=side)
    skeleton.finish()
    return skeleton


nodes = st.lists(
    st.tuples(
        st.integers(-1, 30), st.integers(0, 4), st.booleans(), st.sampled_from([False] * 5 + [True])
    ),
    max_size=24,
)


@given(nodes)
def test_any_links_are_repaired_without_a_loop(made: list[tuple[int, int, bool, bool]]) -> None:
    skeleton = grown(made)
    before = list(skeleton.parents)
    fresh = with_inferred_links(bare(skeleton)).skeleton
    assert list(skeleton.parents) == before, "the conversation itself stays as it is"
    for position in range(len(fresh)):
        here, steps = position, 0
        while here != ROOT:
            here, steps = fresh.parents[here], steps + 1
            assert steps <= len(fresh)
    left = {*fresh.dangling, *fresh.looped, *fresh.astray}
    assert all(fresh.parents[each] == ROOT for each in left)


@given(nodes)
def test_repairing_twice_is_repairing_once(made: list[tuple[int, int, bool, bool]]) -> None:
    once = with_inferred_links(bare(grown(made)))
    assert with_inferred_links(once) is once


@given(nodes)
def test_only_what_is_broken_or_stranded_moves(made: list[tuple[int, int, bool, bool]]) -> None:
    skeleton = grown(made)
    broken = {*skeleton.dangling, *skeleton.looped, *skeleton.astray}
    for position in find_inferred_links(with_inferred_links(bare(skeleton))):
        on_note = skeleton.traits[skeleton.parents[position]] == Trait.NOTE
        assert position in broken or on_note


def names(conversation: Conversation) -> dict[str, str | None]:
    """Return the parent of each message."""
    skeleton = conversation.skeleton
    return {
        name: None if above == ROOT else skeleton.ids[above]
        for name, above in zip(skeleton.ids, skeleton.parents, strict=True)
    }


def test_an_orphan_continues_what_its_own_session_said_last() -> None:
    found = with_inferred_links(
        talk(
            [
                said("a1", session="a"),
                said("b1", session="b"),
                said("a2", "lost", session="a"),
                said("c1", "gone", session="c"),
            ]
        )
    )
    assert names(found) == {"a1": None, "b1": None, "a2": "a1", "c1": None}


def test_an_orphan_of_a_sub_agent_continues_that_agent() -> None:
    side = frozenset({"sidechain"})
    found = with_inferred_links(
        talk(
            [
                said("m1"),
                said("x1", "m1", agent="x", flags=side),
                said("y1", "m1", agent="y", flags=side),
                said("m2", "m1"),
                said("x2", "lost", agent="x", flags=side),
            ]
        )
    )
    assert names(found)["x2"] == "x1"


def test_children_of_a_missing_parent_stay_siblings() -> None:
    found = with_inferred_links(
        talk([said("a"), said("b", "lost"), said("c", "b"), said("d", "lost"), said("e", "other")])
    )
    assert names(found) == {"a": None, "b": "a", "c": "b", "d": "a", "e": "d"}


def test_a_note_between_is_not_passed_over_and_one_aside_is() -> None:
    skeleton = Skeleton()
    for name, parent, trait in (
        ("a", None, Trait.SAID),
        ("n", "a", Trait.NOTE),
        ("b", "lost", Trait.SAID),
        ("m", "a", Trait.NOTE),
        ("c", "gone", Trait.SAID),
    ):
        skeleton.add(trait, name, parent)
    skeleton.finish()
    assert names(with_inferred_links(bare(skeleton))) == {
        "a": None,
        "n": "a",
        "b": "n",
        "m": "a",
        "c": "b",
    }


def test_going_back_on_purpose_is_not_a_false_fork() -> None:
    skeleton = Skeleton()
    for name, parent, trait in (
        ("a", None, Trait.SAID),
        ("b", "a", Trait.REPLY),
        ("n", "a", Trait.NOTE),
        ("c", "n", Trait.SAID),
    ):
        skeleton.add(trait, name, parent)
    skeleton.finish()
    conversation = bare(skeleton)
    assert with_inferred_links(conversation) is conversation


def test_results_recorded_beside_notes_are_not_a_false_fork() -> None:
    skeleton = Skeleton()
    for name, parent, trait in (
        ("a", None, Trait.SAID),
        ("call", "a", Trait.REPLY),
        ("n", "call", Trait.NOTE),
        ("result", "call", Trait.RESULT),
        ("b", "n", Trait.REPLY),
    ):
        skeleton.add(trait, name, parent)
    skeleton.finish()
    conversation = bare(skeleton)
    assert with_inferred_links(conversation) is conversation


def test_hostile_links_take_linear_time() -> None:
    """Every link is broken in the worst possible way.

    Their number would exceed the time limit of a test if time grew faster than linearly.
    """
    skeleton = Skeleton()
    for number in range(100_000):
        kind = (Trait.SAID, Trait.NOTE, Trait.REPLY, Trait.NOTE)[number % 4]
        parent = f"n{number + 2}" if number % 3 else f"lost{number}"
        skeleton.add(kind, f"n{number}", parent, sidechain=number % 2)
    skeleton.finish()
    with_inferred_links(bare(skeleton))
