"""A library that any thread may read: each has a connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import cast
from weakref import finalize

from talktree.errors import Busy
from talktree.library.archive.store import Archive
from talktree.library.database.connection import Database
from talktree.library.library import Library

PAGES, CHUNKS = 4 << 20, 8 << 20
"""What each thread keeps at hand of the database and of the archive, in bytes."""


class Libraries:
    """A read-only library a thread, opened when it is first asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._own = threading.local()
        self._closed = False

    def mine(self) -> Library:
        """The library of this thread."""
        found = getattr(self._own, "library", None)
        if self._closed:
            raise Busy("the studio is being closed", hint="start it again")
        if found is None:
            found = self._own.library = Library.open(self.root)
            found.db.hold(PAGES)
            found.archive.hold(CHUNKS)
            finalize(found.db, found.db.connection.close)
        return cast(Library, found)

    def close(self) -> None:
        """Let go of all of them; one that a thread is still reading from ends with that reading."""
        self._closed = True
        self._own = threading.local()


class SharedArchive:
    """The archive of whichever thread asks, so that what is open can be read by all of them."""

    def __init__(self, libraries: Libraries) -> None:
        self._libraries = libraries

    def length(self, generation: int) -> int:
        """How many bytes a generation has."""
        return self._libraries.mine().archive.length(generation)

    def slice(self, generation: int, start: int, length: int) -> bytes:
        """A few bytes of a generation."""
        return self._libraries.mine().archive.slice(generation, start, length)

    def read(self, generation: int, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """The bytes of a generation, chunk by chunk."""
        return self._libraries.mine().archive.read(generation, start, length)


class SharedLibrary:
    """What reading a source needs of a library, for documents that many threads look into."""

    def __init__(self, libraries: Libraries) -> None:
        self._libraries = libraries
        self.archive = cast(Archive, SharedArchive(libraries))

    @property
    def db(self) -> Database:
        """The tables, by the connection of this thread."""
        return self._libraries.mine().db
