"""The full-text index on the disk: one document for each piece, without its text.

It is a cache of the archive. If it cannot be opened or read, `CorruptIndex` is raised, and the
caller rebuilds it from the archive; tantivy's own failures, its panics included, leave this module
as errors of this kind.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from tantivy import (
    DocAddress,
    Index,
    Query,
    Schema,
    SchemaBuilder,
    Searcher,
    TextAnalyzer,
    TextAnalyzerBuilder,
    Tokenizer,
)

from talktree.errors import TalktreeError, Unreadable
from talktree.library.fulltext.location import MANIFEST, fulltext_folder

if TYPE_CHECKING:
    from pathlib import Path

    from talktree.library.fulltext.writer import FullTextWriter


class CorruptIndex(Unreadable):
    """The index cannot be read and has to be rebuilt from the archive."""

    kind = "corrupt-index"

    def __init__(self, why: str) -> None:
        super().__init__(
            f"the full-text index cannot be read: {why}",
            hint="make it again from the archive: talktree library reindex",
        )


def _unlockable_error(folder: Path) -> Unreadable:
    """Return the error for a valid index in a folder where no lock can be created."""
    return Unreadable(
        f"{folder}: the full-text index cannot be locked, because nothing can be written there",
        hint="searching needs a folder that can be written to: check its permissions and the disk",
    )


_LOCK_FAILED = "Failed to acquire Lockfile: IoError"


class PieceAddress(NamedTuple):
    """The address of a document's piece: its source, its record there, its number in the record."""

    source: int
    at: int
    part: int


class FullText:
    """An open index; each searcher sees what is committed when it is requested."""

    def __init__(self, folder: Path, index: Index) -> None:
        self.folder = folder
        self.index = index
        self.schema = SCHEMA
        self._manifest = os.fspath(folder / MANIFEST)
        self._seen: tuple[int, int] | None = None
        self._searcher: Searcher | None = None

    @classmethod
    def open(cls, root: Path, *, write: bool = False) -> FullText:
        """Open the index of the library in that folder; `write` creates it if it is missing."""
        folder = fulltext_folder(root)
        if write and not (folder / MANIFEST).exists():
            return cls.recreate(root)
        try:
            with translate_failures():
                index = Index.open(str(folder))
                register_tokenizers(index)
        except CorruptIndex as error:
            raise _unlockable_error(folder) if _LOCK_FAILED in error.message else error from None
        return cls(folder, index)

    @classmethod
    def recreate(cls, root: Path) -> FullText:
        """Create an empty index in place of the old ones, of any number."""
        import shutil  # readers do not need it

        from talktree.files.creation_mode import private_umask

        folder = fulltext_folder(root)
        shutil.rmtree(folder.parent, ignore_errors=True)
        with private_umask(), translate_failures():
            folder.mkdir(parents=True, mode=0o700, exist_ok=True)
            os.chmod(folder.parent, 0o700)
            index = Index(SCHEMA, str(folder))
            register_tokenizers(index)
        return cls(folder, index)

    def searcher(self) -> Searcher:
        """Return what is committed now, as one unchanging view."""
        now = self._commit_stamp()
        if self._searcher is None or now != self._seen:
            try:
                with translate_failures():
                    self.index.reload()
                    self._searcher = self.index.searcher()
            except CorruptIndex as error:
                raise (
                    _unlockable_error(self.folder) if _LOCK_FAILED in error.message else error
                ) from None
            self._seen = now
        return self._searcher

    def writer(self, threads: int = 1, heap: int = 100_000_000) -> FullTextWriter:
        """Return the only writer; others that want to write meanwhile get an error."""
        from talktree.library.fulltext.writer import open_writer  # readers do not need it

        return open_writer(self, threads, heap)

    def read_places(self, searcher: Searcher, found: list[DocAddress]) -> list[PieceAddress]:
        """Return the addresses of the pieces of these documents."""
        with translate_failures():
            columns = [searcher.fast_field_values(name, found) for name in PieceAddress._fields]
        return [
            PieceAddress(*(int(value or 0) for value in values))
            for values in zip(*columns, strict=True)
        ]

    def documents(self) -> Iterator[tuple[PieceAddress, str]]:
        """Yield all documents with their kinds, by place."""
        searcher = self.searcher()
        everything: list[tuple[PieceAddress, str]] = []
        for kind in KINDS:
            query = Query.term_query(SCHEMA, "tag", f"kind={kind}", "basic")
            with translate_failures():
                found = searcher.search(query, limit=max(1, searcher.num_docs)).hits
            everything += [
                (place, kind) for place in self.read_places(searcher, [where for _, where in found])
            ]
        return iter(sorted(everything))

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _commit_stamp(self) -> tuple[int, int]:
        """Return what distinguishes one commit from another: each replaces the manifest."""
        try:
            status = os.stat(self._manifest)
        except OSError as error:
            raise CorruptIndex(f"{error.strerror}") from error
        return status.st_ino, status.st_mtime_ns


KINDS = ("text", "thinking", "call", "result", "todo", "summary", "other")


def make_body_analyzer() -> TextAnalyzer:
    """Return the analyzer that splits a normalized text exactly as `tokenizer.split_words` does.

    It has no filters, which take a third of the indexing time when they are combined here; the
    index itself omits words that are too long.
    """
    return TextAnalyzerBuilder(Tokenizer.simple()).build()


def register_tokenizers(index: Index) -> None:
    """Register the tokenizers that the schema of an index names."""
    index.register_tokenizer("words", make_body_analyzer())
    index.register_tokenizer("tags", TextAnalyzerBuilder(Tokenizer.whitespace()).build())
    # A reader would start a thread that looks for commits; `searcher` checks on request.
    index.config_reader("manual")


def _build_schema() -> Schema:
    builder = SchemaBuilder()
    builder.add_text_field("body", tokenizer_name="words", index_option="position")
    builder.add_text_field("file", tokenizer_name="words", index_option="position")
    builder.add_text_field("tag", tokenizer_name="tags", index_option="basic")
    builder.add_integer_field("time", fast=True)
    builder.add_unsigned_field("source", indexed=True, fast=True)
    builder.add_unsigned_field("at", fast=True)
    builder.add_unsigned_field("part", fast=True)
    return builder.build()


SCHEMA = _build_schema()


@contextmanager
def translate_failures() -> Iterator[None]:
    """Translate all errors and panics of tantivy into one error."""
    try:
        yield
    except TalktreeError:
        raise
    except (ValueError, OSError, RuntimeError) as error:
        raise CorruptIndex(str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise CorruptIndex(str(error)) from None
