"""Opening the library that a command means."""

from __future__ import annotations

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

    if (data_home() / "studio").exists():
        from talktree.library.temporary import tidy_leftovers

        tidy_leftovers()
    with Library.open(None if folder is None else Path(folder), write=write) as library:
        yield library
