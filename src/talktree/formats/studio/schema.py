"""What the specification's schema requires of comments, attachments and artifacts, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import NoneType

from talktree.formats.lens import Object
from talktree.text.json.value import Json

JSON, TEXT, XML = "studio", "studio-text", "studio-xml"
ENCODINGS = (JSON, TEXT, XML)
"""The formats that hold comments."""

Kind = type | tuple[type, ...]
NUMBER = (int, float)

REQUIRED: dict[str, Kind] = {
    "id": str,
    "userId": str,
    "type": str,
    "timestamp": NUMBER,
    "content": str,
    "contentHash": str,
    "attachments": list,
    "children": list,
}
OPTIONAL: dict[str, Kind] = {"parentId": (str, NoneType), "deleted": bool, "artifacts": list}
COMMENT = {**REQUIRED, **OPTIONAL}
"""Every member of a comment that the specification names, and its type."""

ATTACHMENT: dict[str, Kind] = {"url": str, "name": str, "file": dict}
"""The required members of an attachment."""
ARTIFACT: dict[str, Kind] = {
    "id": str,
    "type": str,
    "title": str,
    "status": str,
    "command": str,
}
"""The required members of an artifact."""

NAMES: dict[Kind, str] = {
    str: "a text",
    NUMBER: "a number",
    list: "a list",
    dict: "an object",
    bool: "true or false",
    (str, NoneType): "a text or null",
}
"""The names of types in messages."""

ROLES = ("user", "assistant", "system")
"""The types that the app itself gives to comments; others are allowed."""
LONGEST_NAME = 40
MOST_NAMES = 64
"""Maximum number of members of a comment that is checked for misspelt names."""
_SPELLINGS = {name.lower(): name for name in COMMENT}


def is_of_kind(item: Json, kind: Kind) -> bool:
    """Whether a value has the required type; true and false are not numbers."""
    return isinstance(item, kind) and (not isinstance(item, bool) or kind is bool)


def iterate_items(value: Json, name: str) -> Iterator[tuple[int, Object]]:
    """Yield the objects in a list of a comment, each with its index."""
    items = value.get(name) if isinstance(value, dict) else None
    if items and isinstance(items, list):
        for place, item in enumerate(items):
            if isinstance(item, dict):
                yield place, item


Make = Callable[[Object], Object]
"""From an item of a list to its replacement."""


def with_members(**members: Json) -> Make:
    """Return a function that sets some members of an item."""
    return lambda item: {**item, **members}


def without_member(name: str) -> Make:
    """Return a function that removes a member of an item."""
    return lambda item: {key: each for key, each in item.items() if key != name}


def with_item(value: Json, name: str, place: int, make: Make) -> Json:
    """Return a comment in which an item of a list is changed."""
    items = value.get(name) if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(items, list) or place >= len(items):
        return value
    item = items[place]
    if not isinstance(item, dict):
        return value
    return {**value, name: [*items[:place], make(item), *items[place + 1 :]]}


def guess_member(other: str) -> str | None:
    """Return the member of a comment that a name means, ignoring case and separators, or None."""
    return _SPELLINGS.get(other.replace("_", "").replace("-", "").lower())


def find_misspelled(value: Object, name: str) -> str | None:
    """Return the member that is a misspelling of another, or None."""
    for other in value if len(value) <= MOST_NAMES else ():
        if other not in COMMENT and len(other) <= LONGEST_NAME and guess_member(other) == name:
            return other
    return None
