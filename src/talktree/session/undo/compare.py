"""Two points of a session side by side: which files and tasks differ between them."""

from __future__ import annotations

from typing import NamedTuple

from talktree.model.message import Todo
from talktree.session.capture.file_state import State, Unknown, same
from talktree.session.handle import Opened
from talktree.session.recording.todos import todos_at
from talktree.session.undo.diff import bytes_of, difference, in_words
from talktree.session.undo.history import paths_on, states_at


class Compared(NamedTuple):
    """A path that differs."""

    path: bytes
    before: State
    after: State
    words: str
    diff: tuple[str, ...]
    """A unified diff, if both are small texts."""


class Comparison(NamedTuple):
    """What differs between two messages."""

    files: list[Compared]
    todos_before: tuple[Todo, ...]
    todos_after: tuple[Todo, ...]

    @property
    def differs(self) -> bool:
        """Whether anything does."""
        return bool(self.files) or self.todos_before != self.todos_after


def compared(opened: Opened, one: str | None, other: str | None) -> Comparison:
    """What differs between two messages; None is before the first one."""
    paths = sorted({*paths_on(opened, one), *paths_on(opened, other)})
    old, new = states_at(opened, paths, one), states_at(opened, paths, other)
    files = [
        _compared(opened, path, old[path], new[path])
        for path in paths
        if not same(old[path], new[path]) and not _nobody_knows(old[path], new[path])
    ]
    index = opened.index
    return Comparison(files, todos_at(index, one), todos_at(index, other))


def _nobody_knows(one: State, other: State) -> bool:
    """Whether both are unknown for the same reason, so that nothing is told to differ."""
    return isinstance(one, Unknown) and one == other


def _compared(opened: Opened, path: bytes, old: State, new: State) -> Compared:
    texts = (bytes_of(opened.contents, each) for each in (old, new))
    diff = difference(path, *texts)
    return Compared(path, old, new, in_words(old, new), tuple(diff))
