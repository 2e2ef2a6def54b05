"""Branches of a session: their ends, their forks, and their names.

Names are in operations.jsonl; the last line about a name counts. A name means a message and the
branch that continues it, or the newest of several such branches. Deleting a name deletes nothing
else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from talktree.errors import NotFound, UsageError
from talktree.session.handle import SessionHandle
from talktree.session.undo.move_records import format_operation_line

LONGEST_NAME = 128


class SessionBranch(NamedTuple):
    """A line of messages, from its fork to its end."""

    leaf: str
    """Its last message that is not a note."""
    fork: str | None
    """The last message it shares with another branch; None if it starts on its own."""
    name: str | None
    """Its name; of several names the newest."""
    messages: int
    """The number of messages from the root on, without notes."""
    current: bool
    """Whether the session is on this branch."""


def read_names(opened: SessionHandle) -> dict[str, str]:
    """Return the names in use and the messages they mean, in the order they were given."""
    found: dict[str, str] = {}
    for line in opened.index.operations():
        called, message = line.get("name"), line.get("message")
        if not isinstance(called, str):
            continue
        if line.get("kind") == "name" and isinstance(message, str):
            found.pop(called, None)
            found[called] = message
        elif line.get("kind") == "unname":
            found.pop(called, None)
    return found


def name_branch(opened: SessionHandle, name: str, message: str) -> str:
    """Name a message and return its whole id; a name that is in use moves."""
    found = opened.index.find_by_prefix(message)
    _check_name(name)
    line = format_operation_line(opened.id, "name", {"name": name, "message": found.id})
    opened.journal.append("operations", line)
    return found.id


def unname_branch(opened: SessionHandle, name: str) -> None:
    """Remove a name; the messages stay."""
    with opened.journal.append_lock():
        if name not in read_names(opened):
            raise NotFound(
                f"there is no branch called {name[:LONGEST_NAME]!r}",
                hint="`talktree session branch` lists them",
            )
        opened.journal.append(
            "operations", format_operation_line(opened.id, "unname", {"name": name})
        )


def find_tip(opened: SessionHandle, text: str) -> str:
    """Return the end of a named branch, or the message that any other text means."""
    if text not in read_names(opened):
        return find_message(opened, text)
    tree = _Tree(opened)
    end = tree.find_ends(read_names(opened)).get(text)
    return find_message(opened, text) if end is None else tree.get_id(end)


def find_message(opened: SessionHandle, text: str) -> str:
    """Return the message with a name, an id or the beginning of an id."""
    named = read_names(opened).get(text)
    return opened.index.find_by_prefix(text if named is None else named).id


def _check_name(name: str) -> None:
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise UsageError(
            f"{name[:LONGEST_NAME]!r} cannot be the name of a branch",
            hint=f"1 to {LONGEST_NAME} printable characters, no blank at either end",
        )


def list_branches(opened: SessionHandle) -> list[SessionBranch]:
    """Return the branches of the main conversation, oldest end first.

    Notes and sidechains are skipped: a branch ends at a message without further conversation. The
    session's current position is also listed, even in the middle of another branch.
    """
    tree = _Tree(opened)
    called = {end: name for name, end in tree.find_ends(read_names(opened)).items()}
    return [
        SessionBranch(
            tree.get_id(end),
            tree.find_fork(end),
            called.get(end),
            tree.depths[end],
            end == tree.here,
        )
        for end in tree.ends
    ]


class _Tree:
    """The messages of the main conversation, by the offsets of their lines."""

    def __init__(self, opened: SessionHandle) -> None:
        self._index = opened.index
        self._ups, self._skipped = opened.index.read_tree_shape()
        self._parents = {
            start: self._find_main_message(up)
            for start, up in self._ups.items()
            if start not in self._skipped
        }
        leaf = opened.index.leaf()
        self.here = None if leaf is None else self._find_main_message(leaf.start)
        ends = self._parents.keys() - set(self._parents.values())
        self.ends = sorted(ends if self.here is None else ends | {self.here})
        self.depths: dict[int, int] = {}
        self._joints: set[int] = set()
        for end in self.ends:
            self._walk(end)

    def _find_main_message(self, start: int | None) -> int | None:
        """Return the nearest message upward that is neither a note nor on a sidechain."""
        while start is not None and start in self._skipped:
            start = self._ups[start]
        return start

    def _walk(self, end: int) -> None:
        """Count the messages up to a known branch, and mark the fork."""
        fresh: list[int] = []
        here: int | None = end
        while here is not None and here not in self.depths:
            fresh.append(here)
            here = self._parents[here]
        depth = 0
        if here is not None:
            self._joints.add(here)
            depth = self.depths[here]
        for at in reversed(fresh):
            depth += 1
            self.depths[at] = depth

    def find_fork(self, end: int) -> str | None:
        """Return the last message that a branch shares with another."""
        at: int | None = end
        while at is not None and at not in self._joints:
            at = self._parents[at]
        return None if at is None else self.get_id(at)

    def find_ends(self, named: Mapping[str, str]) -> dict[str, int]:
        """Return the ends of the named branches."""
        nodes = {name: self._index.node(message) for name, message in named.items()}
        wanted = {node.start for node in nodes.values() if node is not None}
        ends: dict[int, int] = {}
        seen: set[int] = set()
        for end in reversed(self.ends) if wanted else ():
            at: int | None = end
            while at is not None and at not in seen:
                seen.add(at)
                if at in wanted:
                    ends[at] = end
                at = self._parents[at]
        found = ((name, node.start) for name, node in nodes.items() if node is not None)
        return {name: ends[start] for name, start in found if start in ends}

    def get_id(self, start: int) -> str:
        """Return the id of the message on a line."""
        return self._index.node_at(start).id
