"""What is open: sources that were read, for as long as they stay as they are, and not too many.

Each thread reads through a connection of its own; one at a time writes.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

from talktree.errors import NotFound, TalktreeError
from talktree.formats import by_slug
from talktree.formats.engine import read
from talktree.home import data_home
from talktree.library.archive.file_content import archived_source
from talktree.library.library import FOLDER, Library
from talktree.library.listing import Kept, all_of_source, by_source
from talktree.library.versions.edit_history import History
from talktree.library.versions.editing import Versions
from talktree.model.document import Document
from talktree.web.documents.ids import Name, named
from talktree.web.documents.open_conversation import Opened, Paper
from talktree.web.documents.row_list import RowList
from talktree.web.documents.shared import Libraries, SharedLibrary
from talktree.web.documents.stamp import edits_of, stamp_of
from talktree.web.errors import Stale

__all__ = ["Desk", "Opened", "RowList"]

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
