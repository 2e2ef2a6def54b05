"""What the library tells of a source without reading it: how large, how new, what it cost."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from talktree.web.schemas.transcript import Tokens

if TYPE_CHECKING:
    from talktree.library.database.connection import Database

LIVELY = 120 * 1_000_000_000
"""Nanoseconds after its last change for which a source that grows is taken to be at work."""
_MODIFIED = "SELECT max(modified) FROM files WHERE source = ? AND state = 'here'"
_LAST_MESSAGE = "SELECT last FROM sources WHERE id = ?"
_GREW = """
SELECT 1 FROM files JOIN versions ON versions.generation = files.generation
WHERE files.source = ? AND files.state = 'here'
GROUP BY versions.generation HAVING count(*) > 1 LIMIT 1
"""
_TOKENS = """
SELECT coalesce(sum(input), 0), coalesce(sum(output), 0), coalesce(sum(cache_read), 0),
  coalesce(sum(cache_write), 0)
FROM replies WHERE source = ?1 AND at >= ?2 AND (?3 IS NULL OR at < ?3)
"""


def is_live(db: Database, source: int) -> bool:
    """Whether a source grew a short while ago.

    A copy of a file is new too, but it does not grow: its messages are old, and it was never
    shorter.
    """
    (modified,) = db.one(_MODIFIED, (source,)) or (None,)
    if modified is None or time.time_ns() - modified >= LIVELY:
        return False
    (last,) = db.one(_LAST_MESSAGE, (source,)) or (None,)
    is_new = last is not None and abs(modified - last) < LIVELY
    return is_new or db.one(_GREW, (source,)) is not None


def tokens_of(db: Database, source: int, span: tuple[int, int | None]) -> Tokens:
    """What the replies of a source from one record up to another cost together."""
    row = db.one(_TOKENS, (source, *span))
    assert row is not None
    return Tokens(input=row[0], output=row[1], cache_read=row[2], cache_write=row[3])
