"""An edited document as its own files would be read again, so that each record has its bytes."""

from __future__ import annotations

from talktree.files import Source, parked
from talktree.formats.engine import Origin, read, write
from talktree.model.document import Document


def as_written(document: Document) -> Document:
    """The same document without edits that only memory knows."""
    origin = document.origin
    assert isinstance(origin, Origin)
    if not any(conversation.changed for conversation in document.conversations):
        return document
    files = {path: parked(pieces) for path, pieces in write(document).items()}
    source = Source(origin.source.name, files, folder=origin.source.folder)
    return read(source, origin.format)
