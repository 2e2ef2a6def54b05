"""Masking known secrets with stars: in the archive, in edits and in names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from talktree.library.archive.chunk_hashes import chunk_hash
from talktree.library.archive.codec import compress_chunk
from talktree.library.archive.verify import erase_unused_chunks
from talktree.library.erasure.masking import Span, mask_spans
from talktree.library.erasure.packed_members import ResizedMembers, is_packed, mask_packed
from talktree.library.erasure.readings import detect_encoding, is_json
from talktree.library.erasure.scrubs import HEAD
from talktree.library.erasure.secret_forms import KnownSecrets, find_secrets, reach_of
from talktree.library.erasure.structure import ShapeComparison, has_same_shape
from talktree.library.importing.archive_writer import GUARD
from talktree.library.versions.edit_history import Row

if TYPE_CHECKING:
    from talktree.library.library import Library

_CHUNK = 128 << 10
_EXTENTS = "SELECT start, chunk, size FROM extents WHERE generation = ? ORDER BY start"
_SET_EXTENT = "UPDATE extents SET chunk = ? WHERE generation = ? AND start = ?"
_DELETE_EXTENTS = "DELETE FROM extents WHERE generation = ?"
_ADD_EXTENT = "INSERT INTO extents (generation, start, chunk, size) VALUES (?, ?, ?, ?)"
_SET_LENGTH = "UPDATE generations SET length = ? WHERE id = ?"
_VERSIONS = "SELECT length FROM versions WHERE generation = ? ORDER BY length DESC"
_SET_VERSION = "UPDATE versions SET length = ? WHERE generation = ? AND length = ?"
_FIND_CHUNK = "SELECT id FROM chunks WHERE hash = ?"
_ADD_CHUNK = "INSERT INTO chunks (hash, size, data) VALUES (?, ?, ?)"
_COPY_MARKS = """
INSERT INTO landmarks (mark, chunk) SELECT mark, ? FROM landmarks WHERE chunk = ?
ON CONFLICT DO NOTHING
"""
_SET_GUARD = "UPDATE files SET guard = ? WHERE id = ?"
_OPERATIONS = "SELECT id, value FROM operations"
_SET_OPERATION = "UPDATE operations SET value = ? WHERE id = ?"
_TEXTS = (
    ("branch_names", "name", "SELECT DISTINCT name FROM branch_names"),
    ("sources", "trouble", "SELECT DISTINCT trouble FROM sources WHERE trouble IS NOT NULL"),
    ("files", "trouble", "SELECT DISTINCT trouble FROM files WHERE trouble IS NOT NULL"),
)


class Generation(NamedTuple):
    """A generation of a file."""

    id: int
    file: int
    path: bytes
    source: int
    length: int
    is_newest: bool


class ArchiveRewriter:
    """Rewrites the archive, in the caller's transaction."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._db = library.db
        self.faults: list[str] = []
        """Where masking changed more than words."""

    def rewrite(self, generation: Generation, known: KnownSecrets) -> bool:
        """Replace the chunks of a generation that hold secrets; return whether there were any."""
        archive = self._library.archive
        head = archive.slice(generation.id, 0, HEAD)
        comparison = ShapeComparison(generation.length)
        if is_packed(head):
            gone = self._rewrite_packed(generation, known)
        else:
            gone = []
            for start, chunk, size in self._db.read(_EXTENTS, (generation.id,)):
                old = archive.slice(generation.id, start, size)
                new = self._mask_bytes(generation.id, start, start + size, head, known)
                comparison.feed(old, new)
                if new != old:
                    row = self._store_chunk(new, chunk), generation.id, start
                    self._db.run(_SET_EXTENT, row)
                    gone.append(int(chunk))
            self._note_fault(generation.path, comparison.finish())
        erase_unused_chunks(self._db, gone)
        archive.clear_cache()
        if gone and generation.is_newest:
            length = archive.length(generation.id)
            tail = archive.slice(generation.id, max(0, length - GUARD), GUARD)
            self._db.run(_SET_GUARD, (chunk_hash(tail), generation.file))
        return bool(gone)

    def _mask_bytes(
        self, generation: int, start: int, stop: int, head: bytes, known: KnownSecrets
    ) -> bytes:
        """Return some bytes of a generation with secrets masked."""
        reach = reach_of(known)
        first = max(0, start - reach) & ~1
        around = self._library.archive.slice(generation, first, stop - first + reach)
        spans = find_secrets(known, around, detect_encoding(head), json=is_json(head))
        return mask_spans(around, spans)[start - first : stop - first]

    def _rewrite_packed(self, generation: Generation, known: KnownSecrets) -> list[int]:
        """Rewrite a compressed file; return the chunks that are no longer needed."""
        archive = self._library.archive
        old = b"".join(archive.read(generation.id))

        def find(text: bytes) -> list[Span]:
            """Find secrets in a member, and compare it with its masked form."""
            spans = find_secrets(known, text, detect_encoding(text), json=is_json(text[:HEAD]))
            comparison = ShapeComparison(len(text))
            comparison.feed(text, mask_spans(text, spans))
            self._note_fault(generation.path, comparison.finish())
            return spans

        new = mask_packed(old, find)
        if new.data == old:
            return []
        extents = self._db.read(_EXTENTS, (generation.id,))
        if len(new.data) == len(old):
            gone = []
            for start, chunk, size in extents:
                if new.data[start : start + size] != old[start : start + size]:
                    stored = self._store_chunk(new.data[start : start + size], chunk)
                    self._db.run(_SET_EXTENT, (stored, generation.id, start))
                    gone.append(int(chunk))
            return gone
        self._resize(generation, new)
        return [int(chunk) for _, chunk, _ in extents]

    def _resize(self, generation: Generation, new: ResizedMembers) -> None:
        """Give a generation other bytes, and its versions their new lengths."""
        self._db.run(_DELETE_EXTENTS, (generation.id,))
        for start in range(0, len(new.data), _CHUNK):
            data = new.data[start : start + _CHUNK]
            row = generation.id, start, self._store_chunk(data, None), len(data)
            self._db.run(_ADD_EXTENT, row)
        self._db.run(_SET_LENGTH, (len(new.data), generation.id))
        lengths = [int(row[0]) for row in self._db.read(_VERSIONS, (generation.id,))]
        for length in lengths:  # longest first, so that no two are equal meanwhile
            self._db.run(_SET_VERSION, (new.new_length(length), generation.id, length))

    def _store_chunk(self, data: bytes, old: int | None) -> int:
        """Return the chunk with these bytes, which replaces an old one."""
        hash = chunk_hash(data)
        row = self._db.read_one(_FIND_CHUNK, (hash,))
        if row is not None:
            return int(row[0])
        new = self._db.run(_ADD_CHUNK, (hash, len(data), compress_chunk(data)))
        if old is not None:
            self._db.run(_COPY_MARKS, (new, old))
        return new

    def read_edits(self) -> list[tuple[int, bytes]]:
        """Return all edits, with their numbers."""
        return [(int(id), bytes(value)) for id, value in self._db.read(_OPERATIONS)]

    def rewrite_edits(self, known: KnownSecrets) -> None:
        """Mask secrets in edits."""
        for id, value in self.read_edits():
            new = mask_spans(value, find_secrets(known, value, None, json=True))
            if new != value:
                if not (has_same_shape(value, new) and _is_edit(new)):
                    self.faults.append(f"edit {id} could not be read any more")
                self._db.run(_SET_OPERATION, (new, id))

    def rewrite_texts(self, known: KnownSecrets) -> int:
        """Mask secrets in user-given names and messages about files; return how many changed."""
        count = 0
        for table, column, sql in _TEXTS:
            for (text,) in self._db.read(sql):
                data = text.encode()
                new = mask_spans(data, find_secrets(known, data, None, json=False)).decode(
                    "utf-8", "replace"
                )
                if new != text:
                    self._db.run(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new, text))
                    count += 1
        return count

    def _note_fault(self, path: bytes, fault: str | None) -> None:
        if fault is not None:
            self.faults.append(f"{os.fsdecode(path)}: {fault}")


def _is_edit(value: bytes) -> bool:
    try:
        msgspec.json.decode(value, type=Row)
    except msgspec.DecodeError:
        return False
    return True
