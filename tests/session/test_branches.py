"""Branches: where lines end and fork, seen through notes and asides; names that refer to them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import NotFound, UsageError
from talktree.session import branches as tree
from talktree.session.branches import SessionBranch
from tests.cases import examples
from tests.session.made import aside, note, opened, said


def found(root: Path, *lines: bytes) -> list[SessionBranch]:
    """Return the branches of a session with these messages."""
    with opened(root) as session:
        if lines:
            session.journal.append("messages", *lines)
        return tree.list_branches(session)


def test_one_line_is_one_branch(tmp_path: Path) -> None:
    assert found(tmp_path) == []
    assert found(tmp_path, said("a"), said("b", "a")) == [SessionBranch("b", None, None, 2, True)]


def test_a_fork_makes_two_which_share_their_fork(tmp_path: Path) -> None:
    assert found(tmp_path, said("a"), said("b", "a"), said("c", "b"), said("d", "a")) == [
        SessionBranch("c", "a", None, 3, False),
        SessionBranch("d", "a", None, 2, True),
    ]


def test_where_a_session_is_is_a_branch_as_long_as_it_is_there(tmp_path: Path) -> None:
    lines = said("a"), said("b", "a"), said("c", "b"), note("n1", "b")
    assert found(tmp_path, *lines) == [
        SessionBranch("b", "b", None, 2, True),
        SessionBranch("c", "b", None, 3, False),
    ]
    # After a redo: the note below `b` is not a leaf.
    assert found(tmp_path, note("n2", "c")) == [SessionBranch("c", None, None, 3, True)]
    # Undone again, and a new message was added.
    assert found(tmp_path, note("n3", "b"), said("d", "n3")) == [
        SessionBranch("c", "b", None, 3, False),
        SessionBranch("d", "b", None, 3, True),
    ]


def test_asides_are_not_branches(tmp_path: Path) -> None:
    lines = said("a"), aside("s1", "a"), aside("s2", "s1"), said("b", "a"), aside("s3", None)
    assert found(tmp_path, *lines) == [SessionBranch("b", None, None, 2, True)]


def test_names_move_and_go_and_messages_stay(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        session.journal.append("messages", said("aaa"), said("bbb", "aaa"), said("ccc", "aaa"))
        assert tree.name_branch(session, "try", "b") == "bbb"
        assert tree.name_branch(session, "keep", "ccc") == "ccc"
        assert [each.name for each in tree.list_branches(session)] == ["try", "keep"]
        assert tree.find_message(session, "try") == "bbb"
        assert tree.find_message(session, "cc") == "ccc"
        tree.name_branch(session, "try", "ccc")
        assert tree.read_names(session) == {"keep": "ccc", "try": "ccc"}
        tree.unname_branch(session, "keep")
        assert tree.read_names(session) == {"try": "ccc"}
        assert session.index.count_messages() == 3
        with pytest.raises(NotFound):
            tree.unname_branch(session, "keep")
        with pytest.raises(NotFound):
            tree.name_branch(session, "x", "zzz")
    with opened(tmp_path) as session:
        assert tree.read_names(session) == {"try": "ccc"}


@pytest.mark.parametrize("name", ["", " ", " a", "a\n", "\x1b[2J", "x" * 129, "\ud800"])
def test_a_name_is_something_to_read(tmp_path: Path, name: str) -> None:
    with opened(tmp_path) as session:
        session.journal.append("messages", said("a"))
        with pytest.raises(UsageError):
            tree.name_branch(session, name, "a")
        assert session.journal.length("operations") == 0


def test_odd_operations_name_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        session.journal.append(
            "operations", b'{"kind":"name","name":1,"message":"a"}', b'{"kind":"name","name":"x"}'
        )
        assert tree.read_names(session) == {}


@examples(30)
@given(parents=st.lists(st.integers(0, 11), max_size=12), skipped=st.sets(st.integers(0, 11)))
def test_every_message_is_on_a_branch_and_counts_are_right(
    tmp_path_factory: pytest.TempPathFactory, parents: list[int], skipped: set[int]
) -> None:
    root = tmp_path_factory.mktemp("store")
    lines = [
        (note if number in skipped else said)(
            f"m{number}", f"m{parent}" if parent < number else None
        )
        for number, parent in enumerate(parents)
    ]
    if not lines:
        return
    ends = found(root, *lines)
    with opened(root) as session:
        on_branches = set()
        for end in ends:
            line = [node.id for node in session.index.chain(end.leaf) if not node.note]
            assert end.messages == len(line)
            assert end.fork is None or end.fork in line
            on_branches.update(line)
        assert on_branches == {f"m{n}" for n in range(len(lines)) if n not in skipped}
        assert sum(end.current for end in ends) <= 1


def test_a_name_follows_the_branch_it_was_given_to(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        session.journal.append("messages", said("a"), said("b", "a"))
        tree.name_branch(session, "kept", "b")
        tree.name_branch(session, "start", "a")
        session.journal.append("messages", said("c", "b"), said("d", "a"), said("e", "c"))
        assert {each.leaf: each.name for each in tree.list_branches(session)} == {
            "d": None,
            "e": "start",
        }
        assert (tree.find_tip(session, "kept"), tree.find_tip(session, "start")) == ("e", "e")
        assert (tree.find_message(session, "kept"), tree.find_tip(session, "b")) == ("b", "b")
