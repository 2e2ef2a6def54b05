"""Opening the library that a command means."""

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
def opened(folder: str | None, *, write: bool = False) -> Iterator[Library]:
    """The library that is meant; only whoever writes makes one."""
    from talktree.library.library import Library

    if _may_have_leftovers():
        from talktree.library.temporary import tidy_leftovers

        tidy_leftovers()
    with Library.open(None if folder is None else Path(folder), write=write) as library:
        yield library


def _may_have_leftovers() -> bool:
    """Whether a studio runs, or one left something; cheap, as every command asks."""
    if os.path.isdir(os.path.join(data_home(), "studio")):
        return True
    try:
        names = os.listdir(os.environ.get("TMPDIR") or "/tmp")
    except OSError:
        return False
    return any(name.startswith("talktree-studio-") for name in names)
