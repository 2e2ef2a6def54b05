"""Editing what the library keeps: the source file changes only when it is saved."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from talktree.errors import ChangedMeanwhile, NotFound, NotUndoable, UsageError
from talktree.files import Source, load
from talktree.files.content import Content
from talktree.files.safe_replace import replaced
from talktree.formats import all_formats, by_slug
from talktree.formats.engine import Origin, read, write
from talktree.formats.engine.write import changed_files, edited, files_answered, filled
from talktree.formats.secrets import without_secrets
from talktree.library.archive.file_content import source_of, with_kept_companions
from talktree.library.versions.edit_history import (
    Edit,
    Edited,
    History,
    Redone,
    Row,
    Saved,
    Saving,
    Stand,
    Undone,
    add,
    history_of,
    stand_of,
)
from talktree.model.document import Document
from talktree.model.operations import Operation

if TYPE_CHECKING:
    from talktree.library.library import Library

WAIT = 5.0
"""Seconds to wait for an import to end before something is saved."""
_SOURCE = "SELECT path, format FROM sources WHERE id = ?"


def _always() -> None:
    """Nothing has to be asked."""


class Versions:
    """The edits of one kept source."""

    def __init__(self, library: Library, source: int, sure: Callable[[], None] = _always) -> None:
        row = library.db.one(_SOURCE, (source,))
        if row is None:
            raise NotFound(f"no source {source} in the library", hint="`talktree list` shows them")
        self._library = library
        self._source = source
        self._sure = sure
        """Asked when nobody else can change anything, before something is written; it may raise."""
        self.path = Path(os.fsdecode(row[0]))
        self.format: str = row[1]
        self._format = by_slug(row[1])

    @property
    def history(self) -> History:
        """All edits, and which of them count."""
        history = history_of(self._library.db, self._source)
        saved = None if history.saving is None else self._came_of(history.saving)
        if saved is not None:
            history.saved, history.saving = saved, None
            history.keep_saved(self._stand())
        return history

    def document(self) -> Document:
        """The source with the edits that count, and with its companion files."""
        return self._edited(self.history, companions=True)

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit that can be taken back."""
        history = self.history
        return bool(history.standing) and not self._is_settled(history)

    def do(
        self, conversation: str, operation: Operation, known: Document | None = None
    ) -> Document:
        """One more edit; it is refused if it cannot be done or cannot be written in this format.

        Who has read the source with the edits that count passes that on, so it is not read again.
        """
        history, on = self._settled(), self._stand()
        before = self._edited(history) if known is None else known
        after = edited(before, conversation, operation)
        self._refuse_companions(after)
        for pieces in write(after).values():
            for _ in pieces:
                pass
        row = Edited(conversation=conversation, operation=operation, on=on)
        with self._library.db.transaction(durable=True):
            if self._stand() != on:
                raise ChangedMeanwhile(
                    f"{self.path}: it went on meanwhile", hint="look again, and do it again then"
                )
            self._add(row, history)
        return after

    def _refuse_companions(self, after: Document) -> None:
        """Raise if an edit changes a companion file, which is a conversation of its own."""
        origin = after.origin
        assert isinstance(origin, Origin)
        if origin.source.main is None:
            return
        for path in (*changed_files(after), *files_answered(after)):
            if path != origin.source.main:
                raise UsageError(
                    f"this message is in {self.path.parent / path}",
                    hint="edit it there: it is a conversation of its own",
                )

    def undo(self) -> Edit:
        """The last edit that counts, not counting any more."""
        history = self._settled()
        about = history.to_undo()
        if self._is_settled(history):
            raise NotUndoable(
                f"{self.path}: the edits were saved, and the file has changed since",
                hint="`talktree library restore` gives any version of it",
            )
        self._add(Undone(about=about), history)
        return history.edit(about)

    def redo(self) -> Edit:
        """The edit that was undone last, counting again."""
        history = self._settled()
        about = history.to_redo()
        self._add(Redone(about=about), history)
        return history.edit(about)

    def save(self) -> list[Path]:
        """Write the edits into the source, if it is still what the library knows of it."""
        with self._library.lock.held(WAIT):
            history = self._settled()
            if history.is_saved:
                return []
            wanted = self._edited(history)
            now = self.on_disk()
            self._verify_versions()
            standing, (ground, _) = tuple(history.standing), self._ground(history)
            # Said before it is done: whoever is interrupted finds out later how far it came.
            said = Saving(standing=standing, hashes=_hashes(write(wanted)), ground=ground)
            last = self._add(said, history)
            # `on_disk` has just compared the files with those that the archive keeps.
            written = replaced(now, self.path, lambda: write(wanted), backup=False).changed
            self._library.import_([self.path])
            row = Saved(made=self._stand(), standing=standing, ground=ground)
            add(self._library.db, self._source, time.time_ns(), row, after=last)
        return written

    def _verify_versions(self) -> None:
        """Record that the files are what the library has of them, as they were just compared."""
        with self._library.db.transaction(durable=True):
            for generation, length in self._stand().values():
                self._library.archive.verify_versions(generation, length)

    def _add(self, row: Row, history: History) -> int:
        with self._library.db.transaction(durable=True):
            self._sure()
            return add(self._library.db, self._source, time.time_ns(), row, after=history.last)

    def _settled(self) -> History:
        """The history, with what is known of an interrupted save written down."""
        known = self.history
        noted = history_of(self._library.db, self._source)
        if noted.saving is None or known.saving is not None or known.saved is None:
            return known
        self._add(known.saved, noted)
        return self.history

    # what the edits stand on

    def _edited(self, history: History, *, companions: bool = False) -> Document:
        stand, edits = self._ground(history)
        source = self._kept(stand)
        if companions:
            library = self._library
            source = with_kept_companions(library.db, library.archive, self._source, source)
        document = read(source, self._format)
        for edit in edits:
            changed = filled(document.find(edit.conversation), edit.operation)
            document = document.with_conversation(changed)
        return document

    def _ground(self, history: History) -> tuple[Stand, list[Edit]]:
        """What the edits are done on, and which of them are not in it yet."""
        now, saved, base = self._stand(), history.saved, history.base
        edits: list[Edit] | None = history.counting()
        if saved is not None and saved.made != now:
            # It went on by itself since it was saved: there is no way back behind that.
            edits, base = history.left_of(saved), saved.made
        elif saved is not None:
            # Not what the first edit was made on: the file may have grown between that and the
            # save, and without the edits it still has what it grew by.
            ground = history.ground_of(saved)
            assert ground is not None
            return ground, history.counting()
        assert edits is not None, "what was saved counts when the file has gone on"
        if not edits or (base is not None and _is_grown(base, now)):
            return now, edits
        raise ChangedMeanwhile(
            f"{self.path}: it was replaced since it was edited here",
            hint="undo the edits, and make them again on what is there now",
        )

    def _is_settled(self, history: History) -> bool:
        """Whether the last edit is in the file, which has gone on since."""
        saved = history.saved
        return saved is not None and saved.made != self._stand() and not history.left_of(saved)

    def _came_of(self, saving: Saving) -> Saved | None:
        """What became of a save that was interrupted; None if the files are as before."""
        now = self._stand()
        kept = self._kept(now).files
        made: Stand = {}
        for path, (generation, _) in now.items():
            inside = self._inside(path)
            size, told = saving.hashes.get(inside, (0, ""))
            if told != _hash(kept[inside].blocks(0, size)):
                return None
            made[path] = (generation, size)
        if len(made) != len(saving.hashes):
            return None
        return Saved(made=made, standing=saving.standing, ground=saving.ground)

    def _inside(self, path: str) -> str:
        return self.path.name if path == str(self.path) else os.path.relpath(path, self.path)

    def _stand(self) -> Stand:
        return stand_of(self._library.db, self._source)

    def _kept(self, stand: Stand) -> Source:
        files = ((os.fsencode(path), *held) for path, held in stand.items())
        return source_of(self._library.archive, os.fsencode(self.path), files)

    def on_disk(self) -> Source:
        """The files as they lie there, if they are what the library has of them."""
        now = without_secrets(load(self.path), all_formats())
        kept = self._kept(self._stand())
        if set(now.files) != set(kept.files) or not all(
            _same(now.files[path], kept.files[path]) for path in now.files
        ):
            raise ChangedMeanwhile(
                f"{self.path}: it is not what the library knows of it",
                hint="`talktree import` takes up what is new",
            )
        return now


def _is_grown(base: Stand, now: Stand) -> bool:
    """Whether all files are what they were, or longer."""
    return base.keys() == now.keys() and all(
        now[path][0] == generation and now[path][1] >= length
        for path, (generation, length) in base.items()
    )


def _hashes(files: Mapping[str, Iterable[bytes]]) -> dict[str, tuple[int, str]]:
    """Size and hash of files that are going to be written."""
    found = {}
    for path, pieces in files.items():
        sizes: list[int] = []
        hash = _hash(_counted(pieces, sizes))
        found[path] = (sum(sizes), hash)
    return found


def _counted(pieces: Iterable[bytes], sizes: list[int]) -> Iterator[bytes]:
    for piece in pieces:
        sizes.append(len(piece))
        yield piece


def _hash(pieces: Iterable[bytes]) -> str:
    made = sha256()
    for piece in pieces:
        made.update(piece)
    return made.hexdigest()


def _same(one: Content, two: Content) -> bool:
    if one.size != two.size:
        return False
    at = 0
    for block in two.blocks():
        if one.read(at, at + len(block)) != block:
            return False
        at += len(block)
    return at == one.size
