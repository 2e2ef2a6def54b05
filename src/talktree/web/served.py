"""What a studio serves: the library, or one of just some paths."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from talktree.home import data_home
from talktree.library.library import Library

FOLDER = "studio"
LIBRARY = "library"


class Served(NamedTuple):
    """The paths that were named, and whether anything may be changed."""

    given: tuple[Path, ...] = ()
    read_only: bool = False
    temporary: Path | None = None
    """A folder for the library of the paths that ends with the studio."""

    @property
    def root(self) -> Path | None:
        """Where the library is; None is the usual place."""
        if self.temporary is not None:
            return self.temporary / LIBRARY
        return library_of(self.given) if self.given else None

    @property
    def follows(self) -> bool:
        """Whether sources are taken in; a library that others keep is left alone if asked to."""
        return bool(self.given) or not self.read_only

    def prepare(self) -> None:
        """Make the library, or lead it to today's schema; an error if there is none to read."""
        Library.open(self.root, write=self.follows).close()


@contextmanager
def serve(given: Sequence[Path], *, read_only: bool) -> Iterator[Served]:
    """What a studio serves, with its library prepared.

    A read-only studio of some paths keeps nothing: its library is in a temporary folder.
    """
    if not (given and read_only):
        served = Served(tuple(given), read_only)
        served.prepare()
        yield served
        return
    folder = Path(tempfile.mkdtemp(prefix="talktree-read-only-"))
    try:
        served = Served(tuple(given), read_only, folder)
        served.prepare()
        yield served
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def library_of(given: Sequence[Path]) -> Path:
    """Where the library of some paths is; the same paths have the same one."""
    named = b"\0".join(sorted(os.fsencode(path) for path in given))
    return data_home() / FOLDER / hashlib.sha256(named).hexdigest()[:16]
