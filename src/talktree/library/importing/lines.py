"""Importing a file of lines: only its new part is read, archived and extracted.

Bytes are passed on in blocks of whole lines. A line may be longer than a block. One that is too
long to be read as a whole is passed on in parts that are archived but not extracted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from talktree.errors import describe_internal_error
from talktree.files.source import VERY_LARGE, release_large_blocks
from talktree.library.archive.file_content import ArchivedContent
from talktree.library.archive.prefix import ReadBytes
from talktree.library.extract.claude_code import extract_claude_code
from talktree.library.extract.facts import ExtractedFacts
from talktree.library.importing.archive_writer import GrowingGeneration
from talktree.library.importing.context import ImportContext
from talktree.library.importing.result import without_path
from talktree.library.importing.source_writer import SourceCollector
from talktree.library.sources.changes import HERE
from talktree.library.sources.scan import FileStat

BLOCK = 512 << 10
"""How much is read in one step."""
LONGEST_LINE = 64 << 20
"""A longer line is only archived: extracting it would take too much memory."""


class ByteBlock(NamedTuple):
    """A block of bytes of a file."""

    at: int
    data: bytes
    whole: bool
    """Whether it is whole lines, to be extracted; otherwise a part of a line."""


def read_blocks(read: ReadBytes, start: int, stop: int) -> Iterator[bytes]:
    """Yield the bytes of a file, as far as there are any.

    Blocks of the usual size reuse the memory of those before. That of a line longer than a block is
    freed.
    """
    release_large_blocks(VERY_LARGE)
    is_long = False
    while start < stop:
        data = read(start, min(start + BLOCK, stop))
        if not data:
            return
        if not is_long and len(data) == BLOCK and b"\n" not in data:
            release_large_blocks()
            is_long = True
        start += len(data)
        yield data


def split_line_blocks(pieces: Iterable[bytes], at: int = 0) -> Iterator[ByteBlock]:
    """Yield the same bytes in blocks of whole lines; a last line without an end comes as a part."""
    held: list[bytes] = []
    size = 0
    skipping = False
    for piece in pieces:
        if skipping:
            end = piece.find(b"\n") + 1
            skipping = not end
            part = piece[:end] if end else piece
            yield ByteBlock(at, part, whole=False)
            at += len(part)
            piece = piece[len(part) :]
        end = piece.rfind(b"\n") + 1
        if end:
            data = b"".join((*held, memoryview(piece)[:end])) if held else piece[:end]
            held, size = [], 0
            place, at = at, at + len(data)
            block, data = ByteBlock(place, data, whole=True), b""
            yield block
            del block  # the receiver may free it
            piece = piece[end:]
        if piece:
            held.append(piece)
            size += len(piece)
        if size > LONGEST_LINE:
            for part in held:
                yield ByteBlock(at, part, whole=False)
                at += len(part)
            held, size, skipping = [], 0, True
    if held:
        yield ByteBlock(at, b"".join(held), whole=False)


END = b"\n"
LARGE = 8 << 20
"""A block of this size is a very long line; it is written to the archive before it is indexed."""


class LineFile:
    """An open file of lines that is being imported."""

    def __init__(
        self,
        intake: ImportContext,
        file: int,
        seen: FileStat,
        keeping: GrowingGeneration,
        taking: SourceCollector,
        *,
        verified: bool,
    ) -> None:
        self.is_consistent = True
        """Whether the file was the same, or only grew, while it was read."""
        self._verified = verified
        self._start = keeping.end
        self._intake = intake
        self._file = file
        self._read = intake.make_reader(file, taking.path)
        self._seen = seen
        self._keeping = keeping
        self._taking = taking

    def import_blocks(self) -> Iterator[int]:
        """Import it block by block; yield how many bytes each one had."""
        taking, seen = self._taking, self._seen
        if _has_line_grown(self._file, taking.archived):
            taking.forget_facts()
        start = taking.archived
        for block in split_line_blocks(read_blocks(self._read, start, seen.size), start):
            size = len(block.data)
            self._intake.result.bytes_read += size
            facts = extract_block(
                self._intake, taking, block, is_last=_find_block_end(block) >= seen.size
            )
            self._keeping.feed(block.at, block.data, facts.marks if facts else ())
            del block  # it may be large, and so may the texts that are indexed next
            if size > LARGE:
                self._intake.archive.flush()
            if facts is not None:
                self._intake.index(taking.id, facts.pieces)
            yield size
        self.flush(done=True)

    def flush(self, *, done: bool) -> None:
        """Update the tables with what was read, before a transaction ends."""
        keeping, seen = self._keeping, self._seen
        keeping.flush()
        content = ArchivedContent(self._intake.archive, keeping.generation)
        self._taking.save(keeping.end, seen.modified, content)
        if done:
            self.is_consistent = self._intake.keep_version(
                keeping, self._file, seen, self._start, verified=self._verified
            )
        if not (done and self.is_consistent):
            # Such a file is read again, whatever its times are.
            seen = seen._replace(size=keeping.end, modified=0)
        self._intake.rows.set_file(self._taking.id, seen, HERE, keeping.generation, keeping.guard)


def extract_block(
    intake: ImportContext, taking: SourceCollector, block: ByteBlock, *, is_last: bool
) -> ExtractedFacts | None:
    """Extract the facts of a block of lines, without its pieces; None if there are none yet.

    A last line that is a whole object without its end counts. A programming error in reading a line
    loses the facts of its source, but neither the source nor the import.
    """
    data = block.data
    if not block.whole:
        if is_last and len(data) and _is_object(data):
            data += END
        else:
            if data.endswith(END):
                # The end of a line that is too long to be held.
                taking.archived = _find_block_end(block)
                intake.result.untold += 1
            return None
    if taking.trouble is not None:
        return None
    try:
        facts = extract_claude_code(data, block.at, taking.heading)
    except Exception as error:
        failure = describe_internal_error(os.fsdecode(taking.path), error)
        intake.report_failure(taking.path, failure)
        taking.forget_facts()
        taking.trouble = without_path(failure.message, taking.path)
        return None
    intake.result.records += facts.lines
    taking.add_facts(facts)
    taking.archived = _find_block_end(block)
    return facts


def _find_block_end(block: ByteBlock) -> int:
    return block.at + len(block.data)


def _is_object(data: bytes) -> bool:
    if not data.startswith(b"{") or not data.rstrip().endswith(b"}"):
        return False
    try:
        return isinstance(msgspec.json.decode(data), dict)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False


def _has_line_grown(file: int, at: int) -> bool:
    """Whether what seemed a whole last line was only the beginning of one."""
    if at <= 0:
        return False
    around = os.pread(file, 2, at - 1)
    return len(around) == 2 and around[:1] != END and around[1:] not in (END, b"\r")
