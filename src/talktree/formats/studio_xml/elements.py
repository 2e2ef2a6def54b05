"""What an XML file of comments is made of: elements with the places of their tags.

Places are byte offsets into the text that was scanned. Attributes are looked up when asked for.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from talktree.formats.lens import Object

COMMENT, COMMENTS, CHILDREN, EXTRA = "comment", "comments", "children", "extra"
CONTENT = "content"
FIELDS = {
    COMMENT: (
        "id",
        "userId",
        "type",
        "timestamp",
        "contentHash",
        CONTENT,
        "parentId",
        "deleted",
    ),
    "attachment": ("name", "type", "url"),
    "artifact": ("id", "type", "title", "info", "status", "command", CONTENT),
}
"""The elements that hold text, in the order in which we write them."""
ITEMS = {"attachments": "attachment", "artifacts": "artifact"}
"""The elements that hold a list, and what its items are called."""
KNOWN = frozenset(
    {COMMENT, COMMENTS, CHILDREN, EXTRA, *ITEMS, *ITEMS.values()}.union(*FIELDS.values())
)

_ATTRIBUTE = re.compile(rb"""\s([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


class Kind(IntEnum):
    """What an element is to us."""

    LIST = 0
    """Holds comments."""
    COMMENT = 1
    ITEMS = 2
    """Holds attachments or artifacts."""
    ITEM = 3
    LEAF = 4
    """Holds text, whatever stands in it."""
    OTHER = 5


class Attribute(NamedTuple):
    """One attribute of a start tag."""

    name: str
    start: int
    """Where the blank before its name stands."""
    inside: int
    end: int
    stop: int


class Element:
    """One element and what is inside it."""

    __slots__ = (
        "bare",
        "children",
        "closed",
        "end",
        "fields",
        "filled",
        "holder",
        "inside",
        "kind",
        "name",
        "nested",
        "owner",
        "start",
        "stop",
        "taken",
        "torn",
    )

    def __init__(self, name: str, kind: Kind, start: int, inside: int, *, bare: bool) -> None:
        self.name = name
        self.kind = kind
        self.start = start
        self.inside = inside
        """Where its start tag ends."""
        self.end = self.stop = inside
        """Where its end tag starts and stops."""
        self.bare = bare
        """Whether it is a single tag, as in `<type/>`."""
        self.closed = bare
        self.torn = False
        """Whether one of its own fields has no end."""
        self.filled = False
        """Whether comments stand in it."""
        self.fields: Object | None = None
        """What the fields right behind its start tag say, where they were read at once."""
        self.taken = inside
        """Where those stop; they are not among its children."""
        self.owner = name
        """Whose fields it has: comment, attachment or artifact."""
        self.holder: Element | None = None
        """The element it stands in."""
        # A file is mostly leaves, and nothing stands in those.
        self.children: list[Element] = NONE if kind is Kind.LEAF else []
        self.nested: list[Element] = [] if kind is Kind.COMMENT else NONE
        """The records that hang below it, if it is a comment."""


NONE: list[Element] = []


def attributes(text: bytes, element: Element) -> list[Attribute]:
    """The attributes of an element's start tag, in order."""
    if text.find(b"=", element.start, element.inside) < 0:
        return []
    return [
        Attribute(
            found.group(1).decode("utf-8", "surrogateescape"),
            found.start(),
            *found.span(2 if found.group(2) is not None else 3),
            found.end(),
        )
        for found in _ATTRIBUTE.finditer(text, element.start, element.inside)
    ]


def encoded_as_json(text: bytes, element: Element) -> Attribute | None:
    """The mark that the text of an element is to be read as JSON."""
    for each in attributes(text, element):
        if each.name == "encoding" and text[each.inside : each.end] == b"json":
            return each
    return None
