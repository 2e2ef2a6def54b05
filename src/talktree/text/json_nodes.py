"""What a scan of a JSON text gives: nodes with the places of their bytes, and oddities."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from talktree.text.json.value import Json


class Kind(IntEnum):
    """What a node is."""

    OBJECT = 0
    ARRAY = 1
    SCALAR = 2


class Problem(NamedTuple):
    """One place where the text is not plain JSON."""

    code: str
    at: int
    what: str


class Node:
    """One value in the text: where it stands, what it is, and for containers what is inside."""

    __slots__ = ("children", "closed", "key", "key_at", "kind", "start", "stop", "value")

    def __init__(self, kind: Kind, start: int, key: str | None, key_at: int) -> None:
        self.kind = kind
        self.start = start
        self.stop = -1
        self.key = key
        """The member's name, if it stands in an object."""
        self.key_at = key_at
        """Where the member starts: at its name, or at the value itself."""
        self.closed = False
        """Whether the text has its closing bracket."""
        self.children: list[Node] = NO_NODES
        self.value: Json = None


NO_NODES: list[Node] = []
"""What is inside a scalar; it is shared and never changed."""


class Scan(NamedTuple):
    """The outcome: the values found at top level, and everything that was odd."""

    roots: list[Node]
    problems: list[Problem]
    complete: bool
    """False if the text ended inside a value."""


def filled(found: Scan) -> Scan:
    """What was found, with the values of containers put together."""
    for root in found.roots:
        _fill(root)
    return found


def _fill(root: Node) -> None:
    """Hang the values of all nodes into the values of their containers."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node.value, dict):
            for child in node.children:
                if child.key is not None:
                    node.value[child.key] = child.value
        elif isinstance(node.value, list):
            node.value.extend(child.value for child in node.children)
        pending.extend(child for child in node.children if child.kind is not Kind.SCALAR)
