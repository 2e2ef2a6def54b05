"""What an import works with: the tables, the archive, the full text, and what was done so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talktree.errors import Failure
from talktree.library.importing.facts import Facts
from talktree.library.importing.result import Failed, Imported
from talktree.library.importing.rows import Rows

if TYPE_CHECKING:
    from talktree.library.fulltext.writing import Writing
    from talktree.library.library import Library

SMALL = 16 << 20
"""Less than that is indexed by one thread with little memory, which starts and ends at once."""
FEW_THREADS, LITTLE_HEAP = 1, 15_000_000
MORE_THREADS, LARGE_HEAP = 2, 120_000_000

_INDEXED = "UPDATE sources SET indexed = archived WHERE id = ?"


class Intake:
    """One import."""

    def __init__(self, library: Library, size: int, result: Imported) -> None:
        self.library = library
        self.db = library.db
        self.archive = library.archive
        self.rows = Rows(library.db)
        self.facts = Facts(library.db, library.names)
        self.result = result
        self.size = size
        """How many bytes are to be read, about."""
        self.touched: set[int] = set()
        """Sources whose documents are not committed yet."""
        self._writing: Writing | None = None

    def prepare(self) -> None:
        """Open the full text; no transaction may be open, as a broken one is begun anew."""
        few = self.size < SMALL
        self._writing = self.library.fulltext_to_write().writer(
            FEW_THREADS if few else MORE_THREADS, LITTLE_HEAP if few else LARGE_HEAP
        )

    @property
    def writing(self) -> Writing:
        """The writer of the full text."""
        assert self._writing is not None
        return self._writing

    def publish(self) -> None:
        """Commit the documents of what is in the tables, and then say so there."""
        if self._writing is not None:
            self._writing.commit()
        if self.touched:
            with self.db.transaction():
                self.db.many(_INDEXED, ((source,) for source in sorted(self.touched)))
            self.touched.clear()

    def close(self) -> None:
        """Let go of the full text; what was not published is indexed by the next import."""
        if self._writing is not None:
            writing, self._writing = self._writing, None
            writing.rollback()
            writing.close()

    def failed(self, path: bytes, failure: Failure) -> None:
        """Tell of a path that could not be taken in."""
        self.result.failed.append(Failed(path, failure))
