"""What the library tells of a source without reading it: how large, how new, what it cost."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from talktree.web.shapes.conversation import Tokens

if TYPE_CHECKING:
    from talktree.library.database.connection import Database

LIVELY = 120 * 1_000_000_000
"""A source that changed since so many nanoseconds is taken to be at work."""
_MODIFIED = "SELECT max(modified) FROM files WHERE source = ? AND state = 'here'"
_TOKENS = """
SELECT coalesce(sum(input), 0), coalesce(sum(output), 0), coalesce(sum(cache_read), 0),
  coalesce(sum(cache_write), 0)
FROM replies WHERE source = ?1 AND at >= ?2 AND (?3 IS NULL OR at < ?3)
"""


def is_live(db: Database, source: int) -> bool:
    """Whether a source grew a short while ago."""
    row = db.one(_MODIFIED, (source,))
    return bool(row and row[0] is not None and time.time_ns() - row[0] < LIVELY)


def tokens_of(db: Database, source: int, span: tuple[int, int | None]) -> Tokens:
    """What the replies of a source from one record up to another cost together."""
    row = db.one(_TOKENS, (source, *span))
    assert row is not None
    return Tokens(input=row[0], output=row[1], cache_read=row[2], cache_write=row[3])
