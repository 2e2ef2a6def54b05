"""Tombstones: forgotten sources that must not be imported again, as keyed hashes.

A tombstone has the hashes of the paths of a source, of the ids of its conversations and of its
content, but neither a path nor a title. A copy of the file elsewhere is recognised by its ids, even
if it was converted to another format.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from talktree.errors import NotFound
from talktree.files import stem_of
from talktree.library.erasure.key import KeyedHash, keyed_hash

if TYPE_CHECKING:
    from talktree.files.content import Content
    from talktree.library.database.connection import Database
    from talktree.library.sources.scan import FoundPath

PATH, ID, CONTENT, SEEN, ORIGIN = "path", "id", "content", "seen", "origin"
SHORTEST_ID = 8
"""Shorter ids may belong to several conversations."""
ANY_FORMAT = ""
"""The format in the hash of an id that matches in every format."""
SHOWN = 12
"""How many digits of a hash are shown."""

_ANY = "SELECT 1 FROM tombstones LIMIT 1"
_ADD = "INSERT INTO tombstones (format, time) VALUES (?, ?)"
_ADD_HASH = """
INSERT INTO tombstone_hashes (hash, tombstone, kind) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
"""
_FIND = "SELECT tombstone FROM tombstone_hashes WHERE hash = ? LIMIT 1"
_HAS_CONTENT = "SELECT 1 FROM tombstone_hashes WHERE kind = 'content' LIMIT 1"
_FORMATS = "SELECT DISTINCT format FROM tombstones ORDER BY format"
_ALL = """
SELECT id, time, format, (SELECT hash FROM tombstone_hashes WHERE tombstone = id
  ORDER BY kind = 'path' DESC, hash LIMIT 1)
