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

from talktree.errors import Busy, NotFound, TalktreeError
from talktree.files import stem_of
from talktree.formats import by_slug
from talktree.formats.engine import read
from talktree.home import data_home
from talktree.library.archive.file_content import archived_source
from talktree.library.archive.source_versions import files_of
from talktree.library.archive.store import Archive
from talktree.library.database.connection import Database, Row
from talktree.library.library import FOLDER, Library
from talktree.library.listing import Kept, all_of_source, by_source
from talktree.library.versions.edit_history import History, history_of
from talktree.library.versions.editing import Versions
from talktree.model.document import Document
from talktree.web.documents.ids import Name, named
from talktree.web.documents.open_conversation import Opened, Paper
from talktree.web.documents.row_list import RowList
from talktree.web.errors import Stale

__all__ = ["Desk", "Opened", "RowList"]


PAGES, CHUNKS = 4 << 20, 8 << 20
"""What each thread keeps at hand of the database and of the archive, in bytes."""


class Libraries:
    """A read-only library a thread, opened when it is first asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._own = threading.local()
        self._closed = False

    def mine(self) -> Library:
        """The library of this thread."""
        found = getattr(self._own, "library", None)
        if self._closed:
            raise Busy("the studio is being closed", hint="start it again")
        if found is None:
            found = self._own.library = Library.open(self.root)
            found.db.hold(PAGES)
            found.archive.hold(CHUNKS)
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
        return self._libraries.mine().archive.length(generation)

    def slice(self, generation: int, start: int, length: int) -> bytes:
        """A few bytes of a generation."""
        return self._libraries.mine().archive.slice(generation, start, length)

    def read(self, generation: int, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """The bytes of a generation, chunk by chunk."""
        return self._libraries.mine().archive.read(generation, start, length)


class SharedLibrary:
    """What reading a source needs of a library, for documents that many threads look into."""

    def __init__(self, libraries: Libraries) -> None:
        self._libraries = libraries
        self.archive = cast(Archive, SharedArchive(libraries))

    @property
    def db(self) -> Database:
        """The tables, by the connection of this thread."""
        return self._libraries.mine().db


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
NEVER_EDITED = History(())


def edits_of(db: Database, source: int) -> History:
    """The edits of a source; most have none."""
    return history_of(db, source) if db.one(_ANY, (source,)) else NEVER_EDITED


def stamp_of(db: Database, source: int, history: History | None = None) -> str:
    """The same as long as the kept files, companion files and edits that count are the same."""
    history = edits_of(db, source) if history is None else history
    files = [(each.path, each.generation, each.length) for each in files_of(db, source)]
    state: tuple[object, ...] = (files, history.standing, history.is_saved)
    others = companions_stamp(db, source)
    if others:
        state = (*state, others)
    return blake2b(msgspec.msgpack.encode(state), digest_size=9).hexdigest()


def companions_stamp(db: Database, source: int) -> list[Row]:
    """What changes when a companion file of a source does; empty if it can have none.

    By names alone, which is quick: it may change when nothing that belongs to the source does.
    """
    row = db.one(_SOURCE, (source,))
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


class Desk:
    """What is open, and the library it comes from."""

    def __init__(self, root: Path | None, *, write: bool) -> None:
        self.root = data_home() / FOLDER if root is None else Path(root)
        self.write = write
        if write:
            # Makes it where there is none, and brings one of an older version up to date.
            Library.open(self.root, write=True).close()
        self._libraries = Libraries(self.root)
        self._shared = SharedLibrary(self._libraries)
        self._papers: OrderedDict[tuple[int, str], Paper] = OrderedDict()
        self._lock = threading.RLock()
        self._reading: dict[int, threading.Lock] = {}
        self._writing = threading.Lock()

    def library(self) -> Library:
        """This thread's library, to read from."""
        return self._libraries.mine()

    @contextmanager
    def writing(self) -> Iterator[Library]:
        """The library, to write to; one at a time."""
        with self._writing:
            library = Library.open(self.root, write=True)
            try:
                yield library
            finally:
                library.close()

    # what is open

    def kept(self, cid: str) -> tuple[Kept, Name]:
        """What the library tells of the source of a conversation."""
        name = named(cid)
        found = by_source(self.library().db, name.source)
        if found is None:
            raise NotFound("there is no such conversation", hint="the list shows all")
        return found, name

    def stamp(self, cid: str) -> str:
        """The state a conversation is in now, without reading it."""
        return stamp_of(self.library().db, named(cid).source)

    def open(self, cid: str) -> Opened:
        """A conversation as it is now, with the edits that count."""
        name = named(cid)
        paper = self._at_hand(name.source, self.stamp(cid))
        if paper is None:
            with self._lock:
                turn = self._reading.setdefault(name.source, threading.Lock())
            with turn, self.library().db.snapshot():
                # Whoever waited finds it read; and what is read is what the stamp stands for.
                kept, _ = self.kept(cid)
                history = edits_of(self.library().db, name.source)
                stamp = stamp_of(self.library().db, name.source, history)
                paper = self._at_hand(name.source, stamp)
                if paper is None:
                    paper = self.lay_out(self._read(kept, history, stamp))
        return paper.conversation(name.number)

    def require(self, cid: str, stamp: str) -> Opened:
        """A conversation, if it still is in the state that somebody saw."""
        opened = self.open(cid)
        if opened.stamp != stamp:
            raise Stale(opened.stamp)
        return opened

    def is_at_hand(self, cid: str) -> bool:
        """Whether a conversation lies open as it is now."""
        return self._at_hand(named(cid).source, self.stamp(cid)) is not None

    def prepare(self, cid: str) -> None:
        """Open a conversation meanwhile, so that the next question finds it open."""
        with self._lock:
            turn = self._reading.setdefault(named(cid).source, threading.Lock())
        if not turn.locked():
            threading.Thread(target=self._prepare, args=(cid,), daemon=True).start()

    def _prepare(self, cid: str) -> None:
        # Whatever is wrong is told to whoever asks for it.
        with suppress(Exception):
            self.open(cid)

    def changed(self, cid: str) -> None:
        """Forget what is open of a source."""
        self.drop({named(cid).source})

    def sources(self) -> set[int]:
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

    def _at_hand(self, source: int, stamp: str) -> Paper | None:
        with self._lock:
            found = self._papers.get((source, stamp))
            if found is not None:
                self._papers.move_to_end((source, stamp))
            return found

    def lay_out(self, paper: Paper) -> Paper:
        """Have a source at hand in the state it was read in; what is too much is put away."""
        source = paper.kept.source
        with self._lock:
            self._papers.pop((source, paper.stamp), None)
            for name in self._outdated(paper.kept):
                del self._papers[name]
            self._papers[source, paper.stamp] = paper
            while len(self._papers) > 1 and self._is_full():
                (gone, _), _ = self._papers.popitem(last=False)
                if all(gone != each for each, _ in self._papers):
                    self._reading.pop(gone, None)
        return paper

    def _outdated(self, kept: Kept) -> list[tuple[int, str]]:
        """States of a source to which no undo leads: of other files, or too many."""
        mine = [(name, each) for name, each in self._papers.items() if name[0] == kept.source]
        others = [name for name, each in mine if each.kept != kept]
        same = [name for name, each in mine if each.kept == kept]
        return [*others, *same[: max(0, len(same) + 1 - MOST_STATES)]]

    def _is_full(self) -> bool:
        weights = [paper.weight for paper in self._papers.values()]
        return len(weights) > MOST_OPEN or sum(weights) > MOST_RECORDS

    def _read(self, kept: Kept, history: History, stamp: str) -> Paper:
        edited = not history.is_saved
        notice = None
        try:
            document = self._with_edits(kept)
        except TalktreeError as error:
            if not edited:
                raise
            # The file became another below its edits; it is shown as it is.
            document, edited, notice = self._without_edits(kept), False, error.message
        titles = tuple(each.title for each in all_of_source(self.library().db, kept.source))
        return Paper(kept, document, stamp, edited=edited, notice=notice, titles=titles)

    def _with_edits(self, kept: Kept) -> Document:
        return Versions(cast(Library, self._shared), kept.source).document()

    def _without_edits(self, kept: Kept) -> Document:
        db, archive = self._shared.db, self._shared.archive
        source = archived_source(db, archive, kept.source, companions=True)
        return read(source, by_slug(kept.format))
