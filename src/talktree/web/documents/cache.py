"""What is open: sources that were read, for as long as they stay as they are, and not too many.

Each thread reads through a connection of its own; one at a time writes.

A library that any thread may read: each has a connection of its own.

What state a source is in: a short hash of what the archive has of it and of its edits.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import cast
from weakref import finalize

import msgspec

from talktree.errors import LockHeld, NotFound, TalktreeError
from talktree.files import stem_of
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.home import data_home
from talktree.library.archive.file_content import read_archived_source
from talktree.library.archive.source_versions import files_of
from talktree.library.archive.store import Archive
from talktree.library.database.connection import Database, Row
from talktree.library.library import FOLDER, Library
from talktree.library.listing import LibraryEntry, find_all_of_source, find_by_source
from talktree.library.versions.edit_history import EditHistory, load_history
from talktree.library.versions.editing import Versions
from talktree.model.document import Document
from talktree.web.documents.ids import ConversationName, parse_cid
from talktree.web.documents.open_conversation import LoadedSource, OpenConversation
from talktree.web.documents.row_list import RowList
from talktree.web.errors import StaleState

__all__ = ["DocumentCache", "OpenConversation", "RowList"]


PAGES, CHUNKS = 4 << 20, 8 << 20
"""What each thread keeps at hand of the database and of the archive, in bytes."""


class Libraries:
    """A read-only library a thread, opened when it is first asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._own = threading.local()
        self._closed = False

    def get(self) -> Library:
        """The library of this thread."""
        found = getattr(self._own, "library", None)
        if self._closed:
            raise LockHeld("the studio is being closed", hint="start it again")
        if found is None:
            found = self._own.library = Library.open(self.root)
            found.db.limit_cache(PAGES)
            found.archive.limit_cache(CHUNKS)
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
        return self._libraries.get().archive.length(generation)

    def slice(self, generation: int, start: int, length: int) -> bytes:
        """A few bytes of a generation."""
        return self._libraries.get().archive.slice(generation, start, length)

    def read(self, generation: int, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """The bytes of a generation, chunk by chunk."""
        return self._libraries.get().archive.read(generation, start, length)


class SharedLibrary:
    """What reading a source needs of a library, for documents that many threads look into."""

    def __init__(self, libraries: Libraries) -> None:
        self._libraries = libraries
        self.archive = cast(Archive, SharedArchive(libraries))

    @property
    def db(self) -> Database:
        """The tables, by the connection of this thread."""
        return self._libraries.get().db


_ANY = "SELECT 1 FROM operations WHERE source = ? LIMIT 1"
_SOURCE = "SELECT path, native FROM sources WHERE id = ?"
_BELOW = """
SELECT f.path, g.id, g.length FROM files AS f JOIN generations AS g ON g.id = f.generation
WHERE f.path >= ? AND f.path < ? ORDER BY f.path
"""
_BESIDE = """
SELECT id, archived FROM sources
WHERE path >= ? AND path < ? AND parent = ? AND native <> parent ORDER BY id
"""
NEVER_EDITED = EditHistory(())


def read_edit_history(db: Database, source: int) -> EditHistory:
    """The edits of a source; most have none."""
    return load_history(db, source) if db.read_one(_ANY, (source,)) else NEVER_EDITED


def compute_edit_stamp(db: Database, source: int, history: EditHistory | None = None) -> str:
    """The same as long as the kept files, companion files and edits that count are the same."""
    history = read_edit_history(db, source) if history is None else history
    files = [(each.path, each.generation, each.length) for each in files_of(db, source)]
    state: tuple[object, ...] = (files, history.standing, history.is_saved)
    others = compute_companions_stamp(db, source)
    if others:
        state = (*state, others)
    return blake2b(msgspec.msgpack.encode(state), digest_size=9).hexdigest()


def compute_companions_stamp(db: Database, source: int) -> list[Row]:
    """What changes when a companion file of a source does; empty if it can have none.

    By names alone, which is quick: it may change when nothing that belongs to the source does.
    """
    row = db.read_one(_SOURCE, (source,))
    if row is None:
        return []
    path, native = row
    folder = os.fsencode(stem_of(os.fsdecode(path)))
    below = [] if folder == path else db.read(_BELOW, (folder + b"/", folder + b"0"))
    above = os.path.dirname(path)
    return below + db.read(_BESIDE, (above + b"/", above + b"0", native))


MOST_OPEN = 12
MOST_STATES = 4
"""How many states of one source: an undo leads back to the one before."""
MOST_RECORDS = 1_200_000
"""How many records all open sources may have together; a single one may have more."""


class DocumentCache:
    """What is open, and the library it comes from."""

    def __init__(self, root: Path | None, *, write: bool) -> None:
        self.root = data_home() / FOLDER if root is None else Path(root)
        self.write = write
        if write:
            # Makes it where there is none, and brings one of an older version up to date.
            Library.open(self.root, write=True).close()
        self._libraries = Libraries(self.root)
        self._shared = SharedLibrary(self._libraries)
        self._papers: OrderedDict[tuple[int, str], LoadedSource] = OrderedDict()
        self._lock = threading.RLock()
        self._reading: dict[int, threading.Lock] = {}
        self._writing = threading.Lock()

    def get_library(self) -> Library:
        """This thread's library, to read from."""
        return self._libraries.get()

    @contextmanager
    def open_for_writing(self) -> Iterator[Library]:
        """The library, to write to; one at a time."""
        with self._writing:
            library = Library.open(self.root, write=True)
            try:
                yield library
            finally:
                library.close()

    # what is open

    def find_library_entry(self, cid: str) -> tuple[LibraryEntry, ConversationName]:
        """What the library tells of the source of a conversation."""
        name = parse_cid(cid)
        found = find_by_source(self.get_library().db, name.source)
        if found is None:
            raise NotFound("there is no such conversation", hint="the list shows all")
        return found, name

    def compute_stamp(self, cid: str) -> str:
        """The state a conversation is in now, without reading it."""
        return compute_edit_stamp(self.get_library().db, parse_cid(cid).source)

    def open(self, cid: str) -> OpenConversation:
        """A conversation as it is now, with the edits that count."""
        name = parse_cid(cid)
        paper = self._find_open(name.source, self.compute_stamp(cid))
        if paper is None:
            with self._lock:
                turn = self._reading.setdefault(name.source, threading.Lock())
            with turn, self.get_library().db.snapshot():
                # Whoever waited finds it read; and what is read is what the stamp stands for.
                kept, _ = self.find_library_entry(cid)
                history = read_edit_history(self.get_library().db, name.source)
                stamp = compute_edit_stamp(self.get_library().db, name.source, history)
                paper = self._find_open(name.source, stamp)
                if paper is None:
                    paper = self.cache_source(self._read_source(kept, history, stamp))
        return paper.open_conversation(name.number)

    def require(self, cid: str, stamp: str) -> OpenConversation:
        """A conversation, if it still is in the state that somebody saw."""
        opened = self.open(cid)
        if opened.stamp != stamp:
            raise StaleState(opened.stamp)
        return opened

    def is_open(self, cid: str) -> bool:
        """Whether a conversation lies open as it is now."""
        return self._find_open(parse_cid(cid).source, self.compute_stamp(cid)) is not None

    def prepare(self, cid: str) -> None:
        """Open a conversation meanwhile, so that the next question finds it open."""
        with self._lock:
            turn = self._reading.setdefault(parse_cid(cid).source, threading.Lock())
        if not turn.locked():
            threading.Thread(target=self._prepare, args=(cid,), daemon=True).start()

    def _prepare(self, cid: str) -> None:
        # Whatever is wrong is told to whoever asks for it.
        with suppress(Exception):
            self.open(cid)

    def forget_source(self, cid: str) -> None:
        """Forget what is open of a source."""
        self.drop({parse_cid(cid).source})

    def list_sources(self) -> set[int]:
        """The sources that are open."""
        with self._lock:
            return {source for source, _ in self._papers}

    def drop(self, sources: Collection[int]) -> None:
        """Forget what is open of some sources."""
        with self._lock:
            for each in [each for each in self._papers if each[0] in sources]:
                del self._papers[each]

    def close(self) -> None:
        """Put everything away."""
        with self._lock:
            self._papers.clear()
        self._libraries.close()

    # reading

    def _find_open(self, source: int, stamp: str) -> LoadedSource | None:
        with self._lock:
            found = self._papers.get((source, stamp))
            if found is not None:
                self._papers.move_to_end((source, stamp))
            return found

    def cache_source(self, paper: LoadedSource) -> LoadedSource:
        """Have a source at hand in the state it was read in; what is too much is put away."""
        source = paper.kept.source
        with self._lock:
            self._papers.pop((source, paper.stamp), None)
            for name in self._find_outdated(paper.kept):
                del self._papers[name]
            self._papers[source, paper.stamp] = paper
            while len(self._papers) > 1 and self._is_full():
                (gone, _), _ = self._papers.popitem(last=False)
                if all(gone != each for each, _ in self._papers):
                    self._reading.pop(gone, None)
        return paper

    def _find_outdated(self, kept: LibraryEntry) -> list[tuple[int, str]]:
        """States of a source to which no undo leads: of other files, or too many."""
        mine = [(name, each) for name, each in self._papers.items() if name[0] == kept.source]
        others = [name for name, each in mine if each.kept != kept]
        same = [name for name, each in mine if each.kept == kept]
        return [*others, *same[: max(0, len(same) + 1 - MOST_STATES)]]

    def _is_full(self) -> bool:
        weights = [paper.weight for paper in self._papers.values()]
        return len(weights) > MOST_OPEN or sum(weights) > MOST_RECORDS

    def _read_source(self, kept: LibraryEntry, history: EditHistory, stamp: str) -> LoadedSource:
        edited = not history.is_saved
        notice = None
        try:
            document = self._read_with_edits(kept)
        except TalktreeError as error:
            if not edited:
                raise
            # The file became another below its edits; it is shown as it is.
            document, edited, notice = self._read_without_edits(kept), False, error.message
        titles = tuple(
            each.title for each in find_all_of_source(self.get_library().db, kept.source)
        )
        return LoadedSource(kept, document, stamp, edited=edited, notice=notice, titles=titles)

    def _read_with_edits(self, kept: LibraryEntry) -> Document:
        return Versions(cast(Library, self._shared), kept.source).document()

    def _read_without_edits(self, kept: LibraryEntry) -> Document:
        db, archive = self._shared.db, self._shared.archive
        source = read_archived_source(db, archive, kept.source, companions=True)
        return read_document(source, get_format(kept.format))
