"""A source that is being told: pieces into the full text, facts and shape into the tables."""

from __future__ import annotations

import msgspec

from talktree.library.importing.expiry import kept_until
from talktree.library.importing.intake import Intake
from talktree.library.importing.rows import SourceRow
from talktree.library.reading.shape import Shape
from talktree.library.reading.told import Heading, Link, Told

_SAVE = """
UPDATE sources SET
  state = 'here', trouble = ?, native = ?, title = ?, project = ?, branch = ?, first = ?, last = ?,
  messages = ?, branches = ?, sidechains = ?, errors = ?, size = ?, archived = ?, heading = ?,
  shape = ?, parent = ?, kept_until = ?
WHERE id = ?
"""
_FORGET = """
UPDATE sources SET archived = 0, indexed = -1, heading = NULL, shape = NULL WHERE id = ?
"""
_PACK = msgspec.msgpack.Encoder()
_UNPACK = msgspec.msgpack.Decoder(Heading)


class Taking:
    """What was told of a source so far."""

    def __init__(self, intake: Intake, row: SourceRow) -> None:
        self.id = row.id
        self.path = row.path
        self.archived = row.archived
        self.trouble: str | None = None
        self.heading = None if row.heading is None else _UNPACK.decode(row.heading)
        self._shape = Shape() if row.shape is None else Shape.unpack(row.shape)
        self._links: list[Link] = []
        self._intake = intake

    def tell(self, told: Told) -> None:
        """Take in what a stretch of the source tells, but for its pieces."""
        intake, id = self._intake, self.id
        intake.facts.take(id, told)
        project = told.head.project
        if project is not None and self.heading is not None and self.heading.project is None:
            intake.facts.name_project(id, project)
        self._links += told.links
        self.heading = told.head

    def forget(self) -> None:
        """What was told of it counts no more: it will be told anew."""
        intake = self._intake
        intake.facts.forget(self.id)
        intake.db.run(_FORGET, (self.id,))
        intake.writing.delete(self.id)
        self.archived, self.heading = 0, None
        self._shape, self._links = Shape(), []

    def save(self, size: int, modified: int) -> None:
        """Write what is told of the source as a whole, and that its documents are on their way."""
        self._intake.touched.add(self.id)
        head = self.heading or Heading()
        if self._links:
            self._shape = self._shape.extended(self._links)
            self._links = []
        number, shape = self._intake.library.names.number, self._shape
        self._intake.db.run(
            _SAVE,
            (
                self.trouble,
                _storable(head.native),
                _storable(head.title),
                None if head.project is None else number(head.project),
                None if head.branch is None else number(head.branch),
                head.first,
                head.last,
                shape.messages,
                shape.branches,
                shape.sidechains,
                shape.errors,
                size,
                self.archived,
                _packed(head),
                shape.pack(),
                _storable(head.parent),
                kept_until(self.path, modified),
                self.id,
            ),
        )


def _packed(head: Heading) -> bytes:
    try:
        return _PACK.encode(head)
    except UnicodeEncodeError:
        # Halves of characters, in a title or in a name of other bytes, become the sign for that.
        return _PACK.encode(_without_halves(msgspec.to_builtins(head)))


def _without_halves(value: object) -> object:
    match value:
        case str():
            return _storable(value)
        case dict():
            return {key: _without_halves(each) for key, each in value.items()}
        case list() | tuple():
            return [_without_halves(each) for each in value]
        case _:
            return value


def _storable(text: str | None) -> str | None:
    """A text without halves of characters, which no database takes."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")
