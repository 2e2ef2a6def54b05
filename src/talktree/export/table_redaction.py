"""Taking secrets out of tables: of each document that they are made from, and of its names."""

from __future__ import annotations

import re
from collections import Counter

from talktree.export.redacted_document import redact_document
from talktree.export.redaction import Redactor
from talktree.model.document import Document

_PLACEHOLDER = re.compile(r"\[redacted: [^\[\]]+\]")


class TableRedaction:
    """Redacts documents on their way into a table; secrets of all of them are counted together."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self._written: set[str] = set()

    def redact(self, document: Document) -> Document:
        """The document without secrets."""
        return redact_document(document, self.redactor)

    def redact_text(self, text: str) -> str:
        """The text without secrets."""
        return self.redactor.redact_text(text)

    def count_placeholders(self, text: str) -> None:
        """Note which placeholders are in a text that is written."""
        self._written.update(_PLACEHOLDER.findall(text))

    @property
    def counts(self) -> Counter[str]:
        """How many different secrets of which kind were replaced in the table."""
        kinds = self.redactor.placeholder_kinds()
        return Counter(kinds[each] for each in self._written if each in kinds)
