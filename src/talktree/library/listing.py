"""Listing the conversations of a library: all, by filters, or one by its id or its path."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from talktree.errors import NotFound, UsageError
from talktree.text.times import to_datetime

if TYPE_CHECKING:
    from talktree.library.database.connection import Database

Sort = Literal["new", "old", "size", "messages", "title"]
NEAR = 5
"""How many candidates are named for an ambiguous id."""

_AGENTS = """
SELECT a.parent AS session, sum(a.messages) AS messages, sum(a.branches - 1) AS branches,
  sum(a.sidechains + 1) AS sidechains, sum(a.errors) AS errors, min(a.first) AS first,
  max(a.last) AS last
FROM sources AS a
WHERE a.parent IS NOT NULL AND length(a.native) < length(a.parent) AND a.messages > 0
GROUP BY a.parent
"""
"""The numbers of all sub-agents of a session: each is one sidechain of it.

A sub-agent has a short id of its own; a copy has an id like a session.
"""
IS_LISTED = """
(s.parent IS NULL OR length(s.native) >= length(s.parent)
  OR NOT EXISTS (SELECT 1 FROM sources AS o WHERE o.native = s.parent))
AND (s.messages > 0 OR instr(s.path, CAST('/subagents/' AS BLOB)) = 0)
"""
"""Whether a source is a conversation of its own rather than part of another.

Sub-agents belong to the session that started them, if it exists. A file next to sub-agents without
messages is a journal of their work.
"""
_FIRST = "CASE WHEN c.source IS NULL THEN s.first ELSE c.first END"
_LAST_TIME = "CASE WHEN c.source IS NULL THEN s.last ELSE c.last END"
_KEPT = f"""
SELECT s.id, coalesce(c.native, s.native), s.path, s.format,
  CASE WHEN c.source IS NULL THEN s.title ELSE c.title END AS name, p.text, b.text,
  coalesce(min({_FIRST}, g.first), {_FIRST}, g.first) AS began,
  coalesce(max({_LAST_TIME}, g.last), {_LAST_TIME}, g.last) AS ended,
  coalesce(c.messages, s.messages) + coalesce(g.messages, 0) AS said,
  coalesce(c.branches, s.branches) + coalesce(g.branches, 0),
  coalesce(c.sidechains, s.sidechains) + coalesce(g.sidechains, 0),
  coalesce(c.errors, s.errors) + coalesce(g.errors, 0) AS failed,
  s.size, s.state, s.trouble, s.parent, s.kept_until,
  coalesce(c.number, 0) AS place, coalesce(c.threads, 0), coalesce(c.start, 0), c.key,
  (SELECT count(*) FROM conversations AS o WHERE o.source = s.id)
FROM sources AS s
LEFT JOIN conversations AS c ON c.source = s.id
LEFT JOIN ({_AGENTS}) AS g ON NOT ?8 AND g.session = s.native AND coalesce(c.number, 0) = 0
  AND length(s.native) >= length(g.session)
LEFT JOIN names AS p ON p.id = s.project
LEFT JOIN names AS b ON b.id = s.branch
"""
_CHOSEN = f"""
WHERE (?1 IS NULL OR s.format = ?1)
  AND (?2 IS NULL OR instr(lower(p.text), lower(?2)) > 0)
  AND (?3 IS NULL OR ended >= ?3)
  AND (?4 IS NULL OR began < ?4)
  AND (?5 IS NULL OR EXISTS (
    SELECT 1 FROM replies AS r JOIN names AS m ON m.id = r.model
    WHERE r.source = s.id AND instr(lower(m.text), lower(?5)) > 0 AND (c.source IS NULL OR (
      r.at >= c.start AND NOT EXISTS (SELECT 1 FROM conversations AS n
        WHERE n.source = c.source AND n.number = c.number + 1 AND r.at >= n.start)))))
  AND (NOT ?6 OR failed > 0)
  AND (NOT ?7 OR s.state = 'gone')
  AND (?8 OR ({IS_LISTED}))
