"""Collecting and saving a source: pieces into the full text, facts and tree into the tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

import msgspec

from talktree.errors import describe_internal_error
from talktree.files import Content
from talktree.library.database.connection import Database
from talktree.library.extract.facts import ConversationFacts, ExtractedFacts, Heading, TreeRecord
from talktree.library.extract.from_model import read_counts_and_id
from talktree.library.extract.link_inference import may_infer_links
from talktree.library.extract.packed_tree import PackedTree
from talktree.library.importing.context import ImportContext
from talktree.library.importing.expiry import find_expiry_time
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


class SourceCollector:
    """The facts collected from a source so far."""

    def __init__(self, intake: ImportContext, row: SourceRow) -> None:
        self.id = row.id
        self.path = row.path
        self.archived = row.archived
        self._format = row.format
        self.trouble: str | None = None
        self.heading = None if row.heading is None else _UNPACK.decode(row.heading)
        self._shape = PackedTree() if row.shape is None else PackedTree.unpack(row.shape)
        self._links: list[TreeRecord] = []
        self._conversations: list[ConversationFacts] = []
        self._intake = intake

    def add_facts(self, facts: ExtractedFacts) -> None:
        """Add the facts of a batch of the source, without its pieces."""
        intake, id = self._intake, self.id
        intake.facts.add_facts(id, facts)
        project = facts.head.project
        if project is not None and self.heading is not None and self.heading.project is None:
            intake.facts.name_project(id, project)
        self._links += facts.links
        self._conversations = facts.conversations
        self._shape.habits = facts.habits
        self.heading = facts.head

    def forget_facts(self) -> None:
        """Drop all of its facts: it will be extracted again."""
        intake = self._intake
        intake.facts.forget(self.id)
        intake.db.run(_FORGET, (self.id,))
        intake.writer.delete(self.id)
        self.archived, self.heading = 0, None
        self._shape, self._links, self._conversations = PackedTree(), [], []

    def save(self, size: int, modified: int, content: Content | None = None) -> None:
        """Save the facts of the source as a whole, and record that its documents are pending.

        `content` is the archived content of a file of lines.
        """
        self._intake.touched.add(self.id)
        head = self.heading or Heading()
        if self._links:
            read = None if content is None else partial(self._read_bytes, content)
            self._shape = self._shape.with_links(self._links, read)
            self._links = []
        number, shape = self._intake.library.names.get_or_add, self._shape
        if content is not None:
            self._conversations = [self._describe_conversation(head, content)]
        save_conversations(self._intake.db, self.id, self._conversations)
        found = self._conversations
        self._intake.db.run(
            _SAVE,
            (
                replace_surrogates(self.trouble),
                replace_surrogates(found[0].native if content is not None else head.native),
                replace_surrogates(head.title),
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
                _pack_heading(head),
                shape.pack(),
                replace_surrogates(head.parent),
                find_expiry_time(self.path, modified),
                self.id,
            ),
        )

    def _read_bytes(self, content: Content, at: int, size: int) -> bytes:
        """Return bytes of the source that the archive may not have written yet."""
        self._intake.archive.flush()
        return content.read(at, at + size)

    def _describe_conversation(self, head: Heading, content: Content) -> ConversationFacts:
        """Return the facts of the conversation in a file of lines."""
        shape = self._shape
        threads, branches, sidechains = shape.threads, shape.branches, shape.sidechains
        native, has_copies = head.native, bool(shape.copies)
        if has_copies or may_infer_links(shape):
            self._intake.archive.flush()
            try:
                counts, id = read_counts_and_id(os.path.basename(self.path), content, self._format)
            except Exception as error:
                # A programming error loses the inferred links, but neither the source nor the
                # import.
                self._intake.report_incomplete(
                    self.path, describe_internal_error(os.fsdecode(self.path), error)
                )
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
    """Write the rows of the conversations in a source, replacing the old ones."""
    db.run(_FORGET_CONVERSATIONS, (source,))
    db.run_many_atomically(
        _ADD_CONVERSATION,
        (
            (
                source,
                number,
                each.start,
                replace_surrogates(each.key),
                replace_surrogates(each.native),
                replace_surrogates(each.title),
                *each[4:],
            )
            for number, each in enumerate(found)
        ),
    )


def _pack_heading(head: Heading) -> bytes:
    try:
        return _PACK.encode(head)
    except UnicodeEncodeError:
        # Surrogates, in a title or in a name of other bytes, become the replacement character.
        return _PACK.encode(_replace_surrogates_in(msgspec.to_builtins(head)))


def _replace_surrogates_in(value: object) -> object:
    match value:
        case str():
            return replace_surrogates(value)
        case dict():
            return {key: _replace_surrogates_in(each) for key, each in value.items()}
        case list() | tuple():
            return [_replace_surrogates_in(each) for each in value]
        case _:
            return value


def replace_surrogates(text: str | None) -> str | None:
    """Return a text without surrogates, which no database accepts."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")
