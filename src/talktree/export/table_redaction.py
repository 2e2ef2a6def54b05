"""Taking secrets out of tables: of each document that they are made from, and of its names."""

from __future__ import annotations

from talktree.export.redacting import redacted
from talktree.export.redaction import Redactor
from talktree.model.document import Document


class TableRedaction:
    """Redacts documents on their way into a table; secrets of all of them are counted together."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor

    def document(self, document: Document) -> Document:
        """The document without secrets."""
        return redacted(document, self.redactor)

    def text(self, text: str) -> str:
        """The text without secrets."""
        return self.redactor.text(text)
