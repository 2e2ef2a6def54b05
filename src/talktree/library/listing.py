"""The conversations of a library: all, by filters, or one by its id or its path."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from talktree.errors import NotFound, UsageError

if TYPE_CHECKING:
    from talktree.library.database.connection import Database

Sort = Literal["new", "old", "size", "messages", "title"]
NEAR = 5
"""How many conversations are named where one could not be told from others."""

_KEPT = """
SELECT s.id, s.native, s.path, s.format, s.title, p.text, b.text, s.first, s.last,
  s.messages, s.branches, s.sidechains, s.errors, s.size, s.state, s.trouble, s.parent,
  s.kept_until
FROM sources AS s
LEFT JOIN names AS p ON p.id = s.project
LEFT JOIN names AS b ON b.id = s.branch
"""
_CHOSEN = """
WHERE (?1 IS NULL OR s.format = ?1)
  AND (?2 IS NULL OR instr(lower(p.text), lower(?2)) > 0)
  AND (?3 IS NULL OR s.last >= ?3)
  AND (?4 IS NULL OR s.first < ?4)
  AND (?5 IS NULL OR EXISTS (
    SELECT 1 FROM replies AS r JOIN names AS m ON m.id = r.model
    WHERE r.source = s.id AND instr(lower(m.text), lower(?5)) > 0))
  AND (NOT ?6 OR s.errors > 0)
  AND (NOT ?7 OR s.state = 'gone')
  AND (?8 OR s.parent IS NULL OR length(s.native) >= length(s.parent)
    OR NOT EXISTS (SELECT 1 FROM sources AS o WHERE o.native = s.parent))
  AND (?8 OR s.messages > 0 OR instr(s.path, CAST('/subagents/' AS BLOB)) = 0)
"""
# A sub-agent's id is a short one of its own, that of a copy is made as all ids of sessions are.
# What stands beside sub-agents and says nothing is a journal of their work.
_ORDERS = {
    "new": "ORDER BY s.last DESC, s.id DESC",
    "old": "ORDER BY s.first IS NULL, s.first, s.id",
    "size": "ORDER BY s.size DESC, s.id",
    "messages": "ORDER BY s.messages DESC, s.id",
    "title": "ORDER BY s.title IS NULL, lower(s.title), s.id",
}
_LIMIT = " LIMIT ?9"
_BY_SOURCE = "WHERE s.id = ?"
_BY_PATH = "WHERE s.path = ?"
_BY_NATIVE = "WHERE s.native = ? ORDER BY s.state <> 'here', s.messages DESC, s.id LIMIT 1"
_BY_BEGINNING = "WHERE s.native >= ? AND s.native < ? ORDER BY s.last DESC LIMIT 1000"
_LAST = "\U0010ffff"


class Kept(NamedTuple):
    """A conversation of the library."""

    source: int
    id: str
    """The id it has in its own format, or the name of its file."""
    path: bytes
    format: str
    title: str | None
    project: str | None
    branch: str | None
    first: int | None
    last: int | None
    messages: int
    branches: int
    sidechains: int
    errors: int
    size: int
    state: str
    trouble: str | None
    parent: str | None
    kept_until: int | None


def conversations(
    db: Database,
    *,
    format: str | None = None,
    project: str | None = None,
    since: int | None = None,
    until: int | None = None,
    model: str | None = None,
    errors: bool = False,
    gone: bool = False,
    agents: bool = False,
    sort: Sort = "new",
    limit: int | None = None,
) -> Iterator[Kept]:
    """The conversations to which all that is asked applies.

    Those of sub-agents belong to the session that started them, and are left out if it is there.
    """
    if sort not in _ORDERS:
        raise UsageError(f"no order {sort}", hint=f"one of {', '.join(_ORDERS)}")
    sql = _KEPT + _CHOSEN + _ORDERS[sort] + _LIMIT
    most = -1 if limit is None else limit
    values = (format, project, since, until, model, errors, gone, agents, most)
    return map(_kept, db.rows(sql, values))


def by_source(db: Database, source: int) -> Kept | None:
    """A conversation by the number of its source."""
    row = db.one(_KEPT + _BY_SOURCE, (source,))
    return None if row is None else _kept(row)


def conversation(db: Database, named: str) -> Kept:
    """A conversation by its id, a beginning of it that no other has, or its path."""
    row = db.one(_KEPT + _BY_NATIVE, (named,)) or db.one(
        _KEPT + _BY_PATH, (os.path.abspath(os.fsencode(named)),)
    )
    if row is not None:
        return _kept(row)
    near = [_kept(each) for each in db.rows(_KEPT + _BY_BEGINNING, (named, named + _LAST))]
    ids = list(dict.fromkeys(each.id for each in near))
    if not named or not ids:
        raise NotFound(f"{named}: no such conversation", hint="`talktree list` shows all")
    if len(ids) > 1:
        some = ", ".join(ids[:NEAR]) + (", …" if len(ids) > NEAR else "")
        raise NotFound(f"{named}: {len(ids)} conversations begin so", hint=f"one of {some}")
    return conversation(db, ids[0])


def _kept(row: tuple[object, ...]) -> Kept:
    source, native, path, *rest = row
    assert isinstance(path, bytes)
    id = native or os.path.splitext(os.fsdecode(os.path.basename(path)))[0]
    return Kept(source, id, path, *rest)  # type: ignore[arg-type]
