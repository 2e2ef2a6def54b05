"""The library as a search backend: pieces from the archive, and facts of their sources.

What is read of a source is cached until the index has another commit.

The protocol is what a search needs of a library.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol
from weakref import WeakKeyDictionary, ref

from msgspec import Struct

from talktree.library.search.compile import RecordRange

if TYPE_CHECKING:
    from talktree.library.archive.store import Archive
    from talktree.library.database.connection import Database
    from talktree.library.extract.facts import Heading, SearchPiece
    from talktree.library.extract.packed_tree import PackedTree
    from talktree.library.fulltext.either_index import AnyFullText
    from talktree.library.fulltext.index import PieceAddress


class HitConversation(NamedTuple):
    """The facts of the conversation that a piece is in."""

    conversation: str
    """Its id in its own format, or else its number in the library."""
    path: bytes
    format: str
    title: str | None
    project: str | None
    here: bool = True
    """Whether its file still exists."""


class RecordState(NamedTuple):
    """The id of a record, and whether the current leaf reaches it."""

    message: str | None
    state: str


class SearchBackend(Protocol):
    """A library as a search sees it."""

    @property
    def fulltext(self) -> AnyFullText:
        """The index."""

    def ahead(self, places: Sequence[PieceAddress]) -> None:
        """Announce that the pieces of these places will be read."""

    def pieces(self, source: int, at: int) -> Sequence[SearchPiece]:
        """Return the pieces of one record, extracted again; none if it no longer exists."""

    def about(self, source: int, at: int) -> HitConversation | None:
        """Return the conversation of a record; None if it was forgotten meanwhile."""

    def where(self, source: int, at: int) -> RecordState:
        """Return the id of a record, and its state: current, abandoned or compacted."""

    def sessions(self, beginning: str) -> Sequence[RecordRange]:
        """Return the conversations whose ids begin with this prefix."""


_SOURCE = """
SELECT s.native, s.path, s.format, s.title, n.text, s.state, s.lines, f.generation
FROM sources AS s LEFT JOIN names AS n ON n.id = s.project
LEFT JOIN files AS f ON f.source = s.id AND f.path = s.path
WHERE s.id = ?
"""
_CONVERSATIONS = "SELECT start, native, title FROM conversations WHERE source = ? ORDER BY number"
_SHAPE = "SELECT shape FROM sources WHERE id = ?"
_BY_ID = """
SELECT c.source, c.start, (SELECT n.start FROM conversations AS n
  WHERE n.source = c.source AND n.number = c.number + 1)