FROM tombstones ORDER BY id
"""
_OF = "SELECT DISTINCT tombstone FROM tombstone_hashes WHERE hash = ?"
_DROP_HASHES = """
DELETE FROM tombstone_hashes
WHERE hash IN (SELECT hash FROM tombstone_hashes WHERE tombstone = ?)
"""
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_NAMES = 3
"""How many names at the end of a path may be that of a conversation."""
_DROP_EMPTY = """
DELETE FROM tombstones WHERE id NOT IN (SELECT tombstone FROM tombstone_hashes)
"""


class Tombstone(NamedTuple):
    """A forgotten source, as far as anything is known of it."""

    number: int
    time: int
    """Nanoseconds since 1970."""
    format: str
    hash: str


class Tombstones:
    """The tombstones of a library."""

    def __init__(self, db: Database, root: Path) -> None:
        self._db = db
        self._root = root
        self._hash: KeyedHash | None = None
        self._any = db.read_one(_ANY) is not None

    def __bool__(self) -> bool:
        return self._any

    def has_path(self, path: bytes) -> bool:
        """Whether the source at a path was forgotten."""
        return self._any and self._find(PATH, path) is not None

    def find_number(self, found: FoundPath) -> int | None:
        """Return the tombstone of a source, or of what it is an unchanged copy of."""
        if not self._any:
            return None
        number = self._find(PATH, found.path)
        return self._find(SEEN, _encode_stamps(found)) if number is None else number

    def add_copy(self, found: FoundPath, numbers: Iterable[int]) -> None:
        """Record a copy of something forgotten, so that it is not read again while unchanged."""
        for number in numbers:
            self._add(SEEN, _encode_stamps(found), number)

    def find_numbers_by_ids(
        self, format: str, ids: Iterable[str], names: Collection[str] = ()
    ) -> dict[str, int]:
        """Return the tombstones of the forgotten ones among some conversations, by their ids.

        An id of another format also matches, unless it comes from a file or folder name on both
        sides.
        """
        found = {}
        for id in filter(is_unique, ids):
            formats = [format, ANY_FORMAT]
            if is_given(id, names):
                formats += [slug for (slug,) in self._db.read(_FORMATS)]
            numbers = (self._find(ID, _encode_id(slug, id)) for slug in formats)
            number = next((each for each in numbers if each is not None), None)
            if number is not None:
                found[id] = number
        return found

    @property
    def needs_content(self) -> bool:
        """Whether there are forgotten sources that only their content identifies."""
        return self._any and self._db.read_one(_HAS_CONTENT) is not None

    def find_number_by_content(self, contents: Iterable[Content]) -> int | None:
        """Return the tombstone of a source with this content."""
        return self._find(CONTENT, content_digest(contents))

    def find_number_by_origin(self, origin: str) -> int | None:
        """Return the tombstone of the source with this origin in converted files."""
        return self._find(ORIGIN, origin.encode())

    def add(
        self,
        format: str,
        paths: Iterable[bytes],
        ids: Iterable[tuple[str, str]],
        *,
        digest: bytes | None = None,
        origin: str | None = None,
    ) -> int:
        """Add a tombstone, in the caller's transaction; ids come with their formats.

        `digest` is that of the content; `origin` is the name of the source in files converted from
        it.
        """
        number = self._db.run(_ADD, (format, time.time_ns()))
        paths = list(paths)
        names = {name for path in paths for name in names_from_path(path)}
        for path in paths:
            self._add(PATH, path, number)
        for slug, id in ids:
            if is_unique(id):
                self._add(ID, _encode_id(slug, id), number)
                if is_given(id, names):
                    self._add(ID, _encode_id(ANY_FORMAT, id), number)
        if digest is not None:
            self._add(CONTENT, digest, number)
        if origin is not None:
            self._add(ORIGIN, origin.encode(), number)
        self._any = True
        return number

    def _add(self, kind: str, value: bytes, number: int) -> None:
        self._db.run(_ADD_HASH, (self._keyed.hash_value(kind, value), number, kind))

    def list_all(self) -> list[Tombstone]:
        """Return all of them, oldest first."""
        return [
            Tombstone(number, when, format, (hash or b"").hex()[:SHOWN])
            for number, when, format, hash in self._db.read(_ALL)
        ]

    def readmit(self, named: str) -> list[Tombstone]:
        """Remove the tombstones that match a number, a path, an id or a hash prefix."""
        chosen = self._find_named(named)
        if not chosen:
            raise NotFound(
                f"{named}: no forgotten conversation",
                hint="`talktree library forgotten` lists them; name a number, a path or an id",
            )
        with self._db.transaction(durable=True):
            for each in chosen:
                self._db.run(_DROP_HASHES, (each.number,))
            self._db.run(_DROP_EMPTY)
        self._any = self._db.read_one(_ANY) is not None
        return chosen

    def has_path_or_id(self, named: str) -> bool:
        """Whether something with a path or an id was forgotten."""
        return bool(self._find_numbers(named, self.list_all()))

    def _find_named(self, named: str) -> list[Tombstone]:
        known = self.list_all()
        if named.isdecimal() and len(named) < SHOWN:
            return [each for each in known if each.number == int(named)]
        numbers = self._find_numbers(named, known)
        return [
            each
            for each in known
            if each.number in numbers or (len(named) >= SHORTEST_ID and each.hash == named)
        ]

    def _find_numbers(self, named: str, known: list[Tombstone]) -> set[int]:
        """Return the numbers of the tombstones of a path or an id."""
        if keyed_hash(self._root, make=False) is None:
            return set()
        path = os.path.abspath(os.fsencode(named))
        formats = {each.format for each in known}
        hashes = [self._keyed.hash_value(PATH, path)]
        id = os.fsencode(named).decode("utf-8", "replace")
        hashes += [self._keyed.hash_value(ID, _encode_id(format, id)) for format in formats]
        return {row[0] for hash in hashes for row in self._db.read(_OF, (hash,))}

    def _find(self, kind: str, value: bytes) -> int | None:
        if self._hash is None:
            self._hash = keyed_hash(self._root, make=False)
        if self._hash is None:
            return None  # the key is lost; `check` reports it
        row = self._db.read_one(_FIND, (self._hash.hash_value(kind, value),))
        return None if row is None else int(row[0])

    @property
    def _keyed(self) -> KeyedHash:
        if self._hash is None:
            self._hash = keyed_hash(self._root, make=True)
            assert self._hash is not None
        return self._hash


def is_unique(id: str) -> bool:
    """Whether an id is long enough to belong to one conversation only."""
    return len(id) >= SHORTEST_ID


def is_given(id: str, names: Collection[str]) -> bool:
    """Whether an id comes from the records of a conversation, not from the name of its file.

    Names such as `conversation` are common file names. A UUID identifies one conversation even if
    the file is named after it.
    """
    return id not in names or _UUID.search(id) is not None


def names_from_path(path: bytes) -> set[str]:
    """Return the names in a path that may be the id of a conversation, without endings."""
    parts = os.fsdecode(path).split(os.sep)[-_NAMES:]
    return {name for part in parts for name in (part, stem_of(part), part.partition(".")[0])}


def content_digest(contents: Iterable[Content]) -> bytes:
    """Return a digest that distinguishes the content of a source from that of others."""
    from hashlib import sha256

    made = sha256()
    for content in contents:
        made.update(b"%d:" % content.size)
        for block in content.blocks():
            made.update(block)
    return made.digest()


def _encode_stamps(found: FoundPath) -> bytes:
    """Return the stamps that show whether a file or folder is unchanged since it was seen."""
    return repr([found.path, *(seen[:5] for seen in found.files)]).encode()


def _encode_id(format: str, id: str) -> bytes:
    return f"{format}\0{id}".encode("utf-8", "replace")
