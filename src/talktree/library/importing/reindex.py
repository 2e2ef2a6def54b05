"""Comparing facts and full text with the archive, by rebuilding them in a copy.

The copy is in a temporary folder and is deleted at the end; the library is only read.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from talktree.errors import TalktreeError
from talktree.library.archive.verify import ArchiveProblem
from talktree.library.database.schema import REBUILDABLE
from talktree.library.extract.facts import Heading
from talktree.library.fulltext.index_checksums import is_recorded
from talktree.library.importing.import_run import ImportRun
from talktree.library.importing.import_source import read_pieces
from talktree.library.importing.result import ImportResult
from talktree.library.library import Library
from talktree.library.sources.changes import NOTHING
from talktree.library.stats.totals import are_totals_current
from talktree.text.escape import escape_line

if TYPE_CHECKING:
    from talktree.library.archive.store import Archive
    from talktree.library.database.connection import Database
    from talktree.library.fulltext.index import PieceAddress

HINT = "`talktree library reindex` makes it again from the archive"

_COPIES = (
    (
        "SELECT id, path, format, state, trouble, lines FROM sources",
        "INSERT INTO sources (id, path, format, state, trouble, lines) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    (
        "SELECT id, source, path, size, modified, state, generation FROM files",
        "INSERT INTO files (id, source, path, size, modified, state, generation, changed, inode,"
        " device) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, 0)",
    ),
    (
        "SELECT id, file, number, length, began FROM generations",
        "INSERT INTO generations (id, file, number, length, began) VALUES (?, ?, ?, ?, ?)",
    ),
)
"""The tables that extracting sources again needs, and does not produce."""
_SOURCES = "SELECT id, path, indexed = archived FROM sources ORDER BY id"
_ABOUT = """
SELECT s.native, s.title, p.text, b.text, s.first, s.last, s.messages, s.branches, s.sidechains,
  s.errors, s.size, s.archived, s.parent, s.shape, s.heading
FROM sources AS s LEFT JOIN names AS p ON p.id = s.project LEFT JOIN names AS b ON b.id = s.branch
WHERE s.id = ?
"""
_ABOUT_NAMES = (
    *("id", "title", "project", "branch", "first", "last", "messages", "branches", "sidechains"),
    *("errors", "size", "archived", "parent", "shape", "heading"),
)
_FACTS = {
    "replies": """
SELECT r.key, r.at, r.time, m.text, p.text, r.input, r.output, r.cache_read, r.cache_write,
  r.cache_write_hour
FROM replies AS r LEFT JOIN names AS m ON m.id = r.model LEFT JOIN names AS p ON p.id = r.project
WHERE r.source = ?""",
    "calls": """
SELECT c.key, c.at, c.time, t.text, c.reply, c.state, c.took
FROM calls AS c LEFT JOIN names AS t ON t.id = c.tool WHERE c.source = ?""",
    "measures": """
SELECT m.time, n.text, m.value FROM measures AS m LEFT JOIN names AS n ON n.id = m.name
WHERE m.source = ?""",
    "roles": """
SELECT n.text, r.messages FROM roles AS r LEFT JOIN names AS n ON n.id = r.role
WHERE r.source = ?""",
    "conversations": """
SELECT number, start, key, native, title, first, last, messages, threads, branches, sidechains,
  errors
FROM conversations WHERE source = ?""",
}
_SUMS = {
    "usage totals": """
SELECT s.day, m.text, p.text, s.long, s.replies, s.input, s.output, s.cache_read, s.cache_write,
  s.cache_write_hour
FROM spent AS s LEFT JOIN names AS m ON m.id = s.model LEFT JOIN names AS p ON p.id = s.project
WHERE s.source = ?""",
    "tool totals": """
