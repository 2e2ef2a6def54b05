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
    from talktree.library.reading.told import Piece

SMALL = 16 << 20
"""Less than that is indexed by one thread with little memory, which starts and ends at once."""
FEW_THREADS, LITTLE_HEAP = 1, 15_000_000
MORE_THREADS, LARGE_HEAP = 2, 100_000_000
MOST_WAITING = 128 << 20
"""So many characters may wait for the full text's threads, which count documents only."""
LONG = 64 << 10
LONG_WEIGHS = 8
"""A long text counts so many times: a few of them are much before there are many documents."""

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
        self._is_published = False
        self._waiting = 0

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
        self._is_published = False
        return self._writing

    def index(self, source: int, pieces: list[Piece]) -> None:
        """Give pieces to the full text; the list is empty then."""
        writing, waiting = self.writing, 0
        self.result.pieces += len(pieces)
        pieces.reverse()
        while pieces:
            piece = pieces.pop()
            size = len(piece.text)
            if size < LONG:
                waiting += size
                writing.add(source, piece)
                continue
            waiting += size * LONG_WEIGHS
            document = writing.document(source, piece)
            # A long text is let go of before its copy waits for its turn.
            del piece
            writing.put(document)
        self._waiting += waiting

    @property
    def is_full(self) -> bool:
        """Whether so much is on its way that it should be published first."""
        return self._waiting > MOST_WAITING

    def publish(self) -> None:
        """Commit the documents of what is in the tables, and then say so there."""
        if self._writing is not None:
            self._writing.commit()
            self._is_published, self._waiting = True, 0
        if self.touched:
            with self.db.transaction():
                self.db.many(_INDEXED, ((source,) for source in sorted(self.touched)))
            self.touched.clear()

    def close(self) -> None:
        """Let go of the full text; what was not published is indexed by the next import."""
        if self._writing is not None:
            writing, self._writing = self._writing, None
            if not self._is_published:
                writing.rollback()
            writing.close()

    def failed(self, path: bytes, failure: Failure) -> None:
        """Tell of a path that could not be taken in."""
        self.result.failed.append(Failed(path, failure))
