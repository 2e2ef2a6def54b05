"""Scrubbing a secret: it becomes stars in everything the library keeps, and the rest stays.

The archive is rewritten in one transaction, which also notes that facts and full text have to be
made again. A kill before it changes nothing; after it the next import, check or `--finish` goes on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from talktree.errors import UsageError
from talktree.library.archive.codec import packed
from talktree.library.archive.hashes import chunk_hash
from talktree.library.archive.sweep import erase_unused
from talktree.library.erasure.finish import finish_erasures, note_erasure
from talktree.library.erasure.masking import is_packed, mask, mask_packed
from talktree.library.erasure.scrubs import Scrubs
from talktree.library.erasure.secret_forms import find_forms, usual_forms
from talktree.library.importing.keeping import GUARD

if TYPE_CHECKING:
    from talktree.library.database.connection import Database
    from talktree.library.library import Library

WAIT = 10.0
SHORTEST = 4
"""A shorter secret would be found in words that are none."""
MOST = 1000
"""How many different secrets a pattern may find."""
_OVERLAP = 4096

_GENERATIONS = """
SELECT g.id, f.id, f.path, f.source, g.length, f.generation = g.id
FROM generations AS g JOIN files AS f ON f.id = g.file ORDER BY g.id
"""
_EXTENTS = "SELECT start, chunk, size FROM extents WHERE generation = ? ORDER BY start"
_SET_EXTENT = "UPDATE extents SET chunk = ? WHERE generation = ? AND start = ?"
_FIND_CHUNK = "SELECT id FROM chunks WHERE hash = ?"
_ADD_CHUNK = "INSERT INTO chunks (hash, size, data) VALUES (?, ?, ?)"
_COPY_MARKS = """
INSERT INTO landmarks (mark, chunk) SELECT mark, ? FROM landmarks WHERE chunk = ?
ON CONFLICT DO NOTHING
"""
_SET_GUARD = "UPDATE files SET guard = ? WHERE id = ?"
_READ_AGAIN = "UPDATE sources SET indexed = -1 WHERE id = ?"
_OPERATIONS = "SELECT id, source, value FROM operations"
_SET_OPERATION = "UPDATE operations SET value = ? WHERE id = ?"
_TEXTS = (
    ("branch_names", "name", "SELECT DISTINCT name FROM branch_names"),
    ("sources", "trouble", "SELECT DISTINCT trouble FROM sources WHERE trouble IS NOT NULL"),
    ("files", "trouble", "SELECT DISTINCT trouble FROM files WHERE trouble IS NOT NULL"),
)
_PATHS = "SELECT path FROM files UNION SELECT path FROM places"


class Scrubbed(NamedTuple):
    """What a scrub did."""

    sources: int
    """How many sources held it."""
    places: int
    """In how many places it was."""
    on_disk: tuple[bytes, ...]
    """Files on the disk that still hold it; they are never changed."""
    left: tuple[str, ...]
    """What the library still holds of it, and why."""


class Needle(NamedTuple):
    """What is looked for: a text, or whatever matches a pattern."""

    text: str | None = None
    pattern: re.Pattern[bytes] | None = None

    def search(self, *, is_json: bool) -> re.Pattern[bytes]:
        """The pattern for a file."""
        if self.pattern is not None:
            return self.pattern
        assert self.text is not None
        return find_forms(self.text, is_json=is_json)


def needle_of(text: str | None, pattern: str | None) -> Needle:
    """What is looked for, or an error that says why that cannot be."""
    if pattern is not None:
        try:
            made = re.compile(pattern.encode())
        except re.error as error:
            raise UsageError(
                f"invalid pattern: {error}", hint="write a regular expression"
            ) from None
        if made.match(b""):
            raise UsageError("the pattern matches nothing at all", hint="make it more specific")
        return Needle(pattern=made)
    if text is None or len(text) < SHORTEST:
        raise UsageError(
            f"a secret has at least {SHORTEST} characters",
            hint="a shorter one would be found in other words",
        )
    return Needle(text=text)


def scrub(library: Library, needle: Needle, *, wait: float = WAIT) -> Scrubbed:
    """Take a secret out of everything that is kept, and out of what is imported later."""
    with library.lock.held(wait):
        library.archive.flush()
        library.names.refresh()
        with library.db.transaction(durable=True):
            work = _Work(library, needle)
            work.run()
        left = [*work.left, *finish_erasures(library)]
        on_disk = [path for path in work.paths if _is_on_disk(path, needle)]
    return Scrubbed(len(work.sources), work.count, tuple(on_disk), tuple(left))


class _Work:
    """One scrub."""

    def __init__(self, library: Library, needle: Needle) -> None:
        self._library = library
        self._db: Database = library.db
        self._needle = needle
        self._forms: set[bytes] = set()
        self.sources: set[int] = set()
        self.paths: dict[bytes, None] = {}
        self.count = 0
        self.left: list[str] = []

    def run(self) -> None:
        """Do it, in the caller's transaction."""
        touched = [row for row in self._db.read(_GENERATIONS) if self._look(row[0], row[2])]
        self._look_at_edits()
        if self._needle.text is not None:
            self._forms |= usual_forms(self._needle.text)
        if len(self._forms) > MOST:
            raise UsageError(
                f"the pattern finds {len(self._forms)} different texts",
                hint="make it more specific",
            )
        Scrubs(self._db, self._library.root).add(self._forms)
        for generation, file, path, source, length, is_newest in touched:
            if not self._rewrite(generation, path):
                continue
            self.paths[path] = None
            if is_newest:
                tail = self._library.archive.slice(generation, max(0, length - GUARD), GUARD)
                self._db.run(_SET_GUARD, (chunk_hash(tail), file))
            if source:
                self.sources.add(int(source))
        self._rewrite_edits()
        self._rewrite_texts()
        for source in self.sources:
            self._db.run(_READ_AGAIN, (source,))
        self._look_at_paths()
        note_erasure(self._library, [])

    def _look(self, generation: int, path: bytes) -> bool:
        """Find the forms in which the secret is in a generation; whether there are any."""
        pattern = self._needle.search(is_json=b".json" in os.path.basename(path))
        archive = self._library.archive
        before = len(self._forms), self.count
        if is_packed(archive.slice(generation, 0, 8)):
            data = b"".join(archive.read(generation))
            mask_packed(data, lambda text: self._note(pattern, text))
        else:
            for data, new in _windows(archive.read(generation)):
                self._note(pattern, data, new)
        return (len(self._forms), self.count) != before

    def _note(self, pattern: re.Pattern[bytes], data: bytes, new: int = 0) -> list[tuple[int, int]]:
        for found in pattern.finditer(data):
            if found.end() > new:
                self._forms.add(found[0])
                self.count += 1
        return []

    def _find(self, data: bytes) -> list[tuple[int, int]]:
        """All places of all forms."""
        return [span for form in self._forms for span in _all_places(data, form)]

    def _rewrite(self, generation: int, path: bytes) -> bool:
        """Replace the chunks of a generation that hold the secret; whether there were any."""
        archive = self._library.archive
        masked: bytes | None = None
        if is_packed(archive.slice(generation, 0, 8)):
            masked = mask_packed(b"".join(archive.read(generation)), self._find)
            if masked is None:
                self.left.append(f"a compressed file that leaves no room: {os.fsdecode(path)}")
                return False
        gone = []
        for start, chunk, size in self._db.read(_EXTENTS, (generation,)):
            old = archive.slice(generation, start, size)
            if masked is not None:
                new = masked[start : start + size]
            else:
                new = self._masked(generation, start, start + size)
            if new != old:
                self._db.run(_SET_EXTENT, (self._stored(new, chunk), generation, start))
                gone.append(int(chunk))
        erase_unused(self._db, gone)
        archive.forget()
        return bool(gone)

    def _masked(self, generation: int, start: int, stop: int) -> bytes:
        """Some bytes of a generation with stars in the place of the secret."""
        reach = max(map(len, self._forms)) - 1
        first = max(0, start - reach)
        around = self._library.archive.slice(generation, first, stop - first + reach)
        return mask(around, self._find(around))[start - first : stop - first]

    def _stored(self, data: bytes, old: int) -> int:
        """The chunk with these bytes, in the place of an old one."""
        hash = chunk_hash(data)
        row = self._db.one(_FIND_CHUNK, (hash,))
        if row is not None:
            return int(row[0])
        new = self._db.run(_ADD_CHUNK, (hash, len(data), packed(data)))
        self._db.run(_COPY_MARKS, (new, old))
        return new

    def _look_at_edits(self) -> None:
        pattern = self._needle.search(is_json=True)
        for _, _, value in self._db.read(_OPERATIONS):
            self._note(pattern, bytes(value))

    def _rewrite_edits(self) -> None:
        for id, _, value in self._db.read(_OPERATIONS):
            new = mask(bytes(value), self._find(bytes(value)))
            if new != value:
                self._db.run(_SET_OPERATION, (new, id))

    def _rewrite_texts(self) -> None:
        """Names that people gave, and messages about files."""
        for table, column, sql in _TEXTS:
            for (text,) in self._db.read(sql):
                data = text.encode()
                found = self._needle.search(is_json=False).finditer(data)
                new = mask(data, [each.span() for each in found]).decode("utf-8", "replace")
                if new != text:
                    self._db.run(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new, text))

    def _look_at_paths(self) -> None:
        pattern = self._needle.search(is_json=False)
        for (path,) in self._db.read(_PATHS):
            if pattern.search(path):
                self.left.append("the path of a file; rename the file and forget the conversation")
                return


