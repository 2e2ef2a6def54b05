"""The edits of a source, from the rows of `operations`, which are never rewritten.

A row is an edit, the undo or the redo of one, or a save. Undo reverts the last edit that counts,
redo the last one that was undone since; a new edit leaves nothing to redo, but undone edits stay in
the list.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from talktree.errors import ChangedMeanwhile, NotUndoable
from talktree.library.archive.source_versions import files_of
from talktree.library.database.connection import Database
from talktree.model.operations import Operation

_ROWS = "SELECT id, time, kind, value FROM operations WHERE source = ? ORDER BY id"
_LAST = "SELECT max(id) FROM operations WHERE source = ?"
_ADD = "INSERT INTO operations (source, time, kind, value) VALUES (?, ?, ?, ?)"
Stand: TypeAlias = dict[str, tuple[int, int]]
"""The state of a source's files: their generations, and the length of each."""


class EditRecord(Struct, frozen=True, kw_only=True, tag="edit"):
    """An edit, and the state it was made on."""

    conversation: str
    operation: Operation
    on: Stand


class UndoRecord(Struct, frozen=True, kw_only=True, tag="undo"):
    """An edit that no longer counts."""

    about: int


class RedoRecord(Struct, frozen=True, kw_only=True, tag="redo"):
    """An edit that counts again."""

    about: int


class SaveRecord(Struct, frozen=True, kw_only=True, tag="saved"):
    """The edits are now in the files."""

    made: Stand
    standing: tuple[int, ...]
    """The edits that are in the files."""
    ground: Stand | None = None
    """The state of the files without these edits; None in rows of earlier versions of Talktree."""


class SaveIntent(Struct, frozen=True, kw_only=True, tag="saving"):
    """The edits are about to be written; without a row after it, the result is unknown."""

    standing: tuple[int, ...]
    hashes: dict[str, tuple[int, str]]
    """What the files will be: size and SHA-256 by path."""
    ground: Stand | None = None
    """The state of the files without the edits."""


Row: TypeAlias = EditRecord | UndoRecord | RedoRecord | SaveIntent | SaveRecord


class Edit(NamedTuple):
    """One line of the list of edits."""

    id: int
    time: int
    conversation: str
    operation: Operation
    state: Literal["done", "undone"]


class EditHistory:
    """All edits of a source in order, and which of them count."""

    def __init__(self, rows: Iterable[tuple[int, int, Row]]) -> None:
        self._edits: dict[int, tuple[int, EditRecord]] = {}
        self.standing: list[int] = []
        self._undone: list[int] = []
        self._settled: set[int] = set()
        self.saved: SaveRecord | None = None
        self.saving: SaveIntent | None = None
        """A save whose result is unknown."""
        self.last: int | None = None
        """The number of the last row."""
        self.base: Stand | None = None
        """The state that the first of the counting edits was made on."""
        for id, time, row in rows:
            self._apply_row(id, time, row)
            self.last = id

    def _apply_row(self, id: int, time: int, row: Row) -> None:
        match row:
            case EditRecord():
                if self.saved is not None and row.on != self.saved.made:
                    self._settle_saved(self.saved)
                if not self.standing and not self._undone:
                    self.base = row.on
                self._edits[id] = time, row
                self.standing.append(id)
                self._undone = []
            case UndoRecord(about=about):
                self.standing.remove(about)
                self._undone.append(about)
            case RedoRecord(about=about):
                self._undone.remove(about)
                self.standing.append(about)
            case SaveIntent():
                self.saving = row
            case SaveRecord():
                self.saved, self.saving = row, None

    def _settle_saved(self, saved: SaveRecord) -> None:
        """Keep a saved edit permanently: the file has grown since the save, with the edit in it."""
        self._settled |= set(saved.standing)
        self.standing = [each for each in self.standing if each not in saved.standing]
        self._undone = []
        self.base, self.saved = saved.made, None

    def keep_saved(self, now: Stand) -> None:
        """Count edits that were saved and undone, if the file has grown with them since.

        The undo was never written, and writing it would remove what was appended to the file.
        """
        saved = self.saved
        if saved is not None and saved.made != now and self.edits_since(saved) is None:
            self.standing = [
                *saved.standing,
                *(each for each in self.standing if each not in saved.standing),
            ]
            self._undone = []

    def find_base(self, saved: SaveRecord) -> Stand | None:
        """Return the state of the files without the edits of a save, with what grew until then."""
        if saved.ground is not None:
            return saved.ground
        return self._edits[saved.standing[-1]][1].on if saved.standing else self.base

    @property
    def is_saved(self) -> bool:
        """Whether the files have exactly the edits that count."""
        if self.saved is None:
            return not self.standing
        return self.saved.standing == tuple(self.standing)

    @property
    def edits(self) -> list[Edit]:
        """All of them, including undone ones."""
        return [self.find_edit(id) for id in self._edits]

    def find_edit(self, id: int) -> Edit:
        """Return one of them."""
        time, row = self._edits[id]
        is_at = id in self._settled or id in self.standing
        return Edit(id, time, row.conversation, row.operation, "done" if is_at else "undone")

    def list_counting(self) -> list[Edit]:
        """Return those that count and are not permanently in the file, in order."""
        return [self.find_edit(id) for id in self.standing]

    @property
    def redoable(self) -> tuple[int, ...]:
        """Those that can be redone; the last one is the next."""
        return tuple(self._undone)

    @property
    def can_redo(self) -> bool:
        """Whether there is an edit to redo."""
        return bool(self._undone)

    def edits_since(self, saved: SaveRecord) -> list[Edit] | None:
        """Return the edits since a save; None if some that were saved have been undone."""
        if tuple(self.standing[: len(saved.standing)]) != saved.standing:
            return None
        return self.list_counting()[len(saved.standing) :]

    def find_edit_to_undo(self) -> int:
        """Return the edit that an undo reverts."""
        if not self.standing:
            raise NotUndoable("there is nothing to undo", hint="no edit of this source counts")
        return self.standing[-1]

    def find_edit_to_redo(self) -> int:
        """Return the edit that a redo restores."""
        if not self._undone:
            raise NotUndoable(
                "there is nothing to redo", hint="a new edit leaves nothing to do again"
            )
        return self._undone[-1]


def load_history(db: Database, source: int) -> EditHistory:
    """Return the edits of a source."""
    rows = db.read(_ROWS, (source,))
    found = EditHistory(
        (id, time, msgspec.json.decode(value, type=Row)) for id, time, _, value in rows
    )
    if found.saved is not None:
        found.keep_saved(read_stand(db, source))
    return found


def read_stand(db: Database, source: int) -> Stand:
    """Return the state of a source's files in the library."""
    files = files_of(db, source)
    return {os.fsdecode(each.path): (each.generation, each.length) for each in files}


def append_row(db: Database, source: int, time: int, row: Row, *, after: int | None) -> int:
    """Append a row after the last known one; it is stored when this returns.

    If another row was added meanwhile, another program edits the same source: nothing is written.
    """
    kind = str(row.__struct_config__.tag)
    with db.transaction(durable=True):
        last = db.read_one(_LAST, (source,))
        if (last[0] if last else None) != after:
            raise ChangedMeanwhile(
                "somebody else has edited this meanwhile", hint="look again, and do it again then"
            )
        return db.run(_ADD, (source, time, kind, msgspec.json.encode(row)))
