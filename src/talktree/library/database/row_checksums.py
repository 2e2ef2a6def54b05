"""Checksums of the rows that cannot be rebuilt from the archive.

Each such row has the checksum of its own values, and `checksums` has for each table the number of
its rows and the sum of their checksums. Triggers keep both up to date. They are temporary and exist
only in Talktree's own connections: a change from elsewhere, such as a damaged disk, leaves a
checksum that does not match.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import NamedTuple

from talktree.library.database.connection import Database


class ChecksummedTable(NamedTuple):
    """A table with checksums."""

    name: str
    key: tuple[str, ...]
    values: tuple[str, ...]
    """The columns in the checksum, apart from the key."""
    texts: tuple[str, ...] = ()
    """Those of all these columns that hold text."""


TABLES = (
    ChecksummedTable("about", ("key",), ("value",), ("key", "value")),
    ChecksummedTable("places", ("id",), ("path", "added")),
    ChecksummedTable(
        "sources",
        ("id",),
        ("path", "format", "state", "trouble", "lines", "kept_until"),
        ("format", "state", "trouble"),
    ),
    ChecksummedTable(
        "files",
        ("id",),
        (
            *("source", "path", "size", "modified", "changed", "inode", "device"),
            *("state", "generation", "guard", "trouble"),
        ),
        ("state", "trouble"),
    ),
    ChecksummedTable("generations", ("id",), ("file", "number", "length", "began")),
    ChecksummedTable("versions", ("generation", "length"), ("seen", "modified", "verified")),
    ChecksummedTable("chunks", ("id",), ("hash", "size", "base")),
    ChecksummedTable("extents", ("generation", "start"), ("chunk", "size")),
    ChecksummedTable("landmarks", ("mark", "chunk"), ()),
    ChecksummedTable("operations", ("id",), ("source", "time", "kind", "value"), ("kind",)),
    ChecksummedTable(
        "branch_names",
        ("source", "conversation", "leaf"),
        ("name", "time"),
        ("conversation", "leaf", "name"),
    ),
    ChecksummedTable("tombstones", ("id",), ("format", "time"), ("format",)),
    ChecksummedTable("tombstone_hashes", ("hash", "tombstone"), ("kind",), ("kind",)),
    ChecksummedTable("scrubs", ("hash",), ("size", "probe", "time")),
)
HINTS = "landmarks"
"""The table that only helps compression: a wrong row wastes space, but harms nothing."""
FUNCTION = "row_checksum"
"""The SQL name of `row_checksum`."""


class ChecksumMismatch(NamedTuple):
    """A row, or a whole table, that does not match its checksum."""

    table: str
    key: tuple[object, ...] | None
    """None if rows are missing or were not written by Talktree."""


def row_checksum(*values: object) -> int:
    """Return the checksum of the values of a row; texts are passed as bytes."""
    made = 0
    for value in values:
        data = value if isinstance(value, bytes) else repr(value).encode()
        made = zlib.crc32(b"%s%d:" % (type(value).__name__[:1].encode(), len(data)), made)
        made = zlib.crc32(data, made)
    return made


def enable_checksums(db: Database) -> None:
    """Make this connection write the checksum of every row that it adds or changes."""
    for table in TABLES:
        for statement in _build_triggers(table):
            db.run(statement)


def find_mismatches(db: Database) -> Iterator[ChecksumMismatch]:
    """Yield rows and tables that do not match their checksums."""
    for table in TABLES:
        name, key = table.name, ", ".join(table.key)
        for row in db.read(
            f"SELECT {key} FROM {name} NOT INDEXED "
            f"WHERE checksum <> {_checksum_expression(table, '')}"
        ):
            yield ChecksumMismatch(name, row)
        found = db.read_one(f"SELECT count(*), coalesce(sum(checksum), 0) FROM {name} NOT INDEXED")
        if found != db.read_one("SELECT rows, total FROM checksums WHERE name = ?", (name,)):
            yield ChecksumMismatch(name, None)


def drop_wrong_hints(db: Database) -> None:
    """Delete rows of `landmarks` that do not match their checksums; nothing depends on them."""
    table = next(each for each in TABLES if each.name == HINTS)
    with db.transaction():
        db.run(f"DELETE FROM {HINTS} WHERE checksum <> {_checksum_expression(table, '')}")
        db.run(
            "UPDATE checksums SET rows = (SELECT count(*) FROM landmarks),"
            " total = (SELECT coalesce(sum(checksum), 0) FROM landmarks) WHERE name = 'landmarks'"
        )


def _checksum_expression(table: ChecksummedTable, of: str) -> str:
    """Return the SQL expression for the checksum of a row; `of` is a prefix like `NEW.`."""
    columns = (
        f"CAST({of}{each} AS BLOB)" if each in table.texts else f"{of}{each}"
        for each in (*table.key, *table.values)
    )
    return f"{FUNCTION}({', '.join(columns)})"


def _build_triggers(table: ChecksummedTable) -> Iterator[str]:
    name = table.name
    same = " AND ".join(f"{each} = NEW.{each}" for each in table.key)
    made = _checksum_expression(table, "NEW.")
    watched = ", ".join((*table.key, *table.values))
    write = f"UPDATE {name} SET checksum = {made} WHERE {same}"

    def add(count: int, change: str) -> str:
        """Return the statement that adds rows and checksums to those of the table."""
        return (
            f"UPDATE checksums SET rows = rows + {count}, total = total {change}"
            f" WHERE name = '{name}'"
        )

    for kind, what, body in (
        ("added", "INSERT", f"{write}; {add(1, f'+ {made}')};"),
        ("changed", f"UPDATE OF {watched}", f"{write}; {add(0, f'- OLD.checksum + {made}')};"),
        ("deleted", "DELETE", f"{add(-1, '- OLD.checksum')};"),
    ):
        yield (
            f"CREATE TEMP TRIGGER IF NOT EXISTS {name}_{kind} AFTER {what} ON {name} FOR EACH ROW "
            f"BEGIN {body} END"
        )
