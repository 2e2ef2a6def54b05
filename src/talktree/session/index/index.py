"""The index of a session: a cache over its logs that is built when it is needed.

The head of a session (its leaf, its newest messages) is read from the end of the logs without the
cache. Everything else is a query of SQLite, after indexing what is new. If the cache has any
problem, it is discarded and rebuilt; a problem in a log is ignored here and reported by `care`.

A move's changes of files are in operations.jsonl; here they count as a snapshot of the move's
point, in order with the others.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from operator import itemgetter
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, TypeVar

from talktree.errors import NotFound, UsageError
from talktree.formats.format import Record
from talktree.formats.sage import FORMAT
from talktree.model.message import Message
from talktree.session.capture.snapshots import FileChange, SnapshotLine, parse_snapshot
from talktree.session.index.fill import (
    NOTHING_KNOWN,
    IndexedLog,
    catch_up,
    decode_text,
    encode_text,
    forget_log,
    is_current,
)
from talktree.session.index.node import IndexedMessage, has_own_id, parse_node
from talktree.session.index.schema import IndexCache
from talktree.session.journal.journal import Journal
from talktree.session.journal.lines import read_last_lines, read_lines
from talktree.session.undo.move_records import LoggedMove, find_last_point, parse_moves
from talktree.text.json.decode import decode

Answer = TypeVar("Answer")
NEAR = 16 << 20
"""Number of bytes at the end that are searched for parents before the cache is used."""
AT_ONCE = 500
"""Maximum number of ids in one SQLite query."""
_EVERY_TOUCH = """
SELECT DISTINCT start, length FROM touched JOIN snapshots USING (start) WHERE path IN ({})
"""
_LAST_TOUCHES = """
SELECT MAX(start), length FROM touched JOIN snapshots USING (start) WHERE path IN ({}) GROUP BY path
"""
_NODE = "id, parent, start, length, type, sidechain, note, time"

__all__ = ["IndexedMessage", "SessionHead", "SessionIndex"]


class SessionHead(NamedTuple):
    """Where a session continues."""

    leaf: IndexedMessage | None
    """The message that the next one follows; None before the first one."""
    point: LoggedMove | None
    """The move that led there, if no message was written since."""


class SessionIndex:
    """The index of the logs of a session."""

    def __init__(self, journal: Journal, cache: Path | None) -> None:
        self._journal = journal
        self._place = cache
        self._cache: IndexCache | None = None
        self._known: dict[str, IndexedLog] = {}
        self._lock = RLock()
        self._operations: tuple[int, int, list[dict[str, Any]]] = (-1, 0, [])
        self._moves: tuple[tuple[int, int], list[LoggedMove]] = ((-1, 0), [])

    def close(self) -> None:
        """Close the cache."""
        with self._lock:
            if self._cache is not None:
                self._cache.close()
            self._cache, self._known = None, {}

    # the head, without the cache

    def newest(self, type: str | None = None) -> IndexedMessage | None:
        """Return the last message in the log (of a type) that is not on a sidechain."""
        found = (node for node in self._read_backwards() if _can_lead(node))
        return next((node for node in found if type is None or node.type == type), None)

    def head(self) -> SessionHead:
        """Return the newest message, or the one that a later move led to."""
        newest, point = self.newest(), find_last_point(self.operations())
        if point is None or point.after is None:
            return SessionHead(newest, None)
        if point.after.message != (None if newest is None else newest.id):
            return SessionHead(newest, None)
        here = point.at.conversation
        leaf = None if here is None else self.node(here)
        if here is not None and leaf is None:
            # The message it led to is lost.
            return SessionHead(newest, None)
        return SessionHead(leaf, point)

    def leaf(self) -> IndexedMessage | None:
        """Return the message that the next one follows."""
        return self.head().leaf

    def last_messages(self, count: int) -> list[IndexedMessage]:
        """Return the newest messages of the line that ends with the leaf, oldest first."""
        leaf, point = self.head()
        if point is not None:
            return [] if leaf is None or count <= 0 else self.chain(leaf.id)[-count:]
        found: list[IndexedMessage] = []
        for node in self._read_backwards():
            if (not found and _can_lead(node)) or (found and node.id == found[-1].parent):
                found.append(node)
                if len(found) >= count or node.parent is None:
                    return found[count - 1 :: -1] if count > 0 else []
            if found and found[0].start - node.start > NEAR:
                break
        return self.chain(found[0].id)[-count:] if found and count > 0 else []

    def _read_backwards(self) -> Iterator[IndexedMessage]:
        for line in read_last_lines(self._journal.descriptor("messages")):
            node = parse_node(line.raw, line.start)
            if node is not None:
                yield node

    # messages

    def count_messages(self) -> int:
        """Return the number of messages, including sidechains and notes."""
        return int(self._query("messages", "SELECT count(*) FROM nodes")[0][0])

    def node(self, id: str) -> IndexedMessage | None:
        """Return the last message with this id."""
        found = self._query_nodes("WHERE id = ? ORDER BY start DESC LIMIT 1", encode_text(id))
        return found[0] if found else None

    def find_by_prefix(self, prefix: str) -> IndexedMessage:
        """Return the only message whose id has this prefix."""
        exact = self.node(prefix)
        if exact is not None:
            return exact
        query = "SELECT DISTINCT id FROM nodes WHERE id >= ? AND id < ? LIMIT 2"
        low = encode_text(prefix)
        found = self._query("messages", query, low, low + b"\xff") if prefix else []
        if not found:
            raise NotFound(
                f"no message has an id that begins with {prefix[:80]!r}",
                hint="`talktree session log` lists the messages of a session",
            )
        if len(found) > 1:
            raise UsageError(
                f"several messages have ids that begin with {prefix[:80]!r}",
                hint="give more of the id",
            )
        node = self.node(decode_text(found[0][0]))
        assert node is not None
        return node

    def chain(self, id: str) -> list[IndexedMessage]:
        """Return the messages from the root down to this one; empty if there is no such message."""
        query = f"""
            WITH RECURSIVE line (place) AS (
              SELECT max(start) FROM nodes WHERE id = ?
              UNION SELECT up FROM nodes JOIN line ON start = place)
            SELECT {_NODE} FROM line CROSS JOIN nodes ON start = place"""
        upward = [_to_node(row) for row in self._query("messages", query, encode_text(id))]
        return upward[::-1]

    def children(self, id: str | None) -> list[IndexedMessage]:
        """Return the children of a message, or all messages without a parent, in file order."""
        if id is None:
            return self._query_nodes("WHERE up IS NULL ORDER BY start")
        where = "WHERE up IN (SELECT start FROM nodes WHERE id = ?) ORDER BY start"
        return self._query_nodes(where, encode_text(id))

    def leaves(self) -> list[IndexedMessage]:
        """Return the messages without children, in file order."""
        query = f"""
            SELECT {_NODE} FROM nodes AS each
            WHERE NOT EXISTS (SELECT 1 FROM nodes WHERE up = each.start) ORDER BY start"""
        return [_to_node(row) for row in self._query("messages", query)]

    def node_at(self, start: int) -> IndexedMessage:
        """Return the message whose line starts here."""
        return self._query_nodes("WHERE start = ?", start)[0]

    def read_tree_shape(self) -> tuple[dict[int, int | None], set[int]]:
        """Return the parent of each line, and which lines are notes or on a sidechain."""
        rows = self._query("messages", "SELECT start, up, note OR sidechain FROM nodes")
        return {row[0]: row[1] for row in rows}, {row[0] for row in rows if row[2]}

    def has_work_since(self, number: int) -> bool:
        """Whether there is a message on the main line after a message (by its `number`)."""
        where = "WHERE start > ? AND NOT note AND NOT sidechain LIMIT 1"
        return bool(self._query_nodes(where, number))

    def value(self, node: IndexedMessage) -> dict[str, Any]:
        """Return the value of a message's line."""
        return self._read_record(node)[0]

    def message(self, node: IndexedMessage) -> Message:
        """Return the message itself."""
        value, raw = self._read_record(node)
        entry = FORMAT.get(Record(value, raw, id=node.id, path="messages.jsonl"))
        return entry if isinstance(entry, Message) else Message(id=node.id, parent=node.parent)

    def _read_record(self, node: IndexedMessage) -> tuple[dict[str, Any], bytes]:
        raw = self._read_bytes("messages", node.start, node.length)
        now = parse_node(raw, node.start)
        value = decode(raw).value
        if now is None or now.id != node.id or not isinstance(value, dict):
            # The file was rewritten in place by another program.
            self._forget_log("messages")
            raise NotFound(
                f"the message {node.id[:80]} is no longer where it was",
                hint="another program has rewritten messages.jsonl; ask again",
            )
        return value, raw

    # files

    def snapshots(self, owners: Iterable[str]) -> list[SnapshotLine]:
        """Return the snapshots of these messages and points, in order."""
        asked = set(owners)
        points = (
            (start, one) for start, one in self._read_point_snapshots() if one.message in asked
        )
        found = sorted(self._find_snapshot_places(asked))
        own = ((start, self._read_snapshot(start, length)) for start, length in found)
        return [one for _, one in _merge_in_order(points, own)]

    def has_snapshots(self, message: str) -> bool:
        """Whether the log has a snapshot of this message."""
        return bool(self._find_snapshot_places([message]))

    def all_snapshots(self) -> Iterator[tuple[int, SnapshotLine]]:
        """Yield all snapshots in order, each with the offset at which it starts or would start."""
        log = read_lines(self._journal.descriptor("snapshots"))
        own = ((line.start, parse_snapshot(decode(line.raw).value)) for line in log)
        return _merge_in_order(self._read_point_snapshots(), own)

    def _read_point_snapshots(self) -> Iterator[tuple[int, SnapshotLine]]:
        """Yield the changes of files by moves, each at its place in the log of snapshots."""
        for move in self.moves():
            if move.after is not None:
                done = (each for each in move.paths if move.fates.get(each.path) == "done")
                changes = tuple(FileChange(*each) for each in done)
                if changes:
                    yield (
                        move.after.snapshots,
                        SnapshotLine(move.point, None, False, changes, (), False),
                    )

    def _find_snapshot_places(self, messages: Iterable[str]) -> list[tuple[int, int]]:
        wanted = list({encode_text(each) for each in messages})
        found: list[tuple[int, int]] = []
        for at in range(0, len(wanted), AT_ONCE):
            some = wanted[at : at + AT_ONCE]
            marks = ",".join("?" * len(some))
            query = f"SELECT start, length FROM snapshots WHERE message IN ({marks})"
            found += self._query("snapshots", query, *some)
        return found

    def find_touches(self, path: bytes) -> list[tuple[str, FileChange]]:
        """Return every recorded change of a path, with its message, in file order."""
        return self.find_touches_of([path])[path]

    def find_touches_of(self, paths: Iterable[bytes]) -> dict[bytes, list[tuple[str, FileChange]]]:
        """Return the same for many paths; each line is read once."""
        found: dict[bytes, list[tuple[str, FileChange]]] = {path: [] for path in paths}
        for line in self._find_touching(_EVERY_TOUCH, found):
            for change in line.changes:
                if change.path in found:
                    found[change.path].append((line.message, change))
        return found

    def find_last_touches(self, paths: Iterable[bytes]) -> dict[bytes, FileChange | None]:
        """Return the last change of each path; None if there is none."""
        found: dict[bytes, FileChange | None] = dict.fromkeys(paths)
        for line in self._find_touching(_LAST_TOUCHES, found):
            found.update((each.path, each) for each in line.changes if each.path in found)
        return found

    def _find_touching(self, query: str, paths: Iterable[bytes]) -> Iterator[SnapshotLine]:
        """Yield snapshots that have some of these paths, in order, each once."""
        wanted, places = list(paths), set[tuple[int, int]]()
        for at in range(0, len(wanted), AT_ONCE):
            some = wanted[at : at + AT_ONCE]
            marks = ",".join("?" * len(some))
            places.update(self._query("snapshots", query.format(marks), *some))
        own = ((start, self._read_snapshot(start, length)) for start, length in sorted(places))
        return (one for _, one in _merge_in_order(self._read_point_snapshots(), own))

    def _read_snapshot(self, start: int, length: int) -> SnapshotLine:
        return parse_snapshot(decode(self._read_bytes("snapshots", start, length)).value)

    # operations

    def operations(self) -> list[dict[str, Any]]:
        """Return all operations, in order; that log is small."""
        fd = self._journal.descriptor("operations")
        with self._lock:
            inode, stop, found = self._operations
            status = os.fstat(fd)
            if status.st_ino != inode or status.st_size < stop:
                inode, stop, found = status.st_ino, 0, []
            found = list(found)
            for line in read_lines(fd, stop):
                stop = line.start + len(line.raw) + 1
                value, _, usable = decode(line.raw)
                if usable and isinstance(value, dict):
                    found.append(value)
            self._operations = inode, stop, found
            return list(found)

    def moves(self) -> list[LoggedMove]:
        """Return all moves, in order."""
        operations = self.operations()
        with self._lock:
            key = self._operations[:2]
            if self._moves[0] != key:
                self._moves = key, parse_moves(operations)
            return self._moves[1]

    def find_owner(self, id: str) -> tuple[str, str | None]:
        """Return the message that a snapshot names, and its point if it belongs to one."""
        for move in self.moves():
            if move.point == id and move.is_point and move.at.conversation is not None:
                return move.at.conversation, id
        return id, None

    # queries

    def _query_nodes(self, where: str, *given: object) -> list[IndexedMessage]:
        query = f"SELECT {_NODE} FROM nodes {where}"
        return [_to_node(row) for row in self._query("messages", query, *given)]

    def _query(self, log: str, query: str, *given: object) -> list[Any]:
        return self._run_with_cache(log, lambda db: db.execute(query, given).fetchall())

    def _run_with_cache(self, log: str, work: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Run a query with an updated cache, or with another one if this one fails."""
        with self._lock:
            self._cache = self._cache or IndexCache(self._place)
            while True:
                try:
                    self._refresh(self._cache.db, log)
                    return work(self._cache.db)
                except sqlite3.Error as error:
                    self._known = {}
                    if not self._cache.fall_back(error):
                        raise

    def _refresh(self, db: sqlite3.Connection, log: str) -> None:
        fd = self._journal.descriptor(log)
        if not is_current(self._known.get(log, NOTHING_KNOWN), fd):
            self._known[log] = catch_up(db, log, self._journal.descriptor)

    def _forget_log(self, log: str) -> None:
        self._run_with_cache(log, lambda db: forget_log(db, log))
        self._known.pop(log, None)

    def _read_bytes(self, log: str, start: int, length: int) -> bytes:
        return os.pread(self._journal.descriptor(log), length, start)


def _merge_in_order(
    points: Iterable[tuple[int, SnapshotLine]], own: Iterable[tuple[int, SnapshotLine]]
) -> Iterator[tuple[int, SnapshotLine]]:
    """Merge both in one order: a move is before the line that starts where the log ended then."""
    return merge(points, own, key=itemgetter(0))


def _can_lead(node: IndexedMessage) -> bool:
    """Whether a session can continue from here: it has an id and is not on a sidechain."""
    return not node.sidechain and has_own_id(node)


def _to_node(row: tuple[Any, ...]) -> IndexedMessage:
    id, parent, start, length, type, sidechain, note, time = row
    return IndexedMessage(
        decode_text(id),
        None if parent is None else decode_text(parent),
        start,
        start,
        length,
        decode_text(type),
        bool(sidechain),
        bool(note),
        time,
    )