"""
_ORDERS = {
    "new": "ORDER BY ended DESC, s.id DESC, place",
    "old": "ORDER BY began IS NULL, began, s.id, place",
    "size": "ORDER BY s.size DESC, s.id, place",
    "messages": "ORDER BY said DESC, s.id, place",
    "title": "ORDER BY name IS NULL, lower(name), s.id, place",
}
_LIMIT = " LIMIT ?9"
_COUNT = f"""
SELECT count(*) FROM sources AS s JOIN conversations AS c ON c.source = s.id WHERE {IS_LISTED}
"""
_BY_SOURCE = "WHERE s.id = ?1 ORDER BY place"
_BY_PATH = "WHERE s.path = ?1 ORDER BY place LIMIT 1"
_BY_NATIVE = """
WHERE c.native = ?1 OR (c.source IS NULL AND s.native = ?1)
ORDER BY s.state <> 'here', said DESC, s.id, place LIMIT 1
"""
_BY_BEGINNING = """
WHERE c.native >= ?1 AND c.native < ?2 OR (c.source IS NULL AND s.native >= ?1 AND s.native < ?2)
ORDER BY ended DESC LIMIT 1000
"""
_STARTS = "SELECT start FROM conversations WHERE source = ? ORDER BY number"
_NUMBER_AT = "SELECT max(number) FROM conversations WHERE source = ? AND start <= ?"
_LAST = "\U0010ffff"


class LibraryEntry(NamedTuple):
    """A conversation of the library."""

    source: int
    id: str
    """The id in its own format, or the name of its file."""
    raw_path: bytes
    format: str
    title: str | None
    project: str | None
    branch: str | None
    first_ns: int | None
    last_ns: int | None
    messages: int
    branches: int
    sidechains: int
    errors: int
    size: int
    state: str
    trouble: str | None
    parent: str | None
    kept_until_ns: int | None
    number: int = 0
    """Which conversation of its source it is."""
    threads: int = 0
    start: int = 0
    """Where its first record is in the source."""
    key: str | None = None
    """The name it has in its source."""
    several: int = 1
    """How many conversations its source holds; 0 if it could not be read."""

    @property
    def path(self) -> Path:
        """Where its file is, or was."""
        return Path(os.fsdecode(self.raw_path))

    @property
    def first(self) -> datetime | None:
        """When its first message was written, in UTC."""
        return to_datetime(self.first_ns)

    @property
    def last(self) -> datetime | None:
        """When its last message was written, in UTC."""
        return to_datetime(self.last_ns)

    @property
    def kept_until(self) -> datetime | None:
        """When the program that wrote it deletes it, in UTC."""
        return to_datetime(self.kept_until_ns)


def find_conversations(
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
) -> Iterator[LibraryEntry]:
    """Return the conversations that match all filters.

    Those of sub-agents belong to the session that started them, and are left out if it exists.
    """
    if sort not in _ORDERS:
        raise UsageError(f"no order {sort}", hint=f"one of {', '.join(_ORDERS)}")
    sql = _KEPT + _CHOSEN + _ORDERS[sort] + _LIMIT
    if format is not None:
        from talktree.formats import resolve_alias  # most lists are of all formats

        format = resolve_alias(format)
    most = -1 if limit is None else limit
    values = (format, project, since, until, model, errors, gone, agents, most)
    return map(_to_entry, db.iter_rows(sql, values))


def count_conversations(db: Database) -> int:
    """Return how many conversations there are, without those of sub-agents."""
    return int(db.read(_COUNT)[0][0])


def find_by_source(db: Database, source: int, number: int = 0) -> LibraryEntry | None:
    """Return a conversation by the number of its source and its own number in it."""
    found = find_all_of_source(db, source)
    return found[number] if number < len(found) else None


def find_all_of_source(db: Database, source: int) -> list[LibraryEntry]:
    """Return the conversations of a source."""
    return [_to_entry(row) for row in db.iter_rows(_KEPT + _BY_SOURCE, _bind_values(source))]


def find_by_path(db: Database, path: str) -> LibraryEntry | None:
    """Return the conversation of the file or folder at a path."""
    row = db.read_one(_KEPT + _BY_PATH, _bind_values(os.path.abspath(os.fsencode(path))))
    return None if row is None else _to_entry(row)


def find_by_id(db: Database, id: str) -> LibraryEntry | None:
    """Return the conversation with an id; if its format has none, that is the name of its file."""
    row = db.read_one(_KEPT + _BY_NATIVE, _bind_values(id))
    return None if row is None else _to_entry(row)


def find_conversation(db: Database, named: str) -> LibraryEntry:
    """Return a conversation by its id, a unique prefix of it, or its path.

    A path means the first conversation in the file.
    """
    if not named:
        raise NotFound("no conversation is named", hint="name an id or a path: `talktree list`")
    # A file name may hold bytes that are not text; an id never does.
    id = os.fsencode(named).decode("utf-8", "replace")
    row = db.read_one(_KEPT + _BY_NATIVE, _bind_values(id)) or db.read_one(
        _KEPT + _BY_PATH, _bind_values(os.path.abspath(os.fsencode(named)))
    )
    if row is not None:
        return _to_entry(row)
    near = [
        _to_entry(each)
        for each in db.iter_rows(_KEPT + _BY_BEGINNING, _bind_values(id, id + _LAST))
    ]
    ids = list(dict.fromkeys(each.id for each in near))
    if not ids:
        raise NotFound(f"{named}: no such conversation", hint="`talktree list` shows all")
    if len(ids) > 1:
        some = ", ".join(ids[:NEAR]) + (", …" if len(ids) > NEAR else "")
        raise NotFound(f"{named}: {len(ids)} conversations begin so", hint=f"one of {some}")
    return find_conversation(db, ids[0])


def spans_of(db: Database, source: int) -> list[tuple[int, int | None]]:
    """Return the first and the end record of each conversation of a source; None at the end."""
    starts = [int(row[0]) for row in db.read(_STARTS, (source,))] or [0]
    return list(zip(starts, [*starts[1:], None], strict=True))


def find_number_at(db: Database, source: int, at: int) -> int:
    """Return which conversation of a source a record belongs to."""
    row = db.read_one(_NUMBER_AT, (source, at))
    return 0 if row is None or row[0] is None else int(row[0])


def _bind_values(*values: object) -> tuple[object, ...]:
    """Return the values of a statement that also selects the numbers of sub-agents."""
    return (*values, *(None,) * (7 - len(values)), False)


def _to_entry(row: tuple[object, ...]) -> LibraryEntry:
    source, native, path, *rest = row
    assert isinstance(path, bytes)
    id = native or os.path.splitext(os.fsdecode(os.path.basename(path)))[0]
    return LibraryEntry(source, id, path, *rest)  # type: ignore[arg-type]
