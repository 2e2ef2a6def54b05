"""Extracting a source again from the archive: after a kill, and for `reindex`."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.library.archive.file_content import ArchivedContent
from talktree.library.importing.context import ImportContext
from talktree.library.importing.import_source import extract_whole
from talktree.library.importing.lines import extract_block, split_line_blocks
from talktree.library.importing.source_writer import SourceCollector

_GENERATION = """
SELECT generation, modified FROM files WHERE source = ? AND generation IS NOT NULL
ORDER BY path LIMIT 1
"""
_KEEP = "SELECT state, trouble FROM sources WHERE id = ?"


def reextract_source(intake: ImportContext, source: int) -> Iterator[int]:
    """Drop the facts of a source and extract them again, a batch at a time."""
    row = intake.rows.find_source(source)
    found = intake.db.read_one(_GENERATION, (source,))
    if row is None:
        return
    state, trouble = intake.db.read_one(_KEEP, (source,)) or ("here", None)
    taking = SourceCollector(intake, row)
    modified = 0 if found is None else int(found[1])
    content: ArchivedContent | None = None
    if not row.lines or found is None:
        extract_whole(intake, taking, row.format)
        size = taking.archived
    else:
        taking.forget_facts()
        size = intake.archive.length(found[0])
        for block in split_line_blocks(intake.archive.read(found[0])):
            facts = extract_block(intake, taking, block, is_last=block.at + len(block.data) >= size)
            if facts is not None:
                intake.index(taking.id, facts.pieces)
            yield len(block.data)
        content = ArchivedContent(intake.archive, found[0])
    taking.save(size, modified, content)
    if state != "here":
        intake.rows.set_state(source, state, trouble)
    yield 0
