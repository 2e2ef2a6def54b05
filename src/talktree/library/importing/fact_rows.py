"""Facts of sources as rows: replies, calls and their outcomes, measures, pieces.

Rows are gathered and written together, before their transaction ends. A reply that is reported
several times counts with the highest token counts; an outcome may come before its call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from talktree.library.database.connection import Database
from talktree.library.database.names import Names
from talktree.library.extract.facts import ExtractedFacts, ReplyFacts
from talktree.library.stats.totals import TotalsUpdate

WENT_WELL, FAILED = 1, 2
UNSEEN = ""
"""The tool of an outcome whose call was not seen."""
_MOST_ROWS = 50_000

_REPLY = """
INSERT INTO replies (key, source, at, time, model, project,
  input, output, cache_read, cache_write, cache_write_hour)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key, source) DO UPDATE SET
  at = excluded.at, time = excluded.time, model = excluded.model, project = excluded.project,
  input = excluded.input, output = excluded.output, cache_read = excluded.cache_read,
  cache_write = excluded.cache_write, cache_write_hour = excluded.cache_write_hour
WHERE excluded.input + excluded.output + excluded.cache_read + excluded.cache_write
  > replies.input + replies.output + replies.cache_read + replies.cache_write
"""
_CALL = """
INSERT INTO calls (key, source, at, time, tool, reply) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (key, source) DO UPDATE SET
  at = excluded.at, time = excluded.time, tool = excluded.tool, reply = excluded.reply,
  took = CASE WHEN calls.time >= excluded.time THEN calls.time - excluded.time END
WHERE calls.at < 0
"""
_OUTCOME = """
INSERT INTO calls (key, source, at, time, tool, state) VALUES (?, ?, -1, ?, ?, ?)
ON CONFLICT (key, source) DO UPDATE SET
  state = excluded.state,
  time = CASE WHEN calls.at < 0 THEN excluded.time ELSE calls.time END,
  took = CASE WHEN calls.at >= 0 AND excluded.time >= calls.time
    THEN excluded.time - calls.time END
"""
_ANSWERED = """
INSERT INTO calls (key, source, at, time, tool, reply, state, took) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key, source) DO UPDATE SET
  at = CASE WHEN calls.at < 0 THEN excluded.at ELSE calls.at END,
  time = CASE WHEN calls.at < 0 THEN excluded.time ELSE calls.time END,
  tool = CASE WHEN calls.at < 0 THEN excluded.tool ELSE calls.tool END,
  reply = CASE WHEN calls.at < 0 THEN excluded.reply ELSE calls.reply END,
  state = excluded.state,
  took = CASE WHEN calls.at < 0 THEN excluded.took WHEN ? >= calls.time THEN ? - calls.time END
