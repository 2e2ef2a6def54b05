"""A source that is being told: pieces into the full text, facts and shape into the tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

import msgspec

from talktree.errors import mistake
from talktree.files import Content
from talktree.library.database.connection import Database
from talktree.library.extract.facts import ConversationFacts, Heading, Link, Told
from talktree.library.extract.from_model import read_lines
from talktree.library.extract.link_inference import may_infer_links
from talktree.library.extract.packed_tree import Shape
from talktree.library.importing.context import Intake
from talktree.library.importing.expiry import kept_until
from talktree.library.importing.source_rows import SourceRow

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
_FORGET_CONVERSATIONS = "DELETE FROM conversations WHERE source = ?"
_ADD_CONVERSATION = """
INSERT INTO conversations (source, number, start, key, native, title, first, last,
  messages, threads, branches, sidechains, errors)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_PACK = msgspec.msgpack.Encoder()
_UNPACK = msgspec.msgpack.Decoder(Heading)


class Taking:
    """What was told of a source so far."""

    def __init__(self, intake: Intake, row: SourceRow) -> None:
        self.id = row.id
        self.path = row.path
        self.archived = row.archived
        self._format = row.format
        self.trouble: str | None = None
        self.heading = None if row.heading is None else _UNPACK.decode(row.heading)
        self._shape = Shape() if row.shape is None else Shape.unpack(row.shape)
        self._links: list[Link] = []
        self._conversations: list[ConversationFacts] = []
        self._intake = intake

    def tell(self, told: Told) -> None:
        """Take in what a stretch of the source tells, but for its pieces."""
        intake, id = self._intake, self.id
        intake.facts.take(id, told)
        project = told.head.project
        if project is not None and self.heading is not None and self.heading.project is None:
            intake.facts.name_project(id, project)
        self._links += told.links
        self._conversations = told.conversations
        self._shape.habits = told.habits
        self.heading = told.head

    def forget(self) -> None:
        """What was told of it counts no more: it will be told anew."""
        intake = self._intake
        intake.facts.forget(self.id)
        intake.db.run(_FORGET, (self.id,))
        intake.writing.delete(self.id)
        self.archived, self.heading = 0, None
        self._shape, self._links, self._conversations = Shape(), [], []

    def save(self, size: int, modified: int, content: Content | None = None) -> None:
        """Write what is told of the source as a whole, and that its documents are on their way.

        Of a file of lines, the content is what is kept of it.
        """
        self._intake.touched.add(self.id)
        head = self.heading or Heading()
        if self._links:
            read = None if content is None else partial(self._read, content)
            self._shape = self._shape.extended(self._links, read)
            self._links = []
        number, shape = self._intake.library.names.number, self._shape
        if content is not None:
            self._conversations = [self._only_conversation(head, content)]
        save_conversations(self._intake.db, self.id, self._conversations)
        found = self._conversations
        self._intake.db.run(
            _SAVE,
            (
                storable(self.trouble),
                storable(found[0].native if content is not None else head.native),
                storable(head.title),
                None if head.project is None else number(head.project),
                None if head.branch is None else number(head.branch),
                head.first,
                head.last,
                sum(each.messages for each in found),
                sum(each.branches for each in found),
                sum(each.sidechains for each in found),
                sum(each.errors for each in found),
                size,
                self.archived,
                _packed(head),
                shape.pack(),
                storable(head.parent),
                kept_until(self.path, modified),
                self.id,
            ),
        )

    def _read(self, content: Content, at: int, size: int) -> bytes:
        """Bytes of the source that the archive may not have written yet."""
        self._intake.archive.flush()
        return content.read(at, at + size)

    def _only_conversation(self, head: Heading, content: Content) -> ConversationFacts:
        """What is told of the conversation in a file of lines."""
        shape = self._shape
        threads, branches, sidechains = shape.threads, shape.branches, shape.sidechains
        native, has_copies = head.native, bool(shape.copies)
        if has_copies or may_infer_links(shape):
            self._intake.archive.flush()
            try:
                counts, id = read_lines(os.path.basename(self.path), content, self._format)
            except Exception as error:
                # A mistake of ours costs the inferred links, not the source and not the import.
                self._intake.incomplete(self.path, mistake(os.fsdecode(self.path), error))
            else:
                threads, branches, sidechains = counts.threads, counts.branches, counts.sidechains
                if has_copies:
                    native = id
                    self._intake.facts.set_roles(self.id, counts.roles)
        return ConversationFacts(
            start=0,
            key=None,
            native=native,
            title=head.title,
            first=head.first,
            last=head.last,
            messages=shape.messages,
            threads=threads,
            branches=branches,
            sidechains=sidechains,
            errors=shape.errors,
        )


def save_conversations(db: Database, source: int, found: Sequence[ConversationFacts]) -> None:
    """Write the rows of the conversations in a source, in the place of those it had."""
    db.run(_FORGET_CONVERSATIONS, (source,))
    db.many(
        _ADD_CONVERSATION,
        (
            (
                source,
                number,
                each.start,
                storable(each.key),
                storable(each.native),
                storable(each.title),
                *each[4:],
            )
            for number, each in enumerate(found)
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
            return storable(value)
        case dict():
            return {key: _without_halves(each) for key, each in value.items()}
        case list() | tuple():
            return [_without_halves(each) for each in value]
        case _:
            return value


def storable(text: str | None) -> str | None:
    """A text without halves of characters, which no database takes."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")
