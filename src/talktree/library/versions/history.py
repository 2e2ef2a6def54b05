"""What was edited in a source, told by the rows of `operations`: nothing in it is ever rewritten.

A row is an edit, the undo or the redo of one, or that the result was saved. Undo takes the last
edit that stands, redo the last one that was undone since; a new edit leaves nothing to redo, but
what was undone stays in the list.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from talktree.errors import NotUndoable
from talktree.library.database.connection import Database
from talktree.model.operations import Operation

_ROWS = "SELECT id, time, kind, value FROM operations WHERE source = ? ORDER BY id"
_ADD = "INSERT INTO operations (source, time, kind, value) VALUES (?, ?, ?, ?)"
Stand: TypeAlias = dict[str, tuple[int, int]]
"""What the files of a source were: their generations, and how much of these."""


class Edited(Struct, frozen=True, kw_only=True, tag="edit"):
    """An edit, and what it was made on."""

    conversation: str
    operation: Operation
    on: Stand


class Undone(Struct, frozen=True, kw_only=True, tag="undo"):
    """An edit that shall not count."""

    about: int


class Redone(Struct, frozen=True, kw_only=True, tag="redo"):
    """An edit that counts again."""

    about: int


class Saved(Struct, frozen=True, kw_only=True, tag="saved"):
    """The edits are in the files now."""

    made: Stand
    standing: tuple[int, ...]
    """The edits that are."""


Row: TypeAlias = Edited | Undone | Redone | Saved


class Edit(NamedTuple):
    """One line of the list of edits."""

    id: int
    time: int
    conversation: str
    operation: Operation
    state: Literal["done", "undone"]


class History:
    """All edits of a source in order, and which of them count."""

    def __init__(self, rows: Iterable[tuple[int, int, Row]]) -> None:
        self._edits: dict[int, tuple[int, Edited]] = {}
        self.standing: list[int] = []
        self._undone: list[int] = []
        self.saved: Saved | None = None
        self.base: Stand | None = None
        """What the first of the edits that count together was made on."""
        for id, time, row in rows:
            self._take(id, time, row)

    def _take(self, id: int, time: int, row: Row) -> None:
        match row:
            case Edited():
                if not self.standing and not self._undone:
                    self.base = row.on
                elif self.saved is not None and row.on != self.saved.made and self.is_saved:
                    # The file went on by itself; what is in it is settled.
                    self.standing, self.base = [], row.on
                self._edits[id] = time, row
                self.standing.append(id)
                self._undone = []
            case Undone(about=about):
                self.standing.remove(about)
                self._undone.append(about)
            case Redone(about=about):
                self._undone.remove(about)
                self.standing.append(about)
            case Saved():
                self.saved = row

    @property
    def is_saved(self) -> bool:
        """Whether the files have just the edits that count."""
        if self.saved is None:
            return not self.standing
        return self.saved.standing == tuple(self.standing)

    @property
    def edits(self) -> list[Edit]:
        """All of them, also those that were undone."""
        counting = set(self.standing)
        return [
            Edit(id, time, row.conversation, row.operation, "done" if id in counting else "undone")
            for id, (time, row) in self._edits.items()
        ]

    def counting(self) -> list[Edit]:
        """Those that count, in order."""
        return [edit for edit in self.edits if edit.state == "done"]

    def to_undo(self) -> int:
        """The edit that an undo takes back."""
        if not self.standing:
            raise NotUndoable("there is nothing to undo", hint="no edit of this source counts")
        return self.standing[-1]

    def to_redo(self) -> int:
        """The edit that a redo brings back."""
        if not self._undone:
            raise NotUndoable(
                "there is nothing to redo", hint="a new edit leaves nothing to do again"
            )
        return self._undone[-1]


def history_of(db: Database, source: int) -> History:
    """The edits of a source."""
    rows = db.read(_ROWS, (source,))
    return History((id, time, msgspec.json.decode(value, type=Row)) for id, time, _, value in rows)


def add(db: Database, source: int, time: int, row: Row) -> int:
    """Append a row; it is kept when this returns."""
    kind = str(row.__struct_config__.tag)
    with db.transaction(durable=True):
        return db.run(_ADD, (source, time, kind, msgspec.json.encode(row)))
