"""Recognising a forgotten conversation in a file before anything of the file is written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from talktree.errors import TalktreeError
from talktree.formats import by_slug
from talktree.formats.engine import read
from talktree.library.importing.blocks import BLOCK, line_blocks
from talktree.library.reading.claude_code import told as told_of_lines
from talktree.library.sources.open import opened
from talktree.library.sources.recognise import Recognised, source_of

if TYPE_CHECKING:
    from talktree.library.erasure.tombstones import Tombstones
    from talktree.library.sources.find import Found

CONTENT = "content"
"""What stands for the id of a conversation that has none."""


def find_forgotten(tombstones: Tombstones, found: Found, format: Recognised) -> dict[str, int]:
    """The forgotten conversations in a file or folder: their tombstones by their ids.

    A sub-agent of a forgotten session counts as part of it. Where only the bytes tell it, the id is
    `content`.
    """
    ids = _line_ids(found.path) if format.lines else _ids(found, format)
    forgotten = tombstones.numbers_of_ids(format.format, ids)
    if not forgotten and tombstones.needs_content:
        number = tombstones.number_of_content(source_of(found).files.values())
        return {} if number is None else {CONTENT: number}
    return forgotten


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


def _ids(found: Found, format: Recognised) -> set[str]:
    try:
        document = read(source_of(found), by_slug(format.format))
        return {each.native_id for each in document.conversations if each.native_id}
    except TalktreeError:
        return set()
