"""Editing what the library keeps: the source file changes only when it is saved."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from talktree.errors import ChangedMeanwhile, NotFound, NotUndoable
from talktree.files import Source, load
from talktree.files.content import Content
from talktree.files.guarded import replaced
from talktree.formats import by_slug
from talktree.formats.engine import read, write
from talktree.library.archive.contents import source_of
from talktree.library.archive.versions import files_of
from talktree.library.versions.history import (
    Edit,
    Edited,
    History,
    Redone,
    Saved,
    Stand,
    Undone,
    add,
    history_of,
)
from talktree.model.document import Document
from talktree.model.operations import Operation, done

if TYPE_CHECKING:
    from talktree.library.library import Library

_SOURCE = "SELECT path, format FROM sources WHERE id = ?"


class Versions:
    """The edits of one kept source."""

    def __init__(self, library: Library, source: int) -> None:
        row = library.db.one(_SOURCE, (source,))
        if row is None:
            raise NotFound(f"no source {source} in the library", hint="`talktree list` shows them")
        self._library = library
        self._source = source
        self.path = Path(os.fsdecode(row[0]))
        self._format = by_slug(row[1])

    @property
    def history(self) -> History:
        """All edits, and which of them count."""
        return history_of(self._library.db, self._source)

    def document(self) -> Document:
        """The source with the edits that count."""
        return self._edited(self.history)

    def do(self, conversation: str, operation: Operation) -> Document:
        """One more edit; it is refused if it cannot be done or cannot be written in this format."""
        before = self.document()
        after = before.with_conversation(done(before.find(conversation), operation))
        for pieces in write(after).values():
            for _ in pieces:
                pass
        row = Edited(conversation=conversation, operation=operation, on=self._stand())
        add(self._library.db, self._source, time.time_ns(), row)
        return after

    def undo(self) -> Edit:
        """The last edit that counts, not counting any more."""
        history = self.history
        about = history.to_undo()
        if self._is_settled(history):
            raise NotUndoable(
                f"{self.path}: the edits were saved, and the file has changed since",
                hint="`talktree library restore` gives any version of it",
            )
        return self._turned(history, Undone(about=about))

    def redo(self) -> Edit:
        """The edit that was undone last, counting again."""
        history = self.history
        about = history.to_redo()
        return self._turned(history, Redone(about=about))

    def _turned(self, history: History, row: Undone | Redone) -> Edit:
        add(self._library.db, self._source, time.time_ns(), row)
        return next(edit for edit in history.edits if edit.id == row.about)

    def save(self) -> list[Path]:
        """Write the edits into the source, if it is still what the library knows of it."""
        history = self.history
        edited = self._edited(history)
        now = load(self.path)
        self._refuse_other(now)
        written = replaced(now, self.path, lambda: write(edited))
        self._library.import_([self.path])
        row = Saved(made=self._stand(), standing=tuple(history.standing))
        add(self._library.db, self._source, time.time_ns(), row)
        return written

    # what the edits stand on

    def _edited(self, history: History) -> Document:
        if self._is_settled(history):
            return read(self._kept(self._stand()), self._format)
        document = read(self._kept(self._base(history)), self._format)
        for edit in history.counting():
            changed = done(document.find(edit.conversation), edit.operation)
            document = document.with_conversation(changed)
        return document

    def _is_settled(self, history: History) -> bool:
        """Whether all edits are in the file, and it has gone on since."""
        saved = history.saved
        return saved is not None and history.is_saved and saved.made != self._stand()

    def _base(self, history: History) -> Stand:
        """What the edits are done on: what they were made on, or what has grown from that."""
        now, base = self._stand(), history.base
        if base is None or not (history.standing or history.saved):
            return now
        if history.saved is not None and history.saved.made == now:
            return base
        if base.keys() == now.keys() and all(
            now[path][0] == generation and now[path][1] >= length
            for path, (generation, length) in base.items()
        ):
            return now
        raise ChangedMeanwhile(
            f"{self.path}: it was replaced since it was edited here",
            hint="undo the edits, and make them again on what is there now",
        )

    def _stand(self) -> Stand:
        files = files_of(self._library.db, self._source)
        return {os.fsdecode(each.path): (each.generation, each.length) for each in files}

    def _kept(self, stand: Stand) -> Source:
        files = ((os.fsencode(path), *held) for path, held in stand.items())
        return source_of(self._library.archive, os.fsencode(self.path), files)

    def _refuse_other(self, now: Source) -> None:
        """Raise if the files are not what the library has of them."""
        kept = self._kept(self._stand())
        if set(now.files) != set(kept.files) or not all(
            _same(now.files[path], kept.files[path]) for path in now.files
        ):
            raise ChangedMeanwhile(
                f"{self.path}: it is not what the library knows of it",
                hint="`talktree import` takes up what is new",
            )


def _same(one: Content, two: Content) -> bool:
    if one.size != two.size:
        return False
    at = 0
    for block in two.blocks():
        if one.read(at, at + len(block)) != block:
            return False
        at += len(block)
    return at == one.size
