"""Redacting tables: the documents that they are made from, and the names of those."""

from __future__ import annotations

import re
from collections import Counter

from talktree.export.redacted_document import redact_document
from talktree.export.redaction import Redactor
from talktree.model.document import Document

_PLACEHOLDER = re.compile(r"\[redacted: [^\[\]]+\]")


class TableRedaction:
    """Redacts the documents of a table; their secrets are counted together."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self._written: set[str] = set()

    def redact(self, document: Document) -> Document:
        """Return the document without secrets."""
        return redact_document(document, self.redactor)

    def redact_text(self, text: str) -> str:
        """Return the text without secrets."""
        return self.redactor.redact_text(text)

    def count_placeholders(self, text: str) -> None:
        """Record which placeholders are in a text that is written."""
        self._written.update(_PLACEHOLDER.findall(text))

    @property
    def counts(self) -> Counter[str]:
        """How many different secrets of each kind were replaced in the table."""
        kinds = self.redactor.placeholder_kinds()
        return Counter(kinds[each] for each in self._written if each in kinds)