def _windows(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Pieces, each with the end of those before it, and how many bytes that end has."""
    held = b""
    for piece in pieces:
        yield held + piece, len(held)
        held = (held + piece)[-_OVERLAP:]


def _all_places(data: bytes, form: bytes) -> Iterator[tuple[int, int]]:
    at = data.find(form)
    while at >= 0:
        yield at, at + len(form)
        at = data.find(form, at + 1)


def _is_on_disk(path: bytes, needle: Needle) -> bool:
    """Whether a file on the disk still holds the secret."""
    pattern = needle.search(is_json=b".json" in os.path.basename(path))
    try:
        with open(path, "rb") as file:
            head = file.read(8)
            file.seek(0)
            if not is_packed(head):
                return any(
                    pattern.search(data)
                    for data, _ in _windows(iter(lambda: file.read(1 << 20), b""))
                )
            return bool(_found_packed(file.read(), pattern))
    except OSError:
        return False


def _found_packed(data: bytes, pattern: re.Pattern[bytes]) -> list[bytes]:
    """What a pattern finds in compressed data."""
    found: list[bytes] = []

    def look(text: bytes) -> list[tuple[int, int]]:
        """Note what is found, and mask nothing."""
        found.extend(pattern.findall(text))
        return []

    mask_packed(data, look)
    return found
