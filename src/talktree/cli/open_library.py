"""Open the library that a command names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from talktree.home import data_home

if TYPE_CHECKING:
    from talktree.library.library import Library


@contextmanager
def open_library_at(
    folder: str | None, *, write: bool = False, create: bool = False
) -> Iterator[Library]:
    """Open the selected library; only commands that import into it create one."""
    from talktree.library.library import Library

    if write and not create:
        require_library(folder)
    if _may_have_leftovers():
        from talktree.library.temporary import tidy_leftovers

        tidy_leftovers()
    with Library.open(None if folder is None else Path(folder), write=write) as library:
        yield library


def require_library(folder: str | None) -> None:
    """Raise if there is no library in a folder."""
    from talktree.library.library import missing_library_error

    if not has_library(folder):
        raise missing_library_error(_resolve_folder(folder))


def has_library(folder: str | None) -> bool:
    """Whether there is a library in a folder, by default the one in the data folder."""
    from talktree.library.encryption.state import DATABASE, has_key_file

    root = _resolve_folder(folder)
    return (root / DATABASE).exists() or has_key_file(root)


def _resolve_folder(folder: str | None) -> Path:
    from talktree.library.library import FOLDER

    return data_home() / FOLDER if folder is None else Path(folder)


def _may_have_leftovers() -> bool:
    """Whether a studio runs or left something; fast, because every command checks it."""
    if os.path.isdir(os.path.join(data_home(), "studio")):
        return True
    try:
        names = os.listdir(os.environ.get("TMPDIR") or "/tmp")
    except OSError:
        return False
    return any(name.startswith("talktree-studio-") for name in names)
