"""Running an import: scan, compare and import what changed, in transactions of bounded size.

A kill at any point loses nothing that was committed. The order ensures it: archive, facts and their
progress are one transaction; then the documents are committed; then the tables record that they
were. A step that was interrupted is repeated by the next import, from the archive.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from talktree.files.gc_pause import pause_gc
from talktree.files.source import release_large_blocks
from talktree.library.fulltext.index_checksums import expect_changes, record_files
from talktree.library.importing.context import ImportContext
from talktree.library.importing.import_source import SourceImport
from talktree.library.importing.replay import reextract_source
from talktree.library.importing.result import (
    ImportProgress,
    ImportResult,
    Pulse,
    SkippedFile,
    Tell,
)
from talktree.library.sources.changes import (
    FOLDER,
    GONE,
    HERE,
    OTHER,
    UNREADABLE,
    FileRecord,
    SourceScan,
)
from talktree.settings.attachments import attachment_settings

if TYPE_CHECKING:
    from talktree.library.library import Library


BATCH_BYTES, BATCH_SECONDS = 64 << 20, 5.0
"""The maximum size of a transaction."""
PUBLISH_BYTES, PUBLISH_SECONDS = 4 << 30, 30.0
"""How much is imported before the full text is committed, which takes a while."""
READ = frozenset({"new", "grown", "replaced"})
"""The outcomes of a source that is read."""
YOUNG = 1
"""The garbage collector only checks recent objects: all others existed before."""
LARGE = 32 << 20
"""After an import of this size the database's log is emptied, and more work is done in parallel."""

_IMPORTED = """
INSERT INTO about (key, value) VALUES ('imported', ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_PATH = "SELECT path FROM sources WHERE id = ?"


class ImportRun:
    """The work of an import, and its progress."""

    def __init__(
        self,
        library: Library,
        seen: SourceScan,
        dirty: Mapping[int, int],
        result: ImportResult,
        progress: Tell | None,
        pulse: Pulse | None = None,
        *,
        sampled: bool = False,
    ) -> None:
        self._look = seen
        self._dirty = dirty
        self._result = result
        self._progress = progress
        self._pulse = pulse
        self._read = 0
        self._bytes = sum(change.size for change in seen.changes)
        self._sources = len(seen.changes) + len(dirty)
        self._done = 0
        self._bytes_done = 0
        self._settle: Callable[[], None] = _do_nothing
        self._limit = attachment_settings().max_size
        self._large: list[bytes] = []
        size = self._bytes + sum(dirty.values())
        self._intake = ImportContext(library, size, result, sampled=sampled)

    def run(self) -> None:
        """Run the whole import."""
        if self._sources:
            release_large_blocks()
            # The writer of the full text records the names of its new files as soon as it is
            # opened.
            with self._intake.db.transaction(durable=True):
                expect_changes(self._intake.db)
            self._intake.prepare()
        steps = self._run_steps()
        with pause_gc(), closing(self._intake), closing(steps):
            unpublished, since = 0, time.monotonic()
            done = False
            while not done:
                size, done = self._run_batch(steps)
                unpublished += size
                if not done:
                    gc.collect(YOUNG)
                late = time.monotonic() - since > PUBLISH_SECONDS
                if done or late or unpublished >= PUBLISH_BYTES or self._intake.is_full:
                    self._intake.publish(
                        self._intake.update_totals if done and self._is_large else None
                    )
                    unpublished, since = 0, time.monotonic()
        record_files(self._intake.db, self._intake.library.root)
        if self._is_large:
            self._intake.db.checkpoint()
        if self._large:
            from talktree.library.importing.oversized import find_oversized  # seldom needed

            self._result.oversized += find_oversized(self._large, self._limit)

    @property
    def _is_large(self) -> bool:
        return self._bytes > LARGE

    def _run_batch(self, steps: Iterator[int]) -> tuple[int, bool]:
        """Run one transaction; return how many bytes it had, and whether it was the last."""
        intake = self._intake
        end = time.monotonic() + BATCH_SECONDS
        size, done = 0, True
        with intake.db.transaction(durable=True):
            for step in steps:
                size += step
                self._report_progress(step)
                if size >= BATCH_BYTES or intake.is_full or time.monotonic() > end:
                    self._settle()
                    done = False
                    break
            if done:
                if not self._is_large:
                    intake.facts.update_totals()
                intake.db.run(_IMPORTED, (str(time.time_ns()),))
            intake.facts.write()
            intake.archive.flush()
        return size, done

    def _report_progress(self, size: int) -> None:
        self._read += size
        if self._pulse is not None:
            self._pulse(self._read, self._bytes)

    def _run_steps(self) -> Generator[int, None, None]:
        """Run all steps, a batch at a time."""
        for source in self._dirty:
            yield from reextract_source(self._intake, source)
            self._result.completed += 1
            row = self._intake.db.read_one(_PATH, (source,))
            self._report_path(row[0] if row else b"", "completed", 0)
        moved = _find_moved(self._look)
        for change in self._look.changes:
            take = SourceImport(self._intake, change, moved.get(change.found.path))
            self._settle = take.flush
            yield from take.import_steps()
            self._settle = _do_nothing
            self._count_outcome(take)
        yield from self._handle_removed()
        for folder in self._look.asked:
            self._intake.rows.set_file(0, folder, OTHER)
        for seen, why in self._look.unread:
            self._intake.rows.set_file(0, seen, OTHER, trouble=why)
            self._result.skipped.append(SkippedFile(seen.path, why))

    def _handle_removed(self) -> Iterator[int]:
        rows = self._intake.rows
        for known in self._look.missing:
            row = rows.find_file(known.path)
            if row is None:
                continue  # it has moved
            is_kept = row.source or row.generation is not None
            if known.state in (OTHER, UNREADABLE) and not is_kept:
                rows.drop_file(row.id)
                continue
            rows.set_file_state(row.id, GONE)
            source = rows.find_source(row.source)
            if source is not None and source.path == known.path:
                rows.set_state(source.id, GONE)
                self._result.gone += 1
                self._report_path(known.path, "gone", 0)
            yield 0

    def _count_outcome(self, take: SourceImport) -> None:
        """Count the outcome of a source, and report it."""
        result = self._result
        match take.what:
            case "new":
                result.new += 1
            case "grown":
                result.grown += 1
            case "replaced":
                result.replaced += 1
            case "moved":
                result.moved += 1
            case "back":
                result.back += 1
            case "gone":
                result.gone += 1
            case "unchanged":
                result.unchanged += 1
            case "other":
                result.passed_over += 1
                result.seen -= 1
            case "forgotten":
                result.seen -= 1
        if take.size > self._limit and take.what in READ:
            self._large.append(take.path)
        self._bytes_done += take.size
        if take.what not in ("unchanged", "other", "forgotten"):
            self._report_path(take.path, take.what, take.size)
        else:
            self._done += 1

    def _report_path(self, path: bytes, what: str, size: int) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(
                ImportProgress(
                    path, self._done, self._sources, self._bytes_done, self._bytes, what, size
                )
            )


def _find_moved(seen: SourceScan) -> dict[bytes, FileRecord]:
    """Return new files that may be renamed old ones, by the system's identity of the file."""
    away = {
        known.inode: known
        for known in seen.missing
        if known.state == HERE and known.source and known.state != FOLDER
    }
    if not away:
        return {}
    return {
        change.found.path: away.pop(change.found.files[0].inode)
        for change in seen.changes
        if change.source is None
        and change.found.kind == "file"
        and change.found.files[0].inode in away
    }


def _do_nothing() -> None:
    return
