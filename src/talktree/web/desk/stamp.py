"""What state a source is in: a short hash of what the archive has of it and of its edits."""

from __future__ import annotations

from hashlib import blake2b

import msgspec

from talktree.library.archive.versions import files_of
from talktree.library.database.connection import Database
from talktree.library.versions.history import History, history_of

_ANY = "SELECT 1 FROM operations WHERE source = ? LIMIT 1"
NEVER_EDITED = History(())


def edits_of(db: Database, source: int) -> History:
    """The edits of a source; most have none."""
    return history_of(db, source) if db.one(_ANY, (source,)) else NEVER_EDITED


def stamp_of(db: Database, source: int, history: History | None = None) -> str:
    """The same as long as the kept files and the edits that count are the same."""
    history = edits_of(db, source) if history is None else history
    files = [(each.path, each.generation, each.length) for each in files_of(db, source)]
    state = msgspec.msgpack.encode((files, history.standing, history.is_saved))
    return blake2b(state, digest_size=9).hexdigest()