"""
"""A call and its outcome in one step; the end time follows the columns, twice."""
_MEASURE = "INSERT INTO measures (source, time, name, value) VALUES (?, ?, ?, ?)"
_ROLE = """
INSERT INTO roles (source, role, messages) VALUES (?, ?, ?)
ON CONFLICT (source, role) DO UPDATE SET messages = roles.messages + excluded.messages
"""
_PROJECT = "UPDATE replies SET project = ? WHERE source = ? AND project IS NULL"
_FORGET_ROLES = "DELETE FROM roles WHERE source = ?"
_FORGET = (
    "DELETE FROM replies WHERE source = ?",
    "DELETE FROM calls WHERE source = ?",
    "DELETE FROM measures WHERE source = ?",
    "DELETE FROM pieces WHERE source = ?",
    _FORGET_ROLES,
    "DELETE FROM conversations WHERE source = ?",
)

Row = Sequence[Any]
_KEY = itemgetter(0)


class FactWriter:
    """Gathers rows and writes them to the tables of facts."""

    def __init__(self, db: Database, names: Names) -> None:
        self._db = db
        self._names = names
        self._sums = TotalsUpdate(db)
        self._replies: list[Row] = []
        self._answered: list[Row] = []
        """Calls with their outcomes: nearly all calls."""
        self._calls: list[Row] = []
        self._outcomes: list[Row] = []
        self._loose: set[int] = set()
        """Keys of calls and outcomes that came separately, and must stay in order."""
        self._measures: list[Row] = []
        self._roles: list[Row] = []

    def add_facts(self, source: int, facts: ExtractedFacts) -> None:
        """Add the facts of a batch of a source."""
        number = self._names.get_or_add
        self._sums.add_facts(source, facts)
        if facts.replies:
            project = None if facts.head.project is None else number(facts.head.project)
            self._replies += [
                (key, source, at, time, None if model is None else number(model), project, *tokens)
                for key, at, time, model, *tokens, _ in _select_largest(facts.replies)
            ]
        self._add_calls(source, facts)
        self._measures += [
            (source, time, number(name), value) for time, name, value in facts.measures
        ]
        self._roles += [(source, number(role), count) for role, count in facts.roles.items()]
        rows = (self._replies, self._answered, self._calls, self._measures)
        if sum(map(len, rows)) > _MOST_ROWS:
            self.write()

    def _add_calls(self, source: int, facts: ExtractedFacts) -> None:
        """Add calls, each with its outcome if that is in the same batch."""
        number, loose = self._names.get_or_add, self._loose
        ended = {key: (failed, time) for key, failed, time in facts.outcomes}
        once = len(ended) == len(facts.outcomes) and len({call[0] for call in facts.calls}) == len(
            facts.calls
        )
        for key, at, time, tool, reply in facts.calls:
            end = ended.pop(key, None) if once and key not in loose else None
            if end is None:
                self._calls.append((key, source, at, time, number(tool), reply))
                loose.add(key)
                continue
            failed, then = end
            took = then - time if then is not None and time is not None and then >= time else None
            state = FAILED if failed else WENT_WELL
            self._answered.append(
                (key, source, at, time, number(tool), reply, state, took, then, then)
            )
        if ended:
            unseen = number(UNSEEN)
            loose.update(ended)
            self._outcomes += [
                (key, source, time, unseen, FAILED if failed else WENT_WELL)
                for key, failed, time in facts.outcomes
                if key in ended
            ]

    def write(self) -> None:
        """Write the gathered rows, in the caller's transaction."""
        for sql, rows in (
            (_REPLY, self._replies),
            (_ANSWERED, self._answered),
            (_CALL, self._calls),
            (_OUTCOME, self._outcomes),
            (_MEASURE, self._measures),
            (_ROLE, self._roles),
        ):
            if rows:
                # Keys come in no order; sorted, neighbours in the table are written together. Rows
                # of the same key stay in order of arrival.
                rows.sort(key=_KEY)
                self._db.run_many_atomically(sql, rows)
                rows.clear()
        self._loose.clear()

    def name_project(self, source: int, project: str) -> None:
        """Set the project of replies that were added before it was known."""
        self.write()
        self._sums.note_change(source)
        self._db.run(_PROJECT, (self._names.get_or_add(project), source))

    def set_roles(self, source: int, roles: Mapping[str, int]) -> None:
        """Write how many messages of each role a source has, replacing the old counts."""
        self.write()
        self._db.run(_FORGET_ROLES, (source,))
        number = self._names.get_or_add
        self._db.run_many_atomically(
            _ROLE, [(source, number(role), count) for role, count in roles.items()]
        )

    def forget(self, source: int) -> None:
        """Delete all facts of a source."""
        self.write()
        self._sums.note_removal(source)
        for sql in _FORGET:
            self._db.run(sql, (source,))

    def update_totals(self) -> None:
        """Update the totals, in the caller's transaction."""
        self.write()
        self._sums.update_totals()


def _select_largest(replies: Sequence[ReplyFacts]) -> list[ReplyFacts]:
    """Return each reply once, with the highest token counts; the first of equals."""
    best: dict[int, ReplyFacts] = {}
    for reply in replies:
        key = reply[0]
        other = best.get(key)
        if other is None or _count_tokens(reply) > _count_tokens(other):
            best[key] = reply
    return list(best.values())


def _count_tokens(reply: ReplyFacts) -> int:
    """Return the sum from input tokens to cache writes; the last number is a part of those."""
    return sum(reply[4:8])
