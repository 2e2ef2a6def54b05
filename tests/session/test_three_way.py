"""The three-way rule: content of others is never taken for the session's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from talktree.session.capture.file_state import (
    ABSENT,
    FileContentState,
    Folder,
    LinkState,
    State,
    UnknownState,
    is_same,
    is_same_content,
)
from talktree.session.undo.three_way import judge_path

states = st.one_of(
    st.builds(
        FileContentState,
        hash=st.sampled_from(["a" * 64, "b" * 64, "c" * 64]),
        size=st.just(3),
        mode=st.sampled_from([0o644, 0o755, 0o600]),
    ),
    st.builds(LinkState, target=st.sampled_from([b"x", b"y"])),
    st.builds(Folder, mode=st.sampled_from([0o755, 0o700])),
    st.just(ABSENT),
    st.just(UnknownState("nobody knows")),
)


@given(states, states, states)
def test_only_what_the_session_left_is_replaced(
    expected: State, target: State, current: State
) -> None:
    found = judge_path(expected, target, current, None)
    if found.judgement == "go":
        known = is_same_content(current, expected) or is_same_content(current, target)
        assert known
        assert not isinstance(current, UnknownState)
        assert not isinstance(found.after, UnknownState)
        assert is_same_content(found.after, target)


@given(states, states, states)
def test_nothing_is_done_twice(expected: State, target: State, current: State) -> None:
    found = judge_path(expected, target, current, None)
    if found.judgement == "go":
        again = judge_path(expected, target, found.after, None)
        assert again.judgement == "already"


@given(states, states, states)
def test_a_path_in_the_target_state_is_not_a_conflict(
    expected: State, target: State, current: State
) -> None:
    if is_same(current, target):
        assert judge_path(expected, target, current, "somebody").judgement == "already"


@given(states, states)
def test_a_deletion_needs_the_content_that_was_left(expected: State, current: State) -> None:
    found = judge_path(expected, ABSENT, current, None)
    if found.judgement == "go":
        assert is_same_content(current, expected)


@given(states, states)
def test_unknown_is_never_restored_nor_replaced(one: State, other: State) -> None:
    assert judge_path(one, UnknownState("?"), other, None).judgement == "cannot"
    assert judge_path(one, other, UnknownState("?"), None).judgement == "cannot"


def test_a_mode_of_the_users_is_kept() -> None:
    old = FileContentState(hash="a" * 64, size=1, mode=0o644)
    new = FileContentState(hash="b" * 64, size=1, mode=0o644)
    theirs = FileContentState(hash="b" * 64, size=1, mode=0o755)
    found = judge_path(new, old, theirs, None)
    assert found.judgement == "go"
    assert found.after == FileContentState(hash="a" * 64, size=1, mode=0o755)


def test_a_mode_that_both_changed_is_a_conflict() -> None:
    new = FileContentState(hash="b" * 64, size=1, mode=0o755)
    old = FileContentState(hash="a" * 64, size=1, mode=0o644)
    theirs = FileContentState(hash="b" * 64, size=1, mode=0o600)
    assert judge_path(new, old, theirs, None).judgement == "conflict"
