"""The document cache: a bounded number of sources, kept as long as they do not change.

Each thread reads through its own connection; one thread at a time writes.

The state of a source is a short hash of its archived files and its edits.
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
"""Cache of each thread for the database and the archive, in bytes."""


class Libraries:
    """A read-only library for each thread, opened on first use."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._own = threading.local()
        self._closed = False

    def get(self) -> Library:
        """Return the library of this thread."""
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
        """Close all of them; a library that a thread is reading from is closed after that read."""
        self._closed = True
        self._own = threading.local()


class SharedArchive:
    """The archive of the calling thread, so that all threads can read an open document."""

    def __init__(self, libraries: Libraries) -> None:
        self._libraries = libraries

    def length(self, generation: int) -> int:
        """Return the size of a generation in bytes."""
        return self._libraries.get().archive.length(generation)

    def slice(self, generation: int, start: int, length: int) -> bytes:
        """Return a range of bytes of a generation."""
        return self._libraries.get().archive.slice(generation, start, length)

    def read(self, generation: int, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Yield the bytes of a generation, chunk by chunk."""
        return self._libraries.get().archive.read(generation, start, length)


class SharedLibrary:
    """What reading a source needs of a library, for documents that several threads use."""

    def __init__(self, libraries: Libraries) -> None:
        self._libraries = libraries
        self.archive = cast(Archive, SharedArchive(libraries))

    @property
    def db(self) -> Database:
        """The database, through this thread's connection."""
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
    """Return the edits of a source; most sources have none."""
    return load_history(db, source) if db.read_one(_ANY, (source,)) else NEVER_EDITED


def compute_edit_stamp(db: Database, source: int, history: EditHistory | None = None) -> str:
    """Return a hash of the kept files, companion files and edits in effect."""
    history = read_edit_history(db, source) if history is None else history
    files = [(each.path, each.generation, each.length) for each in files_of(db, source)]
    state: tuple[object, ...] = (files, history.standing, history.is_saved)
    others = compute_companions_stamp(db, source)
    if others:
        state = (*state, others)
    return blake2b(msgspec.msgpack.encode(state), digest_size=9).hexdigest()


def compute_companions_stamp(db: Database, source: int) -> list[Row]:
    """Return a hash of a source's companion files; empty if it can have none.

    It only covers names, which is quick: it may change although no companion of the source does.
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
"""Maximum number of states of one source: an undo returns to the previous one."""
MOST_RECORDS = 1_200_000
"""Maximum number of records of all open sources; a single one may have more."""


class DocumentCache:
    """The open sources, and the library they come from."""

    def __init__(self, root: Path | None, *, write: bool) -> None:
        self.root = data_home() / FOLDER if root is None else Path(root)
        self.write = write
        if write:
            # Creates the library if there is none, and migrates an older version.
            Library.open(self.root, write=True).close()
        self._libraries = Libraries(self.root)
        self._shared = SharedLibrary(self._libraries)
        self._papers: OrderedDict[tuple[int, str], LoadedSource] = OrderedDict()
        self._lock = threading.RLock()
        self._reading: dict[int, threading.Lock] = {}
        self._writing = threading.Lock()

    def get_library(self) -> Library:
        """Return this thread's library for reading."""
        return self._libraries.get()

    @contextmanager
    def open_for_writing(self) -> Iterator[Library]:
        """Open the library for writing; one thread at a time."""
        with self._writing:
            library = Library.open(self.root, write=True)
            try:
                yield library
            finally:
                library.close()

    # what is open

    def find_library_entry(self, cid: str) -> tuple[LibraryEntry, ConversationName]:
        """Return the library's entry for the source of a conversation."""
        name = parse_cid(cid)
        found = find_by_source(self.get_library().db, name.source)
        if found is None:
            raise NotFound("there is no such conversation", hint="the list shows all")
        return found, name

    def compute_stamp(self, cid: str) -> str:
        """Return the current state of a conversation without reading it."""
        return compute_edit_stamp(self.get_library().db, parse_cid(cid).source)

    def open(self, cid: str) -> OpenConversation:
        """Return a conversation in its current state, with the edits in effect."""
        name = parse_cid(cid)
        paper = self._find_open(name.source, self.compute_stamp(cid))
        if paper is None:
            with self._lock:
                turn = self._reading.setdefault(name.source, threading.Lock())
            with turn, self.get_library().db.snapshot():
                # Another thread may have read it meanwhile. It is read in the state of the stamp.
                kept, _ = self.find_library_entry(cid)
                history = read_edit_history(self.get_library().db, name.source)
                stamp = compute_edit_stamp(self.get_library().db, name.source, history)
                paper = self._find_open(name.source, stamp)
                if paper is None:
                    paper = self.cache_source(self._read_source(kept, history, stamp))
        return paper.open_conversation(name.number)

    def require(self, cid: str, stamp: str) -> OpenConversation:
        """Return a conversation if it is still in the state the page saw."""
        opened = self.open(cid)
        if opened.stamp != stamp:
            raise StaleState(opened.stamp)
        return opened

    def is_open(self, cid: str) -> bool:
        """Whether a conversation is open in its current state."""
        return self._find_open(parse_cid(cid).source, self.compute_stamp(cid)) is not None

    def prepare(self, cid: str) -> None:
        """Open a conversation in the background, so that the next request finds it open."""
        with self._lock:
            turn = self._reading.setdefault(parse_cid(cid).source, threading.Lock())
        if not turn.locked():
            threading.Thread(target=self._prepare, args=(cid,), daemon=True).start()

    def _prepare(self, cid: str) -> None:
        # The next request for it reports the error.
        with suppress(Exception):
            self.open(cid)

    def forget_source(self, cid: str) -> None:
        """Forget the open states of a source."""
        self.drop({parse_cid(cid).source})

    def list_sources(self) -> set[int]:
        """Return the open sources."""
        with self._lock:
            return {source for source, _ in self._papers}

    def drop(self, sources: Collection[int]) -> None:
        """Forget the open states of some sources."""
        with self._lock:
            for each in [each for each in self._papers if each[0] in sources]:
                del self._papers[each]

    def close(self) -> None:
        """Close everything."""
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
        """Cache a source in the state in which it was read; the oldest entries are dropped."""
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
        """Return states of a source that no undo can reach: those of other files, or too many."""
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
            # The file changed below its edits; it is shown without them.
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
