"""Telling a source again from the archive: after a kill, and for `reindex`."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.library.archive.file_content import InArchive
from talktree.library.importing.context import Intake
from talktree.library.importing.import_source import tell_whole
from talktree.library.importing.lines import line_blocks, told_of
from talktree.library.importing.source_writer import Taking

_GENERATION = """
SELECT generation, modified FROM files WHERE source = ? AND generation IS NOT NULL
ORDER BY path LIMIT 1
"""
_KEEP = "SELECT state, trouble FROM sources WHERE id = ?"


def again(intake: Intake, source: int) -> Iterator[int]:
    """Forget what a source told and tell it anew, a stretch at a time."""
    row = intake.rows.source(source)
    found = intake.db.one(_GENERATION, (source,))
    if row is None:
        return
    state, trouble = intake.db.one(_KEEP, (source,)) or ("here", None)
    taking = Taking(intake, row)
    modified = 0 if found is None else int(found[1])
    content: InArchive | None = None
    if not row.lines or found is None:
        tell_whole(intake, taking, row.format)
        size = taking.archived
    else:
        taking.forget()
        size = intake.archive.length(found[0])
        for block in line_blocks(intake.archive.read(found[0])):
            told = told_of(intake, taking, block, is_last=block.at + len(block.data) >= size)
            if told is not None:
                intake.index(taking.id, told.pieces)
            yield len(block.data)
        content = InArchive(intake.archive, found[0])
    taking.save(size, modified, content)
    if state != "here":
        intake.rows.set_state(source, state, trouble)
    yield 0
