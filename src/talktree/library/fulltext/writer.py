"""Writing the full-text index: adding pieces, deleting those of a source, and committing."""

from __future__ import annotations

import os
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self
from weakref import finalize

from tantivy import Document, FieldType, IndexWriter, Occur, Query

from talktree.errors import LockHeld, NotSaved
from talktree.files.creation_mode import hold_private_umask, release_private_umask
from talktree.library.fulltext.index import SCHEMA, FullText
from talktree.library.fulltext.tokenizer import normalize_text
from talktree.parallel.priority import has_free_processor, run_at_low_priority

if TYPE_CHECKING:
    from talktree.library.extract.facts import SearchPiece

LEAST_HEAP = 15_000_000
"""The minimum memory that tantivy requires for each thread."""


def open_writer(index: FullText, threads: int, heap: int) -> FullTextWriter:
    """Open the only writer of an index; others that want to write meanwhile get an error."""
    hold_private_umask()
    try:
        size = max(heap, LEAST_HEAP * threads)
        # One thread prepares the documents, and all others wait for it, so they get a low priority.
        # With little to do it does not matter.
        made = partial(index.index.writer, size, threads)
        is_low_priority = threads > 1 and has_free_processor()
        writer = run_at_low_priority(made) if is_low_priority else made()
        # A writer that was killed may have left a file with a name that this one will use.
        writer.garbage_collect_files()
    except BaseException as error:
        release_private_umask()
        if not isinstance(error, ValueError):
            raise
        if "LockBusy" in str(error):
            raise LockHeld(
                "another program writes the full-text index", hint="wait until it is done"
            ) from error
        raise NotSaved(f"the full-text index cannot be written: {error}") from error
    return FullTextWriter(index, writer, is_low_priority=is_low_priority)


class FullTextWriter:
    """A writer: additions and deletions take effect on commit.

    Its threads create files until it is closed, so the umask is private until then.
    """

    def __init__(self, index: FullText, writer: IndexWriter, *, is_low_priority: bool) -> None:
        self._index = index
        self._release_umask = finalize(self, release_private_umask)
        self._writer = writer
        self._is_low_priority = is_low_priority
        self._record = (-1, -1)
        self._part = 0

    def add(self, source: int, piece: SearchPiece) -> None:
        """Add a document: a piece of that source."""
        self.put(self.make_document(source, piece))

    def make_document(self, source: int, piece: SearchPiece) -> Document:
        """Return a piece as a document; documents are made in the order of their places."""
        at, _, _, text, time, tags, files = piece
        if (source, at) == self._record:
            self._part += 1
        else:
            self._record, self._part = (source, at), 0
        document = Document()
        document.add_text("body", normalize_text(text))
        document.add_text("tag", tags)
        document.add_unsigned("source", source)
        document.add_unsigned("at", at)
        if self._part:
            # Nearly all are the first of their record, and a missing number means 0.
            document.add_unsigned("part", self._part)
        if time is not None:
            document.add_integer("time", time)
        if files:
            document.add_text("file", normalize_text(files))
        return document

    def put(self, document: Document) -> None:
        """Add a document to the index; may wait until there is room."""
        try:
            self._writer.add_document(document)
        except BaseException as error:
            raise _translate_error(error) from error

    def delete(self, source: int, from_at: int = 0) -> None:
        """Delete the documents of a source from a place on; those added afterwards stay."""
        self._record = (-1, -1)
        try:
            # A term made from a number would be a signed one, which matches nothing here.
            self._writer.delete_documents_by_query(_query_documents_from(source, from_at))
        except BaseException as error:
            raise _translate_error(error) from error

    def commit(self) -> None:
        """Make the changes durable and visible to those who open the index or search it next."""
        try:
            if self._is_low_priority:
                run_at_low_priority(self._writer.commit)  # it continues with new threads
            else:
                self._writer.commit()
        except BaseException as error:
            raise _translate_error(error) from error
        _tighten_permissions(self._index)

    def rollback(self) -> None:
        """Discard what was not committed."""
        self._record = (-1, -1)
        self._writer.rollback()

    def close(self) -> None:
        """Close the index, when the running merges are done."""
        try:
            self._writer.wait_merging_threads()
        except BaseException as error:
            raise _translate_error(error) from error
        finally:
            self._release_umask()
        _tighten_permissions(self._index)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:
            try:
                self._writer.rollback()
                self._writer.wait_merging_threads()
            finally:
                self._release_umask()


def _query_documents_from(source: int, at: int) -> Query:
    if at <= 0:
        return Query.term_query(SCHEMA, "source", source)
    return Query.boolean_query(
        [
            (Occur.Must, Query.term_query(SCHEMA, "source", source)),
            (Occur.Must, Query.range_query(SCHEMA, "at", FieldType.Unsigned, at)),
        ]
    )


def _translate_error(error: BaseException) -> BaseException:
    """Return the error that a failure of the writer means; an interrupt is returned unchanged."""
    if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
        return error
    return NotSaved(
        f"the full-text index could not be written: {error}",
        hint="nothing that was committed is lost; the next import does the rest",
    )


def _tighten_permissions(index: FullText) -> None:
    """Tighten files that an older version created with the permissions of the umask."""
    with os.scandir(index.folder) as entries:
        for entry in entries:
            try:
                if entry.stat(follow_symlinks=False).st_mode & 0o077:
                    os.chmod(entry.path, 0o600)
            except FileNotFoundError:  # merged away meanwhile
                continue
