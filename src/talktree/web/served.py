"""What a studio serves: the library, or one of just some paths."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from talktree.library.library import Library
from talktree.library.temporary import library_of


class Served(NamedTuple):
    """The paths that were named, and whether anything may be changed."""

    given: tuple[Path, ...] = ()
    read_only: bool = False

    @property
    def root(self) -> Path | None:
        """Where the library is; None is the usual place."""
        return library_of(self.given) if self.given else None

    @property
    def follows(self) -> bool:
        """Whether sources are taken in; a library that others keep is left alone if asked to."""
        return bool(self.given) or not self.read_only

    def prepare(self) -> None:
        """Make the library, or lead it to today's schema; an error if there is none to read."""
        Library.open(self.root, write=self.follows).close()
