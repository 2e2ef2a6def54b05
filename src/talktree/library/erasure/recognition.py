"""Recognising a forgotten conversation in a file before anything of the file is written.

A copy has its id. So does a file that was converted to another format, or it embeds the source that
it was made from.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from talktree.conversion.embed_read import (
    EmbeddedIndex,
    index_embedded_sources,
    mentions_embedded_data,
)
from talktree.conversion.restore import Restoration
from talktree.errors import TalktreeError
from talktree.files.source import natural_sort_key
from talktree.formats import get_format
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.library.erasure.tombstones import names_from_path
from talktree.library.extract.claude_code import extract_claude_code
from talktree.library.importing.lines import BLOCK, split_line_blocks
from talktree.library.sources.detect import RecognisedFormat, make_source
from talktree.library.sources.open import open_file

if TYPE_CHECKING:
    from talktree.files import Content
    from talktree.library.erasure.tombstones import Tombstones
    from talktree.library.sources.scan import FoundPath
    from talktree.model.document import Document

CONTENT = "content"
"""The id used for a conversation that has none."""
DEEPEST = 8
"""Maximum depth of embedded sources: conversions of conversions."""


class EmbeddedSource(NamedTuple):
    """A source that a converted file was made from."""

    format: str
    ids: set[str]
    contents: list[Content]
    """Its files; empty if they cannot be restored."""
    origin: str
    """The name that the converted file has for it."""


def find_forgotten(
    tombstones: Tombstones, found: FoundPath, format: RecognisedFormat
) -> dict[str, int]:
    """Return the tombstones of the forgotten conversations in a file or folder, by their ids.

    A sub-agent of a forgotten session counts as part of it. If only the bytes identify it, the id
    is `content`.
    """
    source = make_source(found)
    names = {name for seen in found.files for name in names_from_path(seen.path)} | names_from_path(
        found.path
    )
    ids: set[str] = set()
    document: Document | None = None
    if format.lines:
        ids = _read_line_ids(found.path)
    if not format.lines or any(map(mentions_embedded_data, source.files.values())):
        try:
            document = read_document(source, get_format(format.format))
        except TalktreeError:
            pass  # the import itself reports what it cannot read
        else:
            ids |= _conversation_ids(document)
    forgotten = tombstones.find_numbers_by_ids(format.format, ids, names)
    if not forgotten and tombstones.needs_content:
        number = tombstones.find_number_by_content(source.files.values())
        forgotten = {} if number is None else {CONTENT: number}
    if not forgotten and document is not None:
        for embedded in find_embedded_sources(document):
            forgotten |= _find_forgotten_embedded(tombstones, embedded)
    return forgotten


def _find_forgotten_embedded(tombstones: Tombstones, embedded: EmbeddedSource) -> dict[str, int]:
    forgotten = tombstones.find_numbers_by_ids(embedded.format, embedded.ids)
    if forgotten or not tombstones.needs_content:
        return forgotten
    number = tombstones.find_number_by_origin(f"{embedded.format} {embedded.origin}")
    if number is None and embedded.contents:
        number = tombstones.find_number_by_content(embedded.contents)
    return {} if number is None else {CONTENT: number}


def find_embedded_sources(document: Document, depth: int = 0) -> Iterator[EmbeddedSource]:
    """Yield the sources that a document embeds, and those that these embed in turn."""
    try:
        indexes = index_embedded_sources(document)
    except TalktreeError:
        return
    for index in indexes:
        base = _restore_embedded(document, index)
        if base is None:
            yield EmbeddedSource(index.format, set(), [], index.src)
            continue
        assert isinstance(base.origin, DocumentOrigin)
        files = base.origin.source.files
        contents = [files[path] for path in sorted(files, key=natural_sort_key)]
        yield EmbeddedSource(index.format, _conversation_ids(base), contents, index.src)
        if index.via and depth < DEEPEST:
            yield from find_embedded_sources(base, depth + 1)


def _restore_embedded(document: Document, index: EmbeddedIndex) -> Document | None:
    """Return the embedded source; None if it cannot be restored."""
    try:
        return Restoration(document, index).base
    except TalktreeError:
        return None


def _read_line_ids(path: bytes) -> set[str]:
    """Return the id in the first lines of a file, and the session that a sub-agent belongs to."""
    with open_file(path) as (file, seen):
        data = os.pread(file, min(seen.size, BLOCK), 0)
    for block in split_line_blocks([data]):
        try:
            head = extract_claude_code(block.data).head
        except Exception:
            return set()  # the import itself reports what it cannot read
        ids = {head.native} if head.native else set()
        if head.parent and head.native and len(head.native) < len(head.parent):
            ids.add(head.parent)
        return ids
    return set()


def _conversation_ids(document: Document) -> set[str]:
    return {each.native_id for each in document.conversations if each.native_id}
