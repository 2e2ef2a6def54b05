"""Recognising a forgotten conversation in a file before anything of the file is written.

A copy has its id. A file that was converted to another format has its id, too, or embeds the source
that it was made from.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from talktree.conversion.embed_read import Index, indexed, mentions_carry
from talktree.conversion.restore import Restoration
from talktree.errors import TalktreeError
from talktree.files.source import natural_order
from talktree.formats import by_slug
from talktree.formats.engine import Origin, read
from talktree.library.erasure.tombstones import names_in
from talktree.library.extract.claude_code import told as told_of_lines
from talktree.library.importing.lines import BLOCK, line_blocks
from talktree.library.sources.detect import Recognised, source_of
from talktree.library.sources.open import opened

if TYPE_CHECKING:
    from talktree.files import Content
    from talktree.library.erasure.tombstones import Tombstones
    from talktree.library.sources.scan import Found
    from talktree.model.document import Document

CONTENT = "content"
"""What stands for the id of a conversation that has none."""
DEEPEST = 8
"""How many times a file may have been converted, each time embedding what it was before."""


class EmbeddedSource(NamedTuple):
    """A source that a converted file was made from."""

    format: str
    ids: set[str]
    contents: list[Content]
    """Its files; empty if they cannot be restored."""
    origin: str
    """What the converted file calls it."""


def find_forgotten(tombstones: Tombstones, found: Found, format: Recognised) -> dict[str, int]:
    """The forgotten conversations in a file or folder: their tombstones by their ids.

    A sub-agent of a forgotten session counts as part of it. Where only the bytes tell it, the id is
    `content`.
    """
    source = source_of(found)
    names = {name for seen in found.files for name in names_in(seen.path)} | names_in(found.path)
    ids: set[str] = set()
    document: Document | None = None
    if format.lines:
        ids = _line_ids(found.path)
    if not format.lines or any(map(mentions_carry, source.files.values())):
        try:
            document = read(source, by_slug(format.format))
        except TalktreeError:
            pass  # the import itself reports what it cannot read
        else:
            ids |= _ids(document)
    forgotten = tombstones.numbers_of_ids(format.format, ids, names)
    if not forgotten and tombstones.needs_content:
        number = tombstones.number_of_content(source.files.values())
        forgotten = {} if number is None else {CONTENT: number}
    if not forgotten and document is not None:
        for embedded in embedded_sources(document):
            forgotten |= _find_embedded(tombstones, embedded)
    return forgotten


def _find_embedded(tombstones: Tombstones, embedded: EmbeddedSource) -> dict[str, int]:
    forgotten = tombstones.numbers_of_ids(embedded.format, embedded.ids)
    if forgotten or not tombstones.needs_content:
        return forgotten
    number = tombstones.number_of_origin(f"{embedded.format} {embedded.origin}")
    if number is None and embedded.contents:
        number = tombstones.number_of_content(embedded.contents)
    return {} if number is None else {CONTENT: number}


def embedded_sources(document: Document, depth: int = 0) -> Iterator[EmbeddedSource]:
    """The sources that a document embeds, and those that these embed in turn."""
    try:
        indexes = indexed(document)
    except TalktreeError:
        return
    for index in indexes:
        base = _restored(document, index)
        if base is None:
            yield EmbeddedSource(index.format, set(), [], index.src)
            continue
        assert isinstance(base.origin, Origin)
        files = base.origin.source.files
        contents = [files[path] for path in sorted(files, key=natural_order)]
        yield EmbeddedSource(index.format, _ids(base), contents, index.src)
        if index.via and depth < DEEPEST:
            yield from embedded_sources(base, depth + 1)


def _restored(document: Document, index: Index) -> Document | None:
    """The embedded source; None if it cannot be restored."""
    try:
        return Restoration(document, index).base
    except TalktreeError:
        return None


def _line_ids(path: bytes) -> set[str]:
    """The id that the first lines of a file tell, and the session that a sub-agent belongs to."""
    with opened(path) as (file, seen):
        data = os.pread(file, min(seen.size, BLOCK), 0)
    for block in line_blocks([data]):
        try:
            head = told_of_lines(block.data).head
        except Exception:
            return set()  # the import itself reports what it cannot read
        ids = {head.native} if head.native else set()
        if head.parent and head.native and len(head.native) < len(head.parent):
            ids.add(head.parent)
        return ids
    return set()


def _ids(document: Document) -> set[str]:
    return {each.native_id for each in document.conversations if each.native_id}
