"""Comparing two points of a session: which files and tasks differ between them."""

from __future__ import annotations

from typing import NamedTuple

from talktree.model.message import Todo
from talktree.session.capture.file_state import State, UnknownState, is_same
from talktree.session.handle import SessionHandle
from talktree.session.recording.todos import find_todos_at
from talktree.session.undo.diff import describe_change, diff_texts, read_bytes
from talktree.session.undo.history import find_paths_to, find_states_at


class PathComparison(NamedTuple):
    """A path that differs."""

    path: bytes
    before: State
    after: State
    words: str
    diff: tuple[str, ...]
    """A unified diff, if both are small texts."""


class MessageComparison(NamedTuple):
    """The differences between two messages."""

    files: list[PathComparison]
    todos_before: tuple[Todo, ...]
    todos_after: tuple[Todo, ...]

    @property
    def differs(self) -> bool:
        """Whether there is any difference."""
        return bool(self.files) or self.todos_before != self.todos_after


def compare_messages(
    opened: SessionHandle, one: str | None, other: str | None
) -> MessageComparison:
    """Return the differences between two messages; None is before the first one."""
    paths = sorted({*find_paths_to(opened, one), *find_paths_to(opened, other)})
    old, new = find_states_at(opened, paths, one), find_states_at(opened, paths, other)
    files = [
        _compare_path(opened, path, old[path], new[path])
        for path in paths
        if not is_same(old[path], new[path]) and not _are_both_unknown(old[path], new[path])
    ]
    index = opened.index
    return MessageComparison(files, find_todos_at(index, one), find_todos_at(index, other))


def _are_both_unknown(one: State, other: State) -> bool:
    """Whether both are unknown for the same reason, so that no difference is reported."""
    return isinstance(one, UnknownState) and one == other


def _compare_path(opened: SessionHandle, path: bytes, old: State, new: State) -> PathComparison:
    texts = (read_bytes(opened.contents, each) for each in (old, new))
    diff = diff_texts(path, *texts)
    return PathComparison(path, old, new, describe_change(old, new), tuple(diff))
