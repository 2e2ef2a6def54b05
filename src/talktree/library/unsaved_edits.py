"""Unsaved edits that studios of single files have left: finding, reopening and discarding them.

`temporary` says when such a library is removed. This module only looks into those that are left.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from talktree.errors import LibraryLocked, NotFound, TalktreeError
from talktree.library.encryption.state import DATABASE
from talktree.library.sources.scan import apart
from talktree.library.temporary import (
    KEPT,
    Unsaved,
    is_in_use,
    library_of,
    list_roots,
    remove,
    tidy,
    tidy_leftovers,
    unsaved_in,
)


class KeptEdits(NamedTuple):
    """The unsaved edits in the library of one set of paths."""

    root: Path
    paths: tuple[Path, ...]
    """What to open to see them again; none if the library cannot be read."""
    unsaved: tuple[Unsaved, ...]
    is_open: bool
    """Whether a studio has it open."""

    @property
    def words(self) -> str:
        """The paths as arguments of a command."""
        import shlex  # slow to load, and most commands only look for leftovers

        return " ".join(shlex.quote(str(path)) for path in self.paths)


def find_kept_edits() -> list[KeptEdits]:
    """All unsaved edits that studios keep; libraries without any are removed."""
    found = []
    for root in list_roots():
        kept = _look(root)
        if kept is not None and kept.unsaved:
            found.append(kept)
        elif kept is not None:
            tidy(root)
    return found


def find_library(given: Sequence[Path]) -> Path:
    """The folder for the library of some paths: one that holds their unsaved edits, or a new one.

    Paths that were forgotten do not count any more, so the edits of the others are found by these.
    """
    root = library_of(given)
    if root.exists():
        return root
    for each in list_roots():
        if (each / KEPT).exists():
            kept = _look(each)
            if kept is not None and kept.paths and _normal(kept.paths) == _normal(given):
                return each
    return root


def discard(given: Sequence[Path]) -> bool:
    """Remove the library of some paths with all unsaved edits; False if it is in use.

    `NotFound` if it has none; the hint names the sets of paths that have edits of these.
    """
    tidy_leftovers()
    root = find_library(given)
    if is_in_use(root):
        return False
    if root.exists():
        try:
            if unsaved_in(root):
                return remove(root)
        except TalktreeError:
            return remove(root)  # it is locked or damaged, and has to go nevertheless
        tidy(root)
    others = [each for each in find_kept_edits() if _concerns(each, given)]
    hint = "; ".join(f"these are kept: talktree studio --discard {each.words}" for each in others)
    raise NotFound(
        "there are no unsaved edits of exactly these files",
        hint=hint or "`talktree library info` lists the files with unsaved edits",
    )


def find_holders(named: str) -> list[Path]:
    """The libraries of studios that keep the conversation with an id or a path."""
    from talktree.library.library import Library

    found = []
    for root in list_roots():
        try:
            with Library.open(root) as library:
                library.conversation(named)
        except TalktreeError:
            continue
        found.append(root)
    return found


def _look(root: Path) -> KeptEdits | None:
    """What is in a library; None if there is none, or it is locked."""
    from talktree.library.library import Library

    if not (root / DATABASE).exists():
        return None
    paths: tuple[Path, ...] = ()
    try:
        with Library.open(root) as library:
            paths = tuple(library.places())
        unsaved = unsaved_in(root)
    except (LibraryLocked, NotFound):
        return None
    except TalktreeError:
        unsaved = [Unsaved(root, 0, names=False)]
    return KeptEdits(root, paths, tuple(unsaved), is_in_use(root))


def _normal(paths: Iterable[Path]) -> list[bytes]:
    return apart(map(os.fsencode, paths))


def _concerns(kept: KeptEdits, given: Sequence[Path]) -> bool:
    """Whether it holds edits of one of some paths, of a file in it or of its folder."""
    own = {*kept.paths, *(each.path for each in kept.unsaved)}
    return any(
        path == each or path in each.parents or each in path.parents
        for path in given
        for each in own
    )
