"""Reading the selected sources of the archive one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from talktree.errors import TalktreeError
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.library.archive.file_content import read_archived_source
from talktree.library.database.connection import Database
from talktree.library.listing import find_all_of_source, spans_of
from talktree.library.stats.filter import FilteredSources, Filters, SourceInfo
from talktree.model.conversation import Conversation
from talktree.model.document import Document

if TYPE_CHECKING:
    from talktree.library.archive.store import Archive

Where = tuple[int, str | None, str, str | None, str]
"""The columns that every table begins with."""
Failed = Callable[[SourceInfo, TalktreeError], None]
"""Called with a source that cannot be read."""


class TableLibrary(Protocol):
    """The part of a library that tables need."""

    @property
    def db(self) -> Database:
        """Its tables."""

    @property
    def archive(self) -> Archive:
        """Its bytes."""


class Redaction(Protocol):
    """Removes secrets from what a table is made from."""

    def redact(self, document: Document) -> Document:
        """Return the document without secrets."""

    def redact_text(self, text: str) -> str:
        """Return the text without secrets."""

    def count_placeholders(self, text: str) -> None:
        """Count the placeholders in a text that is written."""


class TableRequest:
    """The filters and options of a table."""

    def __init__(
        self,
        library: TableLibrary,
        filters: Filters,
        conversation: str | None = None,
        failed: Failed | None = None,
        *,
        include_deleted: bool = False,
        redaction: Redaction | None = None,
    ) -> None:
        self.library = library
        self.filters = filters
        self.chosen = FilteredSources(library.db, filters)
        self._conversation = conversation
        self._failed = failed
        self.include_deleted = include_deleted
        self._redaction = redaction
        self._projects: dict[int, str | None] = {}

    def sources(self) -> Iterator[SourceInfo]:
        """Yield the sources that may have rows, in the order in which they were imported."""
        for source in self.chosen.sources.values():
            if self.has_source(source):
                yield source

    def has_source(self, source: SourceInfo) -> bool:
        """Whether a source is selected."""
        filters = self.filters
        return (
            self._holds_conversation(source)
            and self.chosen.has_source(source.id)
            and (filters.since is None or source.last is None or source.last >= filters.since)
            and (filters.until is None or source.first is None or source.first < filters.until)
        )

    def _holds_conversation(self, source: SourceInfo) -> bool:
        if self._conversation is None:
            return True
        listed = find_all_of_source(self.library.db, source.id)
        return any(each.id == self._conversation for each in listed)

    def places(self, source: SourceInfo) -> Iterator[tuple[Where, int, int | None]]:
        """Yield the selected conversations of a source, with their first and end record."""
        db = self.library.db
        spans = zip(find_all_of_source(db, source.id), spans_of(db, source.id), strict=False)
        for each, (start, end) in spans:
            if self._conversation in (None, each.id):
                yield self._leading_columns(source, each.id), start, end

    def conversations(self) -> Iterator[tuple[SourceInfo, Where, Conversation]]:
        """Yield all conversations that can be read, and the first columns of their rows."""
        library = self.library
        for source in self.sources():
            try:
                kept = read_archived_source(library.db, library.archive, source.id)
                listed = find_all_of_source(library.db, source.id)
                document = read_document(kept, get_format(source.format))
                if self._redaction is not None:
                    document = self._redaction.redact(document)
                for number, each in enumerate(document.conversations):
                    id = listed[number].id if number < len(listed) else each.native_id
                    if self._conversation in (None, id):
                        yield source, self._leading_columns(source, id), each
            except TalktreeError as error:
                if self._failed is None:
                    raise
                self._failed(source, error)

    def _leading_columns(self, source: SourceInfo, conversation: str | None) -> Where:
        """Return the columns that every table begins with, for a conversation of a source."""
        return (
            source.id,
            conversation and self.redact_text(conversation),
            source.format,
            source.project and self.redact_text(source.project),
            self.redact_text(source.session),
        )

    def redact_text(self, text: str) -> str:
        """Return a text of the database, without secrets if redaction is on."""
        return text if self._redaction is None else self._redaction.redact_text(text)

    def project_name(self, number: int | None) -> str | None:
        """Return the name of a project, cached: there are many replies but few projects."""
        if number is None:
            return None
        if number not in self._projects:
            name = self.chosen.names.get(number)
            self._projects[number] = name and self.redact_text(name)
        return self._projects[number]

    def is_shown(self, hidden: str | None) -> bool:
        """Whether the texts of a message with such a flag are included."""
        return hidden is None or self.include_deleted

    def has_row(self, time: int | None, model: str | None) -> bool:
        """Whether a row of that time and model is selected."""
        wanted = self.filters.model
        return self.chosen.has_time(time) and (
            wanted is None or wanted.casefold() in (model or "").casefold()
        )