SELECT u.day, t.text, u.calls, u.answered, u.failures
FROM used AS u LEFT JOIN names AS t ON t.id = u.tool WHERE u.source = ?""",
}
_STRAYS = tuple(
    (table, f"SELECT count(*) FROM {table} WHERE source NOT IN (SELECT id FROM sources)")
    for table in REBUILDABLE
)


class _Copy(Library):
    """A library in a temporary folder that is built from the archive of another one."""

    def __init__(self, root: Path, archive: Archive, key: bytes | None) -> None:
        super().__init__(root, write=True, key=key)
        self.archive = archive

    def close(self) -> None:
        """Close the copy; the archive belongs to the original."""
        self.db.close()


def compare_with_rebuild(library: Library) -> Iterator[ArchiveProblem]:
    """Yield how facts and full text differ from what the archive gives."""
    with library.db.snapshot(), open_rebuilt_copy(library) as copy:
        yield from compare_facts(library.db, copy.db)
        documents = {*copy.fulltext.documents()}
    yield from _compare_documents(library, documents)


@contextmanager
def open_rebuilt_copy(library: Library) -> Iterator[Library]:
    """Provide a temporary library with the same sources, extracted again from the archive."""
    with (
        tempfile.TemporaryDirectory(prefix="talktree-check-") as folder,
        _Copy(Path(folder) / "library", library.archive, library.key) as copy,
    ):
        for select, insert in _COPIES:
            copy.db.run_many_atomically(insert, library.db.read(select))
        sources = library.db.read(_SOURCES)
        ImportRun(copy, NOTHING, {row[0]: 0 for row in sources}, ImportResult(), None).run()
        yield copy


def compare_facts(db: Database, copy: Database) -> Iterator[ArchiveProblem]:
    """Yield how the facts in a database differ from those of one built from the archive."""
    sources = db.read(_SOURCES)
    has_sums = are_totals_current(db) and all(row[2] for row in sources)
    for source, path, is_indexed in sources:
        if not is_indexed:
            continue  # an import was interrupted; the next one extracts this source again
        different = [
            name
            for name, read in _list_readers(source, has_sums=has_sums)
            if _is_different(read, db, copy)
        ]
        different += _find_different_columns(source, db, copy)
        if different:
            shown = escape_line(os.fsdecode(path))
            what = f"{shown}: {', '.join(different)} not as its archived files give it"
            yield ArchiveProblem("facts", what, HINT)
    for table, sql in _STRAYS:
        if (db.read_one(sql) or (0,))[0]:
            yield ArchiveProblem("facts", f"{table}: rows that belong to no source", HINT)


Reader = Callable[["Database"], object]


def _list_readers(source: int, *, has_sums: bool) -> Iterator[tuple[str, Reader]]:
    for name, sql in {**_FACTS, **(_SUMS if has_sums else {})}.items():
        yield name, lambda db, sql=sql: sorted(db.read(sql, (source,)), key=repr)  # type: ignore[misc]
    yield "texts", lambda db: read_pieces(db, source)


def _is_different(read: Reader, db: Database, copy: Database) -> bool:
    try:
        return read(db) != read(copy)
    except (TalktreeError, ValueError, msgspec.MsgspecError):
        return True


def _find_different_columns(source: int, db: Database, copy: Database) -> list[str]:
    try:
        ours, other = (_read_columns(each, source) for each in (db, copy))
    except (TalktreeError, ValueError, msgspec.MsgspecError):
        return ["conversation"]
    return [name for name, one, two in zip(_ABOUT_NAMES, ours, other, strict=True) if one != two]


def _read_columns(db: Database, source: int) -> list[Any]:
    *columns, heading = db.read_one(_ABOUT, (source,)) or (None,) * len(_ABOUT_NAMES)
    return [*columns, None if heading is None else msgspec.msgpack.decode(heading, type=Heading)]


def _compare_documents(
    library: Library, wanted: Set[tuple[PieceAddress, str]]
) -> Iterator[ArchiveProblem]:
    """Yield the differences of the full text, if nothing was written meanwhile."""
    before = library.db.read(_SOURCES)
    if not library.has_fulltext() or not is_recorded(library.db):
        return
    found = {*library.fulltext.documents()}
    if library.db.read(_SOURCES) != before or not is_recorded(library.db):
        return
    paths = {source: path for source, path, is_indexed in before if is_indexed}
    unfinished = {source for source, _, is_indexed in before if not is_indexed}
    wrong = {place.source for place, _ in wanted ^ found} - unfinished
    for source in sorted(wrong):
        shown = escape_line(os.fsdecode(paths.get(source, b"source %d" % source)))
        yield ArchiveProblem(
            "fulltext", f"{shown}: the full text does not have just its pieces", HINT
        )
