"""Which replies and calls count, as statements.

What happened once counts once: of several sources that tell the same reply, the one with the most
tokens tells it, and of those the one that was imported first.
"""

from __future__ import annotations

from talktree.library.database.connection import Database
from talktree.library.stats.filter import DAY
from talktree.library.stats.prices import BANDS

UNSETTLED = "unsettled"
"""The mark in `about` while the sums are not up to date."""
COUNTS_REPLY = """NOT EXISTS (
  SELECT 1 FROM replies AS o WHERE o.key = r.key AND o.source <> r.source AND (
    o.input + o.output + o.cache_read + o.cache_write
      > r.input + r.output + r.cache_read + r.cache_write
    OR (o.input + o.output + o.cache_read + o.cache_write
      = r.input + r.output + r.cache_read + r.cache_write AND o.source < r.source)))"""
"""Whether the reply `r` counts in its source."""
COUNTS_CALL = """(c.at >= 0 AND NOT EXISTS (
  SELECT 1 FROM calls AS o WHERE o.key = c.key AND o.source <> c.source AND o.at >= 0 AND (
    (o.state > 0) > (c.state > 0) OR ((o.state > 0) = (c.state > 0) AND o.source < c.source))))"""
"""Whether the call `c` counts in its source: where it was answered, and of those in the first.

A row before the beginning of its source is a result whose call was not seen.
"""
COUNTING_REPLIES = f"""
SELECT r.source, r.time / {DAY} - (r.time % {DAY} < 0) AS day, r.model, r.project,
  (r.input + r.cache_read + r.cache_write > {BANDS[0]})
    + (r.input + r.cache_read + r.cache_write > {BANDS[1]}) AS long,
  COUNT(*), SUM(r.input), SUM(r.output), SUM(r.cache_read), SUM(r.cache_write),
  SUM(r.cache_write_hour)
FROM replies AS r WHERE {COUNTS_REPLY}"""
"""Replies, each where it counts; what follows says which, and groups them."""
COUNTING_CALLS = f"""
SELECT c.source, c.time / {DAY} - (c.time % {DAY} < 0) AS day, c.tool,
  COUNT(*), SUM(c.state > 0), SUM(c.state = 2)
FROM calls AS c WHERE {COUNTS_CALL}"""
"""Calls, each where it counts."""
BY_SPENT = " GROUP BY r.source, day, r.model, r.project, long"
BY_USED = " GROUP BY c.source, day, c.tool"
_MARKED = "SELECT 1 FROM about WHERE key = ?"


def settled(db: Database) -> bool:
    """Whether the sums of replies and calls are up to date."""
    return db.one(_MARKED, (UNSETTLED,)) is None
