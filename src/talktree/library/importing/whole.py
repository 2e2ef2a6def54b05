"""Taking in a source that is read as a whole, through the model: any file or folder of any format.

Its bytes go into the archive first, and what is told of it is read from there: so an import and a
later `reindex` tell the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence

from talktree.errors import Failure, TalktreeError, failure_of, mistake
from talktree.files import Content, Source, parked
from talktree.files.content import LineBlock
from talktree.formats import by_slug
from talktree.library.archive.store import Archive
from talktree.library.importing.intake import Intake
from talktree.library.importing.pieces import keep_pieces
from talktree.library.importing.taking import Taking
from talktree.library.reading.general import told as told_of_source
from talktree.library.sources.recognise import relative

_FILES = "SELECT path, generation FROM files WHERE source = ? AND generation IS NOT NULL"
_HERE = " AND state = 'here'"


class Archived(Content):
    """The content of a generation, taken out of the archive when it is first asked for."""

    def __init__(self, archive: Archive, generation: int, length: int | None = None) -> None:
        self.size = archive.length(generation) if length is None else length
        self._archive = archive
        self._generation = generation
        self._held: Content | None = None

    def _content(self) -> Content:
        if self._held is None:
            self._held = parked(self._archive.read(self._generation, 0, self.size))
        return self._held

    def read(self, start: int = 0, stop: int | None = None) -> bytes:
        if self._held is None and stop is not None and stop - start <= 1 << 16:
            stop = min(stop, self.size)
            return self._archive.slice(self._generation, start, max(0, stop - start))
        return self._content().read(start, stop)

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        return self._content().blocks(start, stop)

    def lines(self, start: int = 0) -> Iterator[bytes]:
        return self._content().lines(start)

    def line_blocks(self, start: int = 0) -> Iterator[LineBlock]:
        return self._content().line_blocks(start)


def archived_source(
    archive: Archive, path: bytes, files: Sequence[tuple[bytes, int]]
) -> Source:
    """A source as it is in the archive, given the generations of its files."""
    name = os.fsdecode(os.path.basename(path))
    if len(files) == 1 and files[0][0] == path:
        return Source(name, {name: Archived(archive, files[0][1])}, folder=False)
    contents: Mapping[str, Content] = {
        relative(file, path): Archived(archive, generation) for file, generation in sorted(files)
    }
    return Source(name, contents, folder=True)


def tell_whole(intake: Intake, taking: Taking, format: str) -> Failure | None:
    """Tell a source anew from the archive; what went wrong, if something did."""
    files = intake.db.read(_FILES + _HERE, (taking.id,)) or intake.db.read(_FILES, (taking.id,))
    source = archived_source(intake.archive, taking.path, files)
    taking.forget()
    failure = None
    try:
        told = told_of_source(source, by_slug(format))
    except TalktreeError as error:
        failure = failure_of(error)
    except Exception as error:  # noqa: BLE001
        failure = mistake(os.fsdecode(taking.path), error)
    else:
        intake.result.records += len(told.links)
        taking.tell(told)
        keep_pieces(intake.db, taking.id, told.pieces)
    taking.archived = sum(content.size for content in source.files.values())
    taking.trouble = None if failure is None else failure.message
    return failure


def now() -> int:
    """This moment."""
    return time.time_ns()
