"""Which replies and calls count, as statements.

What happened once counts once: of several sources that tell the same reply, the one with the most
tokens tells it, and of those the one that was imported first.
"""

from __future__ import annotations

from talktree.library.database.connection import Database

UNSETTLED = "unsettled"
"""The mark in `about` while the sums are not up to date."""
COUNTING_REPLIES = """
SELECT r.source, r.time / 86400000000000 - (r.time % 86400000000000 < 0) AS day, r.model, r.project,
  (r.input + r.cache_read + r.cache_write > 100000)
    + (r.input + r.cache_read + r.cache_write > 200000) AS long,
  COUNT(*), SUM(r.input), SUM(r.output), SUM(r.cache_read), SUM(r.cache_write),
  SUM(r.cache_write_hour)
FROM replies AS r
WHERE NOT EXISTS (
  SELECT 1 FROM replies AS o WHERE o.key = r.key AND o.source <> r.source AND (
    o.input + o.output + o.cache_read + o.cache_write
      > r.input + r.output + r.cache_read + r.cache_write
    OR (o.input + o.output + o.cache_read + o.cache_write
      = r.input + r.output + r.cache_read + r.cache_write AND o.source < r.source)))
"""
"""Replies, each where it counts; what follows says which, and groups them."""
COUNTING_CALLS = """
SELECT c.source, c.time / 86400000000000 - (c.time % 86400000000000 < 0) AS day, c.tool,
  COUNT(*), SUM(c.state > 0), SUM(c.state = 2)
FROM calls AS c
WHERE NOT EXISTS (
  SELECT 1 FROM calls AS o WHERE o.key = c.key AND o.source <> c.source AND (
    (o.state > 0) > (c.state > 0) OR ((o.state > 0) = (c.state > 0) AND o.source < c.source)))
"""
"""Calls, each where it counts: where it was answered, and of those the first."""
BY_SPENT = " GROUP BY r.source, day, r.model, r.project, long"
BY_USED = " GROUP BY c.source, day, c.tool"
_MARKED = "SELECT 1 FROM about WHERE key = ?"


def settled(db: Database) -> bool:
    """Whether the sums of replies and calls are up to date."""
    return db.one(_MARKED, (UNSETTLED,)) is None
