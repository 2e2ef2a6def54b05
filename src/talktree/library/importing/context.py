"""The state of an import: the tables, the archive, the full text, and what was done so far."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from talktree.errors import Failure
from talktree.library.erasure.scrubs import ScrubbedFile, make_plain_reader
from talktree.library.importing.fact_rows import FactWriter
from talktree.library.importing.result import FailedPath, ImportResult
from talktree.library.importing.source_rows import ImportRows
from talktree.library.sources.open import change_time
from talktree.parallel.concurrent_call import run_both

if TYPE_CHECKING:
    from talktree.library.archive.prefix import ReadBytes
    from talktree.library.extract.facts import SearchPiece
    from talktree.library.fulltext.either_index import AnyWriting
    from talktree.library.importing.archive_writer import GrowingGeneration
    from talktree.library.library import Library
    from talktree.library.sources.scan import FileStat

SMALL = 16 << 20
"""Less than this is indexed by one thread with little memory, which starts and ends quickly."""
FEW_THREADS, LITTLE_HEAP = 1, 15_000_000
MORE_THREADS, LARGE_HEAP = 2, 200_000_000
"""More memory makes fewer and larger segments; otherwise eight small ones are merged into one."""
MOST_WAITING = 128 << 20
"""Maximum characters waiting for the full text's threads, which count documents only."""
QUEUED = 10_000
"""Maximum number of waiting documents."""
LONG = 64 << 10
LONG_WEIGHS = 8
"""The weight of long texts: a few of them are much data before there are many documents."""

_INDEXED = "UPDATE sources SET indexed = archived WHERE id = ?"


class ImportContext:
    """One import."""

    def __init__(
        self, library: Library, size: int, result: ImportResult, *, sampled: bool = False
    ) -> None:
        self.library = library
        self.db = library.db
        self.archive = library.archive
        self.rows = ImportRows(library.db)
        self.tombstones = library.tombstones()
        self.scrubs = library.scrubs()
        library.names.clear_cache()
        self.facts = FactWriter(library.db, library.names)
        self.result = result
        self.sampled = sampled
        """Whether growing files are compared by samples, and as a whole when they are quiet."""
        self.size = size
        """Approximately how many bytes are to be read."""
        self.touched: set[int] = set()
        """Sources whose documents are not committed yet."""
        self._writing: AnyWriting | None = None
        self._is_published = False
        self._given: deque[tuple[int, int]] = deque()
        """Documents that may still wait, and their characters."""
        self._documents = self._characters = 0
        """The sums of these."""

    def make_reader(self, file: int, path: bytes) -> ReadBytes:
        """Return a reader of an open file that masks scrubbed secrets."""
        return self.make_scrubbed_reader(file, path)[0]

    def make_scrubbed_reader(self, file: int, path: bytes) -> tuple[ReadBytes, ScrubbedFile | None]:
        """Return the same reader, with the scrubbed file if the library has scrubbed secrets."""
        if not self.scrubs:
            return make_plain_reader(file), None
        scrubbed = ScrubbedFile(file, self.scrubs)

        def read(start: int, stop: int) -> bytes:
            """Read some bytes, and record whether a secret was masked."""
            data = scrubbed.read(start, stop)
            if scrubbed.found:
                self.result.scrubbed.add(path)
            return data

        return read, scrubbed

    def open_archived(self, file: int, seen: FileStat) -> tuple[ReadBytes, FileStat]:
        """Return the same reader, and the file with its archived size."""
        read, scrubbed = self.make_scrubbed_reader(file, seen.path)
        return read, seen if scrubbed is None else seen._replace(size=scrubbed.size(seen.size))

    def prepare(self) -> None:
        """Open the full text; no transaction may be open, as a broken one is recreated."""
        few = self.size < SMALL
        self._writing = self.library.open_fulltext_for_writing().writer(
            FEW_THREADS if few else MORE_THREADS, LITTLE_HEAP if few else LARGE_HEAP
        )

    @property
    def writer(self) -> AnyWriting:
        """The writer of the full text."""
        assert self._writing is not None
        self._is_published = False
        return self._writing

    def index(self, source: int, pieces: list[SearchPiece]) -> None:
        """Add pieces to the full text; the list is emptied."""
        writing, waiting, count = self.writer, 0, len(pieces)
        self.result.pieces += count
        pieces.reverse()
        while pieces:
            piece = pieces.pop()
            size = len(piece.text)
            document: Any = writing.make_document(source, piece)
            # A long text is released before its copy waits.
            del piece
            writing.put(document)
            waiting += size if size < LONG else size * LONG_WEIGHS
        self._count_waiting(count, waiting)

    def _count_waiting(self, documents: int, characters: int) -> None:
        """Count what was added; only the last documents can still be waiting."""
        self._given.append((documents, characters))
        self._documents += documents
        self._characters += characters
        while self._documents - self._given[0][0] >= QUEUED:
            documents, characters = self._given.popleft()
            self._documents -= documents
            self._characters -= characters

    @property
    def is_full(self) -> bool:
        """Whether there is so much unpublished data that it should be published first."""
        return self._characters > MOST_WAITING

    def publish(self, meanwhile: Callable[[], None] | None = None) -> None:
        """Commit the documents of what is in the tables, and then record it there.

        That takes a while, in which `meanwhile` can do something else.
        """
        if self._writing is None:
            if meanwhile is not None:
                meanwhile()
        else:
            run_both(self._writing.commit, meanwhile)
            self._is_published = True
            self._given.clear()
            self._documents = self._characters = 0
        if self.touched:
            with self.db.transaction():
                self.db.run_many_atomically(
                    _INDEXED, ((source,) for source in sorted(self.touched))
                )
            self.touched.clear()

    def keep_version(
        self, keeping: GrowingGeneration, file: int, seen: FileStat, start: int, *, verified: bool
    ) -> bool:
        """Record what was read of an open file as a version; false if the file never had it.

        A file that changed while it was read is compared with what was read. A version of bytes
        from before and after a change would be one that never existed.
        """
        keeping.flush()
        if keeping.end < seen.size:
            return False
        if change_time(file) != seen.changed and not keeping.is_intact(
            self.make_reader(file, seen.path), start if self.sampled else 0
        ):
            return False
        self.archive.record_version(
            keeping.generation, keeping.end, time.time_ns(), seen.modified, verified=verified
        )
        return True

    def update_totals(self) -> None:
        """Update the totals; until then the tables mark them as outdated."""
        with self.db.transaction():
            self.facts.update_totals()

    def close(self) -> None:
        """Close the full text; what was not published is indexed by the next import."""
        if self._writing is not None:
            writing, self._writing = self._writing, None
            if not self._is_published:
                writing.rollback()
            writing.close()

    def report_failure(self, path: bytes, failure: Failure) -> None:
        """Report a path that could not be imported."""
        self.result.failed.append(FailedPath(path, failure))

    def report_incomplete(self, path: bytes, failure: Failure) -> None:
        """Report a source that was imported, but not all of it."""
        self.result.incomplete.append(FailedPath(path, failure))
