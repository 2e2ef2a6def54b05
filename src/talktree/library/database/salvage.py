"""Recreating the rebuildable tables, and all indexes, in a damaged database.

A damaged table cannot be dropped, as that would read it. So its entry is removed from the schema,
an empty table is created in its place, and `VACUUM` then copies the intact tables.
"""

from __future__ import annotations

from talktree.errors import Unreadable
from talktree.library.database.connection import Database
from talktree.library.database.schema import DDL, REBUILDABLE

_INDEXES = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
_REMOVE = "DELETE FROM sqlite_master WHERE tbl_name = ? OR (type = 'index' AND name = ?)"


def has_broken_structure(db: Database) -> bool:
    """Whether the structure of the file is damaged."""
    try:
        return bool(db.check_structure(thorough=True))
    except Unreadable:
        return True


def renew_rebuildable(db: Database) -> None:
    """Empty all tables that can be rebuilt and recreate every index, whatever their state is."""
    indexes = [
        (str(name), str(sql)) for name, table, sql in db.read(_INDEXES) if table not in REBUILDABLE
    ]
    db.run("PRAGMA writable_schema = ON")
    try:
        with db.transaction(durable=True):
            for table in REBUILDABLE:
                db.run(_REMOVE, (table, ""))
            for name, _ in indexes:
                db.run(_REMOVE, ("", name))
            db.run("PRAGMA writable_schema = RESET")
            for statement in DDL:
                if _makes_rebuildable(statement):
                    db.run(statement)
            for _, sql in indexes:
                db.run(sql)
    finally:
        db.run("PRAGMA writable_schema = OFF")
    db.run("REINDEX")
    db.run("VACUUM")


def _makes_rebuildable(statement: str) -> bool:
    """Whether a statement creates such a table, or an index of one."""
    words = statement.replace("(", " ").split()
    name = (
        words[2] if words[1] == "TABLE" else words[words.index("ON") + 1] if "ON" in words else ""
    )
    return words[0] == "CREATE" and name in REBUILDABLE
