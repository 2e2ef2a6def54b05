"""Unsaved edits that studios of single files have left: finding, reopening and discarding them.

`temporary` decides when such a library is removed. This module only reads those that are left.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from talktree.errors import LibraryLocked, NotFound, TalktreeError
from talktree.library.encryption.state import DATABASE
from talktree.library.sources.scan import drop_nested
from talktree.library.temporary import (
    KEPT,
    UnsavedFile,
    find_unsaved,
    is_in_use,
    list_roots,
    remove_library,
    temporary_library_path,
    tidy_leftovers,
    tidy_library,
)


class UnsavedEdits(NamedTuple):
    """The unsaved edits in the library of one set of paths."""

    root: Path
    paths: tuple[Path, ...]
    """The paths to open to see them again; none if the library cannot be read."""
    unsaved: tuple[UnsavedFile, ...]
    is_open: bool
    """Whether a studio has it open."""

    @property
    def words(self) -> str:
        """The paths as arguments of a command."""
        import shlex  # slow to load, and most commands only look for leftovers

        return " ".join(shlex.quote(str(path)) for path in self.paths)


def find_kept_edits() -> list[UnsavedEdits]:
    """Return all unsaved edits that studios keep; libraries without any are removed."""
    found = []
    for root in list_roots():
        kept = _read_kept_edits(root)
        if kept is not None and kept.unsaved:
            found.append(kept)
        elif kept is not None:
            tidy_library(root)
    return found


def find_library(given: Sequence[Path]) -> Path:
    """Return the folder for the library of some paths: one with their unsaved edits, or a new one.

    Forgotten paths are ignored, so the other paths are enough to find their edits.
    """
    root = temporary_library_path(given)
    if root.exists():
        return root
    for each in list_roots():
        if (each / KEPT).exists():
            kept = _read_kept_edits(each)
            if (
                kept is not None
                and kept.paths
                and _normalize_paths(kept.paths) == _normalize_paths(given)
            ):
                return each
    return root


def discard_edits(given: Sequence[Path]) -> bool:
    """Remove the library of some paths with all unsaved edits; false if it is in use.

    Raises `NotFound` if it has none; the hint names the sets of paths that have edits of these.
    """
    tidy_leftovers()
    root = find_library(given)
    if is_in_use(root):
        return False
    if root.exists():
        try:
            if find_unsaved(root):
                return remove_library(root)
        except TalktreeError:
            return remove_library(root)  # it is locked or damaged, and is removed nevertheless
        tidy_library(root)
    others = [each for each in find_kept_edits() if _concerns(each, given)]
    hint = "; ".join(f"these are kept: talktree studio --discard {each.words}" for each in others)
    raise NotFound(
        "there are no unsaved edits of exactly these files",
        hint=hint or "`talktree library info` lists the files with unsaved edits",
    )


def find_holders(named: str) -> list[Path]:
    """Return the libraries of studios that keep the conversation with an id or a path."""
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


def _read_kept_edits(root: Path) -> UnsavedEdits | None:
    """Return the edits in a library; None if there are none, or it is locked."""
    from talktree.library.library import Library

    if not (root / DATABASE).exists():
        return None
    paths: tuple[Path, ...] = ()
    try:
        with Library.open(root) as library:
            paths = tuple(library.places())
        unsaved = find_unsaved(root)
    except (LibraryLocked, NotFound):
        return None
    except TalktreeError:
        unsaved = [UnsavedFile(root, 0, names=False)]
    return UnsavedEdits(root, paths, tuple(unsaved), is_in_use(root))


def _normalize_paths(paths: Iterable[Path]) -> list[bytes]:
    return drop_nested(map(os.fsencode, paths))


def _concerns(kept: UnsavedEdits, given: Sequence[Path]) -> bool:
    """Whether it holds edits of one of some paths, of a file in it or of its folder."""
    own = {*kept.paths, *(each.path for each in kept.unsaved)}
    return any(
        path == each or path in each.parents or each in path.parents
        for path in given
        for each in own
    )
