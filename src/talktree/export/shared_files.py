"""The files of a source in an export: those of its conversations, and no others.

A folder may contain other files next to its conversations. An export is for other people, so these
files are left out, and so are files that cannot be redacted because they are not text.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from typing import NamedTuple

from talktree.errors import RefusedInput
from talktree.export.redacted_document import current_source
from talktree.files import Source, unpack_source
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.formats.format import BESIDE
from talktree.formats.owners import find_conversation_files
from talktree.model.document import Document


class SharedFiles(NamedTuple):
    """A document without the files that are not exported, and the paths of these files."""

    document: Document
    left_out: tuple[str, ...] = ()


def without_foreign_files(document: Document) -> SharedFiles:
    """Return the document without files that belong to none of its conversations."""
    origin = origin_of(document)
    if not origin.source.folder:
        return SharedFiles(document)
    owned = find_conversation_files(origin)
    foreign = [path for path in origin.source.files if path not in owned]
    # Talktree's own files are not reported.
    named = tuple(path for path in foreign if path.rpartition("/")[2] != BESIDE)
    return SharedFiles(_drop_files(document, foreign), named)


def without_binary_files(document: Document) -> SharedFiles:
    """Return the document without companion files that are not text, which cannot be redacted."""
    origin = origin_of(document)
    plain = unpack_source(origin.source)
    binary = [
        path
        for path in origin.source.files
        if path not in origin.by_path and not _is_text(plain, path)
    ]
    return SharedFiles(_drop_files(document, binary), tuple(binary))


def _is_text(source: Source, path: str) -> bool:
    """Whether a file is UTF-8, without the zero bytes that only binary files have."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for block in source.files[path].blocks():
            if "\0" in decoder.decode(block):
                return False
        decoder.decode(b"", final=True)
    except (UnicodeDecodeError, RefusedInput):
        # A file that unpacks to too much is not examined.
        return False
    return True


def _drop_files(document: Document, paths: Iterable[str]) -> Document:
    gone = frozenset(paths)
    if not gone:
        return document
    return read_document(
        current_source(document).without_silently(gone), origin_of(document).format
    )


def origin_of(document: Document) -> DocumentOrigin:
    """Return where a document came from."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    return origin
