"""Opening the database of a library: created if it is new, migrated if it is older."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from talktree.errors import NotSaved, Unreadable
from talktree.library.database.connection import Database
from talktree.library.database.row_checksums import FUNCTION, enable_checksums, row_checksum
from talktree.library.database.schema import DDL, SCHEMA

Step = Callable[[Database], None]
Steps = Mapping[int, Step]
"""By the schema number they lead to: the steps that migrate from the number before."""

_IS_MADE = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'about'"
_NUMBER = "SELECT value FROM about WHERE key = 'schema'"
_SET_NUMBER = """
INSERT INTO about (key, value) VALUES ('schema', ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_SET_MADE = "INSERT INTO about (key, value) VALUES ('made', ?)"


def open_database(path: Path, *, write: bool, key: bytes | None = None) -> Database:
    """Open the database at a path, with the current tables; a key opens an encrypted one."""
    if write:
        from talktree.library.database.permissions import secure_library  # readers do not need it

        try:
            secure_library(path)
        except OSError as error:
            raise NotSaved(
                f"{path.parent}: cannot be made: {error.strerror}", hint="check the path"
            ) from None
    db = Database(path, write=write, key=key)
    db.add_function(FUNCTION, row_checksum)
    try:
        if write:
            migrate(db)
        else:
            _check_readable(db)
    except BaseException:
        db.close()
        raise
    return db


def schema_number(db: Database) -> int:
    """Return the schema number of a database; 0 if it is empty."""
    if db.read(_IS_MADE) == [(0,)]:
        return 0
    found = db.read_one(_NUMBER)
    if found is None or not str(found[0]).isdigit():
        raise Unreadable(f"{db.path}: this is not a library", hint="name another folder")
    return int(found[0])


def migrate(db: Database, steps: Steps | None = None, newest: int = SCHEMA) -> None:
    """Migrate a database to the newest schema, in one transaction."""
    if schema_number(db) == newest:
        enable_checksums(db)
        return
    if steps is None:
        from talktree.library.database.migrations.steps import STEPS  # most are up to date

        steps = STEPS
    with db.transaction(durable=True):
        # Checked again: another process may have migrated it meanwhile.
        number = schema_number(db)
        if number > newest:
            raise _too_new_error(db)
        if number == 0:
            for statement in DDL:
                db.run(statement)
        for following in range(number + 1, newest + 1) if number else ():
            steps[following](db)
        enable_checksums(db)
        if number == 0:
            db.run(_SET_MADE, (str(time.time_ns()),))
        db.run(_SET_NUMBER, (str(newest),))


def _check_readable(db: Database) -> None:
    number = schema_number(db)
    if number > SCHEMA:
        raise _too_new_error(db)
    if number < SCHEMA:
        raise Unreadable(
            f"{db.path}: this library was made by an older version of talktree",
            hint="run `talktree import` once: it brings the library up to date",
        )


def _too_new_error(db: Database) -> Unreadable:
    return Unreadable(
        f"{db.path}: this library was made by a newer version of talktree",
        hint="update talktree",
    )
