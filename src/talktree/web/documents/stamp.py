"""What state a source is in: a short hash of what the archive has of it and of its edits."""

from __future__ import annotations

import os
from hashlib import blake2b

import msgspec

from talktree.files import stem_of
from talktree.library.archive.source_versions import files_of
from talktree.library.database.connection import Database, Row
from talktree.library.versions.edit_history import History, history_of

_ANY = "SELECT 1 FROM operations WHERE source = ? LIMIT 1"
_SOURCE = "SELECT path, native FROM sources WHERE id = ?"
_BELOW = """
SELECT f.path, g.id, g.length FROM files AS f JOIN generations AS g ON g.id = f.generation
WHERE f.path >= ? AND f.path < ? ORDER BY f.path
"""
_BESIDE = """
SELECT id, archived FROM sources
WHERE path >= ? AND path < ? AND parent = ? AND native <> parent ORDER BY id
"""
NEVER_EDITED = History(())


def edits_of(db: Database, source: int) -> History:
    """The edits of a source; most have none."""
    return history_of(db, source) if db.one(_ANY, (source,)) else NEVER_EDITED


def stamp_of(db: Database, source: int, history: History | None = None) -> str:
    """The same as long as the kept files, companion files and edits that count are the same."""
    history = edits_of(db, source) if history is None else history
    files = [(each.path, each.generation, each.length) for each in files_of(db, source)]
    state: tuple[object, ...] = (files, history.standing, history.is_saved)
    others = companions_stamp(db, source)
    if others:
        state = (*state, others)
    return blake2b(msgspec.msgpack.encode(state), digest_size=9).hexdigest()


def companions_stamp(db: Database, source: int) -> list[Row]:
    """What changes when a companion file of a source does; empty if it can have none.

    By names alone, which is quick: it may change when nothing that belongs to the source does.
    """
    row = db.one(_SOURCE, (source,))
    if row is None:
        return []
    path, native = row
    folder = os.fsencode(stem_of(os.fsdecode(path)))
    below = [] if folder == path else db.read(_BELOW, (folder + b"/", folder + b"0"))
    above = os.path.dirname(path)
    return below + db.read(_BESIDE, (above + b"/", above + b"0", native))
