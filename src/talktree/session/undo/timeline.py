"""The messages of a session together with its moves, as the line of files needs them.

A move adds nothing to the messages. In the timeline it is a point: it follows the message (or the
point) that it led to, and later messages from there follow the point. A message follows a move if
it was written after it, no other move came in between, and its parent is the message that the move
led to.

In stores of earlier versions moves are messages of their own, which need no point.
"""

from __future__ import annotations

from bisect import bisect_left

from talktree.session.index.index import SessionIndex
from talktree.session.index.node import IndexedMessage
from talktree.session.undo.move_records import LoggedMove

NOWHERE = -1


class Timeline:
    """The current messages and points of a session."""

    def __init__(self, index: SessionIndex) -> None:
        self._index = index
        self.moves = index.moves()
        self._points = {move.point: move for move in self.moves if move.is_point}
        self._order: list[LoggedMove] = []
        self._numbers: list[int] = []
        """The line of the last message before each move in `_order`."""
        for move in self._points.values():
            number = self._compute_number(move)
            if number is not None:
                self._order.append(move)
                self._numbers.append(max([number, *self._numbers[-1:]]))

    def _compute_number(self, move: LoggedMove) -> int | None:
        """Return the place of a move in the order of messages; None if it is not known."""
        assert move.after is not None
        if move.after.message is None:
            return NOWHERE
        node = self._index.node(move.after.message)
        return None if node is None else node.number

    # places

    def find_end(self) -> str | None:
        """Return the last place: a point if the session was moved after the last message."""
        leaf, point = self._index.head()
        if point is not None:
            return point.point
        return None if leaf is None else leaf.id

    def node(self, id: str) -> IndexedMessage | None:
        """Return a message or a point; what follows a point has that as its parent."""
        move = self._points.get(id)
        if move is not None:
            number = self._compute_number(move)
            number = NOWHERE if number is None else number
            return IndexedMessage(id, move.parent, number, number, 0, "", False, True, move.time)
        node = self._index.node(id)
        return None if node is None else self._place_node(node)

    def _place_node(self, node: IndexedMessage) -> IndexedMessage:
        move = self.find_followed_move(node)
        return node if move is None else node._replace(parent=move.point)

    def find_followed_move(self, node: IndexedMessage) -> LoggedMove | None:
        """Return the move that a message follows."""
        at = bisect_left(self._numbers, node.start) - 1
        if at < 0 or self._order[at].at.conversation != node.parent:
            return None
        return self._order[at]

    def children(self, id: str) -> list[IndexedMessage]:
        """Return the children of a message or a point."""
        move = self._points.get(id)
        above = id if move is None else move.at.conversation
        return [
            node for node in self._index.children(above) if self.find_followed_move(node) is move
        ]

    def chain(self, id: str) -> list[IndexedMessage]:
        """Return messages and points from the first one down to this one."""
        above = self.find_message(id)
        found: list[IndexedMessage] = []
        for node in self._index.chain(above) if above is not None else ():
            placed = self._place_node(node) if self._order else node
            if placed is not node:
                found += self._find_points_to(placed.parent, node.parent)
            found.append(placed)
        return [*found, *self._find_points_to(id, above)] if id in self._points else found

    def _find_points_to(self, id: str | None, above: str | None) -> list[IndexedMessage]:
        """Return the points from below a message down to this one."""
        found: list[IndexedMessage] = []
        seen: set[str] = set()
        while id is not None and id != above and id not in seen:
            seen.add(id)
            node = self.node(id)
            if node is None:
                break
            found.append(node)
            id = node.parent
        return found[::-1]

    # meaning of places

    def find_message(self, id: str | None) -> str | None:
        """Return the message of a place: itself, or the one that a point leads to."""
        move = None if id is None else self._points.get(id)
        return id if move is None else move.at.conversation

    def skip_notes(self, id: str | None) -> str | None:
        """Return the nearest message at or above a place that is neither a point nor a note."""
        id = self.find_message(id)
        seen = set()
        while id is not None and id not in seen:
            seen.add(id)
            node = self._index.node(id)
            if node is None:
                return None
            if not node.note:
                return id
            id = node.parent
        return None

    def find_todos_message(self, id: str | None) -> str | None:
        """Return the message that has the tasks of a place."""
        move = None if id is None else self._points.get(id)
        return id if move is None else move.at.todos

    def find_number(self, move: LoggedMove) -> int | None:
        """Return the line of the message after which a completed move happened."""
        if move.is_point:
            return self._compute_number(move)
        node = self._index.node(move.point)
        return None if node is None else node.number
