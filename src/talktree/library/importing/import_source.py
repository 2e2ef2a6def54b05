"""Importing one source that has changed: which kind of change it is, and what follows from it.

Also stores the pieces of sources that are read as a whole, so that one of them can be shown alone.
Pieces of line formats are not stored: their record is one line of the archive.

A source that is read as a whole, a file or folder of any format, is read through the model. Its
bytes are archived first, and its facts are extracted from there: so an import and a later `reindex`
give the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

import msgspec

from talktree.errors import Failure, TalktreeError, describe_internal_error, failure_of
from talktree.files.source import release_large_blocks
from talktree.formats import all_formats, get_format
from talktree.formats.secrets import without_secrets
from talktree.library.archive.codec import compress_chunk, decompress_chunk
from talktree.library.archive.file_content import read_archived_source
from talktree.library.database.connection import Database
from talktree.library.erasure.recognition import find_forgotten
from talktree.library.extract.facts import SearchPiece
from talktree.library.extract.from_model import extract_source as extract_source
from talktree.library.importing.archive_writer import FileComparison, GrowingGeneration
from talktree.library.importing.context import ImportContext
from talktree.library.importing.lines import LineFile, read_blocks
from talktree.library.importing.result import DAMAGED, SkippedFile, without_path
from talktree.library.importing.source_rows import FileRow, SourceRow
from talktree.library.importing.source_writer import SourceCollector
from talktree.library.sources.changes import (
    FOLDER,
    GONE,
    HERE,
    LEFT,
    OTHER,
    UNREADABLE,
    FileRecord,
    SourceChange,
)
from talktree.library.sources.companions import is_companion
from talktree.library.sources.detect import (
    KEYS,
    NotAConversation,
    RecognisedFormat,
    detect_format,
    make_source,
    may_hold_keys,
    relative_path,
)
from talktree.library.sources.open import open_file
from talktree.library.sources.scan import FileStat, to_file_stat

GROUP = 64 << 10
"""Approximately how many characters are compressed together."""

_ADD = "INSERT INTO pieces (source, first, data) VALUES (?, ?, ?)"
_AT = "SELECT data FROM pieces WHERE source = ? AND first <= ? ORDER BY first DESC LIMIT 1"
_ALL = "SELECT first, data FROM pieces WHERE source = ? ORDER BY first"
_PACK = msgspec.msgpack.Encoder()


class _Group(NamedTuple):
    """Pieces that are compressed together, and the ids of their records."""

    pieces: list[SearchPiece]
    ids: dict[int, str]


_UNPACK = msgspec.msgpack.Decoder(_Group)


def store_pieces(
    db: Database, source: int, pieces: Iterable[SearchPiece], ids: Mapping[int, str]
) -> None:
    """Store the pieces of a source, which has none yet, and the ids of their records."""
    db.run_many_atomically(
        _ADD,
        ((source, group[0].at, _pack_group(group, ids)) for group in _split_into_groups(pieces)),
    )


def _pack_group(group: list[SearchPiece], ids: Mapping[int, str]) -> bytes:
    named = {piece.at: _replace_surrogates(ids[piece.at]) for piece in group if piece.at in ids}
    return compress_chunk(_PACK.encode(_Group(group, named)))


def read_pieces_at(db: Database, source: int, at: int) -> list[SearchPiece]:
    """Return the pieces of one record of a source."""
    return [piece for piece in _read_group(db, source, at).pieces if piece.at == at]


def read_pieces(db: Database, source: int) -> list[tuple[int, object]]:
    """Return all stored pieces of a source; raise an error if some are damaged."""
    return [
        (first, _UNPACK.decode(decompress_chunk(data))) for first, data in db.read(_ALL, (source,))
    ]


def read_id_at(db: Database, source: int, at: int) -> str | None:
    """Return the id of one record of a source."""
    return _read_group(db, source, at).ids.get(at)


def _read_group(db: Database, source: int, at: int) -> _Group:
    row = db.read_one(_AT, (source, at))
    return _Group([], {}) if row is None else _UNPACK.decode(decompress_chunk(row[0]))


def _split_into_groups(pieces: Iterable[SearchPiece]) -> Iterator[list[SearchPiece]]:
    """Yield pieces in groups; those of one record stay together."""
    group: list[SearchPiece] = []
    size = 0
    for piece in pieces:
        if size > GROUP and piece.at != group[-1].at:
            yield group
            group, size = [], 0
        group.append(_to_encodable(piece))
        size += len(piece.text)
    if group:
        yield group


def _to_encodable(piece: SearchPiece) -> SearchPiece:
    """Return a piece without surrogates, which UTF-8 cannot encode."""
    if piece.text.isascii() and piece.files.isascii():
        return piece
    return piece._replace(
        text=_replace_surrogates(piece.text), files=_replace_surrogates(piece.files)
    )


def _replace_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


COPY_AGAIN = "what could be read was imported; copy the file again, or restore it from a backup"


def extract_whole(intake: ImportContext, taking: SourceCollector, format: str) -> Failure | None:
    """Extract a source again from the archive; return the failure, if there was one."""
    release_large_blocks()
    source = read_archived_source(intake.db, intake.archive, taking.id)
    taking.forget_facts()
    failure = None
    try:
        facts = extract_source(source, get_format(format))
    except TalktreeError as error:
        failure = failure_of(error)
    except Exception as error:
        failure = describe_internal_error(os.fsdecode(taking.path), error)
    else:
        intake.result.records += len(facts.links)
        taking.add_facts(facts)
        store_pieces(intake.db, taking.id, facts.pieces, facts.ids)
        intake.index(taking.id, facts.pieces)
        if facts.damage is not None:
            why = f"{os.fsdecode(taking.path)}: {facts.damage}; the rest is missing"
            failure = Failure(DAMAGED, why, COPY_AGAIN, 3)
    taking.archived = sum(content.size for content in source.files.values())
    taking.trouble = None if failure is None else without_path(failure.message, taking.path)
    return failure


Imports = Literal["new", "grown", "replaced", "moved", "back"]
What = Imports | Literal["gone", "unchanged", "other", "forgotten", "failed"]
FORGOTTEN = "the file holds a forgotten conversation now"
CHANGED = "the file changed while it was read; the next import reads it again"


class SourceImport:
    """The import of one source."""

    def __init__(
        self, intake: ImportContext, change: SourceChange, moved: FileRecord | None = None
    ) -> None:
        self.what: What = "failed"
        self.size = 0
        """How many bytes of it were read."""
        self.path = change.found.path
        self._intake = intake
        self._change = change
        self._moved = moved
        self._lines: LineFile | None = None
        self._parts: int | None = None
        """The source, while the files of a folder are archived and not extracted yet."""

    def import_steps(self) -> Iterator[int]:
        """Import it batch by batch; yield how many bytes each had."""
        result = self._intake.result
        before, failures = result.bytes_read, len(result.failed)
        try:
            if self._change.found.kind == "folder":
                yield from self._import_folder()
            else:
                yield from self._import_file()
        except OSError as error:
            # Tables, archive and full text have errors of their own: this one is the source's.
            self._record_unreadable(error)
        self._lines = self._parts = None
        self.size = result.bytes_read - before
        if len(result.failed) > failures:
            # It counts once, whatever else its outcome was.
            self.what = "failed"

    def flush(self) -> None:
        """Update the tables before a transaction ends in the middle of the source."""
        if self._lines is not None:
            self._lines.flush(done=False)
        elif self._parts is not None:
            # Otherwise its files would count as known, and never be read again.
            self._intake.rows.mark_outdated(self._parts)

    # a file

    def _import_file(self) -> Iterator[int]:
        intake, path = self._intake, self.path
        known = self._moved or self._change.known
        if may_hold_keys(self._change.found):
            self._record_no_conversation(None, None, self._change.found.files[0], KEYS)
            return
        with open_file(path) as (file, seen):
            intake.result.files_opened += 1
            row = intake.rows.find_file(known.path) if known else None
            compared = self._compare_file(row, known, file, seen)
            if self._moved is not None and not (
                row and compared and compared.begins_so and self._move_file(row)
            ):
                # A different file in place of the one known at its path.
                self._moved, known = None, self._change.known
                row = intake.rows.find_file(known.path) if known else None
                compared = self._compare_file(row, known, file, seen)
            source = intake.rows.find_source(row.source) if row and row.source else None
            if source and row and compared and compared.begins_so and source.lines:
                yield from self._import_appended(source, row, file, seen, compared, known)
                return
            format = detect_format(self._change.found, file)
            if isinstance(format, NotAConversation):
                self._record_no_conversation(source, row, seen, format.why)
            elif self._is_forgotten(format, source):
                self._skip_forgotten(source, row, seen)
            elif format.lines:
                yield from self._import_new_generation(format, source, row, file, seen)
            else:
                yield from self._import_whole_file(format, source, row, seen)

    def _move_file(self, row: FileRow) -> bool:
        """Give a file and its source a new path; return whether that was possible.

        It is not if the file was part of a folder. What is archived of another file with that name
        stays.
        """
        assert self._moved is not None
        rows = self._intake.rows
        source = rows.find_source(row.source)
        if source is None or source.path != self._moved.path or not rows.vacate(self.path):
            return False
        rows.move(row.id, row.source, self.path)
        return True

    def _compare_file(
        self, row: FileRow | None, known: FileRecord | None, file: int, seen: FileStat
    ) -> FileComparison | None:
        if row is None:
            return None
        intake = self._intake
        read, kept = intake.open_archived(file, seen)
        compared = FileComparison(intake.archive, row, known, read, kept, sampled=intake.sampled)
        intake.result.bytes_read += compared.read
        return compared

    def _import_appended(
        self,
        source: SourceRow,
        row: FileRow,
        file: int,
        seen: FileStat,
        compared: FileComparison,
        known: FileRecord | None,
    ) -> Iterator[int]:
        """Import what follows the archived part, with which the file begins."""
        intake = self._intake
        assert row.generation is not None
        keeping = GrowingGeneration(intake.archive, row.generation, compared.tail)
        if self._moved is not None:
            self.what = "moved"
        elif seen.size > keeping.end:
            self.what = "grown"
        else:
            self.what = "back" if known and known.state in (GONE, OTHER) else "unchanged"
        if seen.size == keeping.end:
            # An import that was killed may have archived all bytes and not recorded the version.
            intake.keep_version(keeping, file, seen, keeping.end, verified=compared.is_complete)
            intake.rows.set_file(source.id, seen, HERE, row.generation, row.guard)
            intake.rows.set_state(source.id, HERE)
            return
        lines = LineFile(
            intake,
            file,
            seen,
            keeping,
            SourceCollector(intake, source),
            verified=compared.is_complete,
        )
        yield from self._import_lines(lines)

    def _import_new_generation(
        self,
        format: RecognisedFormat,
        source: SourceRow | None,
        row: FileRow | None,
        file: int,
        seen: FileStat,
    ) -> Iterator[int]:
        """Import a file of lines from its beginning, as a new generation."""
        taking = self._get_or_make_source(format, source)
        id = row.id if row else self._intake.rows.make_file(taking.id, self.path)
        keeping = GrowingGeneration(self._intake.archive, self._intake.archive.begin(id))
        lines = LineFile(self._intake, file, seen, keeping, taking, verified=True)
        yield from self._import_lines(lines)

    def _import_lines(self, lines: LineFile) -> Iterator[int]:
        self._lines = lines
        yield from lines.import_blocks()
        if not lines.is_consistent:
            self._report_outcome("changed", CHANGED)

    def _import_whole_file(
        self,
        format: RecognisedFormat,
        source: SourceRow | None,
        row: FileRow | None,
        seen: FileStat,
    ) -> Iterator[int]:
        taking = self._get_or_make_source(format, source)
        change = self._archive_file(taking.id, seen, self._change.known)
        # If nothing in it names it, the file name is used.
        has_moved = self._moved is not None and source is not None
        yield from self._import_whole(
            taking, format, {"moved"} if has_moved else {change}, seen.modified
        )

    # a folder

    def _import_folder(self) -> Iterator[int]:
        intake, found = self._intake, self._change.found
        source = intake.rows.find_source(self._change.source) if self._change.source else None
        format = detect_format(found)
        if isinstance(format, NotAConversation):
            self._report_outcome("unknown-format", format.why)
            return
        if self._is_forgotten(format, source):
            self._skip_forgotten(source, None, None)
            return
        taking = self._get_or_make_source(format, source)
        allowed = without_secrets(make_source(found), all_formats()).files
        known = intake.rows.files_of(taking.id)
        provisional = intake.rows.provisional_files(taking.id)
        changes: set[str] = set()
        self._parts = taking.id
        for seen in found.files:
            row = known.pop(seen.path, None)
            if relative_path(seen.path, found.path) not in allowed:
                intake.rows.set_file(taking.id, seen, OTHER)
            elif (
                row is None
                or row.state != HERE
                or not row.is_unchanged(seen)
                or seen.path in provisional
            ):
                changes.add(self._archive_file(taking.id, seen, row))
                if row is not None and row.state in (GONE, LEFT):
                    changes.add("new")
                yield seen.size
        for row in known.values():
            if row.state != LEFT:
                intake.rows.set_file_state(row.id, LEFT)
                changes.add("replaced")
        marker = to_file_stat(found.path, os.lstat(found.path))
        intake.rows.set_file(taking.id, marker, FOLDER)
        self._parts = None
        newest = max((seen.modified for seen in found.files), default=0)
        yield from self._import_whole(taking, format, changes, newest)

    # both

    def _get_or_make_source(
        self, format: RecognisedFormat, source: SourceRow | None
    ) -> SourceCollector:
        """Return the source, created if it is new; an existing one is extracted again."""
        intake = self._intake
        self.what = "new" if source is None else "replaced"
        id = intake.rows.get_or_make_source(self.path, format.format, lines=format.lines)
        row = intake.rows.find_source(id)
        assert row is not None
        taking = SourceCollector(intake, row)
        if source is not None and format.lines:
            taking.forget_facts()
        return taking

    def _archive_file(self, source: int, seen: FileStat, known: FileRecord | None) -> str:
        """Archive the new part of a file; return `new`, `grown`, `replaced` or `unchanged`."""
        intake = self._intake
        row = intake.rows.find_file(seen.path)
        id = row.id if row else intake.rows.make_file(source, seen.path)
        with open_file(seen.path) as (file, now):
            intake.result.files_opened += 1
            compared = self._compare_file(row, known, file, now)
            verified = True
            if row and compared and compared.begins_so and row.generation is not None:
                keeping, change = (
                    GrowingGeneration(intake.archive, row.generation, compared.tail),
                    "grown",
                )
                verified = compared.is_complete
            else:
                fresh = row is None or row.generation is None
                keeping = GrowingGeneration(intake.archive, intake.archive.begin(id))
                change = "new" if fresh else "replaced"
            start = keeping.end
            read, kept = intake.open_archived(file, now)
            for data in read_blocks(read, start, kept.size):
                intake.result.bytes_read += len(data)
                keeping.feed(keeping.end, data)
            is_consistent = intake.keep_version(keeping, file, kept, start, verified=verified)
        whole = now if is_consistent else now._replace(modified=0)
        intake.rows.set_file(source, whole, HERE, keeping.generation, keeping.guard)
        if not is_consistent:
            shown = os.fsdecode(seen.path)
            intake.report_failure(self.path, Failure("changed", f"{shown}: {CHANGED}", None, 3))
        return "unchanged" if change == "grown" and keeping.end == start else change

    def _import_whole(
        self, taking: SourceCollector, format: RecognisedFormat, changes: set[str], modified: int
    ) -> Iterator[int]:
        """Extract a source that is read as a whole, if anything of it changed."""
        intake = self._intake
        if self.what == "replaced":
            changes = changes - {"unchanged"}
            if not changes:
                self.what = "unchanged"
                intake.rows.set_state(taking.id, HERE)
                return
            if changes == {"grown"}:
                self.what = "grown"
            elif changes == {"moved"}:
                self.what = "moved"
        intake.archive.flush()
        intake.rows.set_state(taking.id, HERE)
        failure = extract_whole(intake, taking, format.format)
        taking.save(taking.archived, modified)
        if failure is not None and failure.kind == DAMAGED:
            intake.report_incomplete(self.path, failure)
        elif failure is not None:
            intake.report_failure(self.path, failure)
        yield taking.archived

    # forgotten conversations

    def _is_forgotten(self, format: RecognisedFormat, source: SourceRow | None) -> bool:
        """Whether it holds a forgotten conversation that its source did not hold before."""
        tombstones = self._intake.tombstones
        if not tombstones:
            return False
        found = find_forgotten(tombstones, self._change.found, format)
        held = set() if source is None else self._intake.rows.ids_of(source.id)
        numbers = {number for id, number in found.items() if id not in held}
        if source is None:
            tombstones.add_copy(self._change.found, numbers)
        self._intake.result.tombstones |= numbers
        return bool(numbers)

    def _skip_forgotten(
        self, source: SourceRow | None, row: FileRow | None, seen: FileStat | None
    ) -> None:
        """Skip it; a path without archived content is not recorded."""
        self.what = "forgotten"
        rows = self._intake.rows
        if source is not None:
            rows.set_state(source.id, GONE, FORGOTTEN)
            if row is not None and seen is not None:
                rows.set_file(source.id, seen, OTHER, row.generation, row.guard, FORGOTTEN)
        elif row is not None and not row.source and row.generation is None:
            rows.drop_file(row.id)

    # files that cannot be imported

    def _record_no_conversation(
        self, source: SourceRow | None, row: FileRow | None, seen: FileStat, why: str
    ) -> None:
        """Record the file so that it is not opened again; what is archived of it stays."""
        rows = self._intake.rows
        if source is None and is_companion(self.path):
            self._archive_companion(seen)
        elif source is None or row is None:
            self.what = "other"
            rows.set_file(0, seen, OTHER, trouble=why)
            if self._change.found.asked:
                self._report_outcome("unknown-format", why)
            else:
                self._intake.result.skipped.append(SkippedFile(self.path, why))
        else:
            self.what = "gone"
            rows.set_file(source.id, seen, OTHER, row.generation, row.guard, why)
            rows.set_state(source.id, GONE, "the file is no conversation any more")
            self._intake.result.skipped.append(SkippedFile(self.path, why))

    def _archive_companion(self, seen: FileStat) -> None:
        """Archive a file that is not a conversation and belongs to one."""
        self.what = "other"
        self._archive_file(0, seen, self._change.known)
        kept = self._intake.rows.find_file(self.path)
        assert kept is not None
        self._intake.rows.set_file_state(kept.id, OTHER)

    def _record_unreadable(self, error: OSError) -> None:
        self.flush()
        if self._change.known is None and not os.path.lexists(self.path):
            self.what = "other"  # it existed only briefly
            return
        why = error.strerror or str(error)
        self._report_outcome("unreadable", why)
        rows = self._intake.rows
        row = rows.find_file(self.path)
        if row is None:
            if self._change.found.kind == "file":
                rows.set_file(0, self._change.found.files[0], UNREADABLE, trouble=why)
            return
        rows.set_file_state(row.id, UNREADABLE, why)
        if row.source:
            rows.set_state(row.source, UNREADABLE, why)

    def _report_outcome(self, kind: str, why: str) -> None:
        shown = os.fsdecode(self.path)
        self._intake.report_failure(self.path, Failure(kind, f"{shown}: {why}", None, 3))
