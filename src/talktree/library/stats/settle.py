"""Sums of the replies and calls that count, kept while an import runs.

Whether a reply counts is a question of every source that tells it, so the answers are kept added up
by source and day (`spent`, `used`). They are a cache: while they are not up to date, readers add up
the replies and calls themselves, with the same statements.
"""

from __future__ import annotations

from talktree.library.database.connection import Database
from talktree.library.extract.told import Told
from talktree.library.stats.once import (
    BY_SPENT,
    BY_USED,
    COUNTING_CALLS,
    COUNTING_REPLIES,
    UNSETTLED,
    settled,
)

MOST_KEYS = 200_000
"""No more keys than this are remembered."""
FEW_KEYS = 5_000
ENOUGH = 4
"""When one of so many replies is new, all are added up anew: that is one pass over each table."""

_MARK = "INSERT INTO about (key, value) VALUES (?, '1') ON CONFLICT (key) DO NOTHING"
_UNMARK = "DELETE FROM about WHERE key = ?"
_REPLIES = "SELECT COUNT(*) FROM replies"
_ANY = "SELECT 1 FROM replies LIMIT 1"
_CLEAR = ("DELETE FROM spent", "DELETE FROM used")
_FILL = (
    "INSERT INTO spent " + COUNTING_REPLIES + BY_SPENT,
    "INSERT INTO used " + COUNTING_CALLS + BY_USED,
)
_CLEAR_ONE = ("DELETE FROM spent WHERE source = ?", "DELETE FROM used WHERE source = ?")
_FILL_ONE = (
    "INSERT INTO spent " + COUNTING_REPLIES + " AND r.source = ?" + BY_SPENT,
    "INSERT INTO used " + COUNTING_CALLS + " AND c.source = ?" + BY_USED,
)
_TELLING = (
    "SELECT source FROM replies WHERE key = ?",
    "SELECT source FROM calls WHERE key = ?",
)
_SHARING = (
    "SELECT DISTINCT o.source FROM replies AS r JOIN replies AS o ON o.key = r.key"
    " WHERE r.source = ? AND o.source <> r.source",
    "SELECT DISTINCT o.source FROM calls AS c JOIN calls AS o ON o.key = c.key"
    " WHERE c.source = ? AND o.source <> c.source",
)


class Sums:
    """What an import must add up again when it is done."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._everything = not settled(db) or db.one(_ANY) is None
        """Whether an import before this one was interrupted, or nothing was told before."""
        self._sources: set[int] = set()
        self._keys: set[int] = set()
        self._marked: int | None = None
        """How many transactions had been taken back when the mark was set."""

    def take(self, source: int, told: Told) -> None:
        """Note what a source tells; in the transaction in which that is written."""
        if not (told.replies or told.calls or told.outcomes):
            return
        self.touch(source)
        if self._everything:
            return
        self._keys.update([each[0] for each in told.replies])
        self._keys.update([each[0] for each in told.calls])
        self._keys.update([each[0] for each in told.outcomes])
        if len(self._keys) > MOST_KEYS:
            self._everything = True
            self._keys.clear()

    def touch(self, source: int) -> None:
        """Note that something else about the replies of a source is about to change."""
        self._unsettle()
        self._sources.add(source)

    def lose(self, source: int) -> None:
        """Note that what a source told is about to be deleted: others may tell it too."""
        self.touch(source)
        for statement in _SHARING:
            self._sources.update(row[0] for row in self._db.read(statement, (source,)))

    def settle(self) -> None:
        """Bring the sums up to date; in the last transaction of an import."""
        if self._everything or self._is_much():
            self.settle_all()
            return
        if not self._sources:
            return
        for key in self._keys:
            for statement in _TELLING:
                self._sources.update(row[0] for row in self._db.read(statement, (key,)))
        for clear, fill in zip(_CLEAR_ONE, _FILL_ONE, strict=True):
            for source in sorted(self._sources):
                self._db.run(clear, (source,))
                self._db.run(fill, (source,))
        self._settled()

    def settle_all(self) -> None:
        """Add up everything anew."""
        for clear, fill in zip(_CLEAR, _FILL, strict=True):
            self._db.run(clear)
            self._db.run(fill)
        self._settled()

    def _is_much(self) -> bool:
        """Whether looking for each key takes longer than looking at everything."""
        if len(self._keys) <= FEW_KEYS:
            return False
        row = self._db.one(_REPLIES)
        return row is not None and len(self._keys) * ENOUGH > row[0]

    def _unsettle(self) -> None:
        if self._marked != self._db.rollbacks:
            self._db.run(_MARK, (UNSETTLED,))
            self._marked = self._db.rollbacks

    def _settled(self) -> None:
        self._marked = None
        self._db.run(_UNMARK, (UNSETTLED,))
        self._everything = False
        self._sources.clear()
        self._keys.clear()