FROM conversations AS c WHERE c.native >= ? AND c.native < ? ORDER BY c.source, c.number
"""
_BY_NAME = "SELECT id, path FROM sources WHERE native IS NULL"
_TOOL = """
SELECT n.text FROM calls AS c JOIN names AS n ON n.id = c.tool WHERE c.key = ? AND c.source = ?
"""
_LAST = "\U0010ffff"
_CALL_ID = re.compile(rb'"tool_use_id"\s*:\s*"([^"\\]+)"')
_LINES_KEPT = 512
_LONG = 64 << 10
"""Maximum bytes of a line that is cached."""


class SearchableLibrary(Protocol):
    """The parts of a library that the backend uses."""

    @property
    def db(self) -> Database:
        """The tables."""

    @property
    def archive(self) -> Archive:
        """The bytes of all sources."""

    @property
    def fulltext(self) -> AnyFullText:
        """The index."""


def get_backend(library: SearchableLibrary) -> LibraryBackend:
    """Return the backend of a library, the same as long as it is open."""
    shelf = _shelves.get(library)
    if shelf is None:
        shelf = _shelves[library] = LibraryBackend(library)
    return shelf


class _Source(Struct, frozen=True):
    about: HitConversation
    lines: bool
    """Whether its records are lines of one file."""
    generation: int | None


class LibraryBackend:
    """The search backend of an open library."""

    def __init__(self, library: SearchableLibrary) -> None:
        self._whose = ref(library)
        self._db = library.db
        self._commit: object = None
        self._sources: dict[int, _Source | None] = {}
        self._conversations: dict[int, Sequence[tuple[int, str | None, str | None]]] = {}
        self._shapes: dict[int, PackedTree | None] = {}
        self._lines: dict[tuple[int, int], bytes] = {}

    @property
    def fulltext(self) -> AnyFullText:
        """The index, as of its last commit; what was cached of an older one is dropped."""
        index = self._open().fulltext
        commit = index.searcher()
        if commit is not self._commit:
            self._commit = commit
            for known in (self._sources, self._conversations, self._shapes, self._lines):
                known.clear()
        return index

    def _open(self) -> SearchableLibrary:
        library = self._whose()
        assert library is not None, "a shelf lives as long as its library"
        return library

    def pieces(self, source: int, at: int) -> Sequence[SearchPiece]:
        """Return the pieces of one record, extracted again."""
        known = self._load_source(source)
        if known is None:
            return ()
        if not known.lines:
            from talktree.library.importing.import_source import read_pieces_at

            return read_pieces_at(self._db, source, at)
        line = self._read_line(source, at)
        from talktree.library.extract.record import extract_pieces

        return extract_pieces(line, at, self._find_heading(source, line))

    def _find_heading(self, source: int, line: bytes) -> Heading | None:
        """Return the tools of the results in a line: only lines before it name them."""
        ids = _CALL_ID.findall(line)
        if not ids:
            return None
        from talktree.library.extract.facts import Heading, hash_id

        keys = [hash_id(id.decode("utf-8", "replace")) for id in ids]
        rows = [(key, self._db.read_one(_TOOL, (key, source))) for key in keys]
        return Heading(open={key: str(row[0]) for key, row in rows if row})

    def about(self, source: int, at: int) -> HitConversation | None:
        """Return the conversation of a record."""
        known = self._load_source(source)
        if known is None:
            return None
        if known.lines:
            return known.about
        rows = self._conversations.get(source)
        if rows is None:
            rows = self._conversations[source] = self._db.read(_CONVERSATIONS, (source,))
        row = next((row for row in reversed(rows) if row[0] <= at), None)
        if row is None or row[1] is None:
            return known.about
        return known.about._replace(conversation=row[1], title=row[2])

    def where(self, source: int, at: int) -> RecordState:
        """Return the id of a record, and its state."""
        known = self._load_source(source)
        shape = self._load_tree(source)
        state = "current" if shape is None else shape.state_at(at)
        if known is None:
            return RecordState(None, state)
        if not known.lines:
            from talktree.library.importing.import_source import read_id_at

            return RecordState(read_id_at(self._db, source, at), state)
        from talktree.library.extract.record import read_record_id

        return RecordState(read_record_id(self._read_line(source, at)), state)

    def sessions(self, beginning: str) -> Sequence[RecordRange]:
        """Return the conversations whose ids begin with this prefix."""
        found = [
            RecordRange(source, start, end)
            for source, start, end in self._db.read(_BY_ID, (beginning, beginning + _LAST))
        ]
        found += [
            RecordRange(source)
            for source, path in self._db.read(_BY_NAME)
            if _fallback_id(path).startswith(beginning)
        ]
        return found

    def _load_source(self, source: int) -> _Source | None:
        if source not in self._sources:
            row = self._db.read_one(_SOURCE, (source,))
            self._sources[source] = None if row is None else _to_source(row)
        return self._sources[source]

    def _load_tree(self, source: int) -> PackedTree | None:
        if source not in self._shapes:
            from talktree.library.extract.packed_tree import PackedTree

            row = self._db.read_one(_SHAPE, (source,))
            self._shapes[source] = PackedTree.unpack(row[0]) if row and row[0] else None
        return self._shapes[source]

    def ahead(self, places: Sequence[PieceAddress]) -> None:
        """Read the lines of these places into the cache, which is faster for many together."""
        from talktree.library.archive.line_reader import LinePlace, read_lines_at

        asked: dict[LinePlace, tuple[int, int]] = {}
        for place in places:
            known = self._load_source(place.source)
            if known and known.lines and known.generation is not None:
                asked[LinePlace(known.generation, place.at)] = (place.source, place.at)
        missing = [place for place, key in asked.items() if key not in self._lines]
        for where, line in read_lines_at(self._db, missing).items():
            self._cache_line(*asked[where], line)

    def _read_line(self, source: int, at: int) -> bytes:
        """Return the line at a place."""
        line = self._lines.get((source, at))
        if line is None:
            from talktree.library.extract.record import read_line_at

            known = self._load_source(source)
            generation = known.generation if known else None
            if generation is None:
                return b""
            archive = self._open().archive
            line = read_line_at(lambda start, size: archive.slice(generation, start, size), at)
            self._cache_line(source, at, line)
        return line

    def _cache_line(self, source: int, at: int, line: bytes) -> None:
        """Cache a line for a while, unless it is so long that a few would fill memory."""
        while len(self._lines) >= _LINES_KEPT:
            self._lines.pop(next(iter(self._lines)))
        if len(line) <= _LONG:
            self._lines[source, at] = line


_shelves: WeakKeyDictionary[SearchableLibrary, LibraryBackend] = WeakKeyDictionary()


def _to_source(row: tuple[object, ...]) -> _Source:
    native, path, format, title, project, state, lines, generation = row
    assert isinstance(path, bytes)
    about = HitConversation(
        str(native or _fallback_id(path)),
        path,
        str(format),
        None if title is None else str(title),
        None if project is None else str(project),
        state != "gone",
    )
    return _Source(about, bool(lines), generation if isinstance(generation, int) else None)


def _fallback_id(path: bytes) -> str:
    """Return the name of a conversation without an id: the name of its file."""
    return os.path.splitext(os.fsdecode(os.path.basename(path)))[0]
