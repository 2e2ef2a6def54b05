"""What a studio serves: the library, or one of just some paths."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from talktree.errors import LibraryLocked
from talktree.home import data_home
from talktree.library.database.cipher import cipher_module, database_key
from talktree.library.database.connection import remove_empty_log
from talktree.library.encryption.state import DATABASE, is_encrypted
from talktree.library.encryption.unlocking import library_key
from talktree.library.library import Library
from talktree.library.temporary import Unsaved, in_use, scratch_folder, tidy
from talktree.library.unsaved_edits import find_library

LIBRARY = "library"


class Served(NamedTuple):
    """The paths that were named, and whether anything may be changed."""

    given: tuple[Path, ...] = ()
    read_only: bool = False
    temporary: Path | None = None
    """A folder for the library of the paths that ends with the studio."""
    kept: Path | None = None
    """The library of the paths that may stay, for edits that are not saved."""
    locked: bool = False
    """Whether it was locked at the start, and so nothing is prepared."""

    @property
    def root(self) -> Path | None:
        """Where the library is; None is the usual place."""
        return self.kept if self.temporary is None else self.temporary / LIBRARY

    @property
    def follows(self) -> bool:
        """Whether sources are taken in; a library that others keep is left alone if asked to."""
        return bool(self.given) or not self.read_only

    def prepare(self) -> None:
        """Make the library, or lead it to today's schema; an error if there is none to read."""
        if self.root is not None:
            share_key(data_home() / LIBRARY, self.root)
        Library.open(self.root, write=self.follows).close()

    def encrypted_root(self) -> Path | None:
        """The library whose key opens what is served; None if nothing is encrypted.

        A library of some paths that is still to be made will have the key of the user's own one.
        """
        main = data_home() / LIBRARY
        root = main if self.root is None else self.root
        if is_encrypted(root):
            return root
        return main if not (root / DATABASE).exists() and is_encrypted(main) else None


@contextmanager
def serve(
    given: Sequence[Path], *, read_only: bool, unsaved: Callable[[list[Unsaved]], None]
) -> Iterator[Served]:
    """What a studio serves, with its library prepared.

    A locked library is prepared when it is unlocked.

    The library of some paths is removed in the end; what was not saved in it is reported and
    stays. A read-only studio of some paths has a library in a temporary folder.
    """
    with ExitStack() as ends:
        served = Served(tuple(given), read_only)
        if given and read_only:
            served = served._replace(temporary=ends.enter_context(scratch_folder()))
        elif read_only:
            ends.callback(_remove_log, data_home() / LIBRARY)
        elif given:
            root = find_library(given)
            served = served._replace(kept=root)
            ends.callback(_put_away, root, unsaved)
            ends.enter_context(in_use(root))
        try:
            served.prepare()
        except LibraryLocked:
            cipher_module()  # the page asks for the passphrase, if it can be used at all
            served = served._replace(locked=True)
        yield served


def _remove_log(root: Path) -> None:
    """Remove the empty log that reading made, when all connections are closed."""
    gc.collect()  # threads may have left theirs
    try:
        key = library_key(root) if is_encrypted(root) else None
    except LibraryLocked:
        return
    remove_empty_log(root / DATABASE, key=database_key(key))


def _put_away(root: Path, report: Callable[[list[Unsaved]], None]) -> None:
    """Remove the library of the files that were opened, and name what was not saved."""
    left = tidy(root)
    if left:
        report(left)


def share_key(main: Path, other: Path) -> None:
    """Have a library that is going to be made be encrypted as the user's own library is."""
    if not is_encrypted(main) or (other / DATABASE).exists():
        return
    from talktree.library.encryption.key_file import read_key_file, write_key_file

    library_key(main)  # locked: say so before anything is made
    other.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_key_file(other, read_key_file(main))
