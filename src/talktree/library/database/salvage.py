"""Making the tables that can be rebuilt, and all indexes, anew in a damaged database.

A damaged table cannot be dropped: that would read it. So its entry is removed from the schema, an
empty table is made in its place, and `VACUUM` then copies what is whole.
"""

from __future__ import annotations

from talktree.errors import Unreadable
from talktree.library.database.connection import Database
from talktree.library.database.schema import DDL, REBUILDABLE

_INDEXES = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
_REMOVE = "DELETE FROM sqlite_master WHERE tbl_name = ? OR (type = 'index' AND name = ?)"


def has_broken_structure(db: Database) -> bool:
    """Whether something is wrong with the structure of the file."""
    try:
        return bool(db.check_structure(thorough=True))
    except Unreadable:
        return True


def renew_rebuildable(db: Database) -> None:
    """Empty all tables that can be rebuilt and make every index again, whatever their state is."""
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
    """Whether a statement makes such a table, or an index of one."""
    words = statement.replace("(", " ").split()
    name = (
        words[2] if words[1] == "TABLE" else words[words.index("ON") + 1] if "ON" in words else ""
    )
    return words[0] == "CREATE" and name in REBUILDABLE
