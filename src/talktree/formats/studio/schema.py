"""What the document's schema demands of comments, attachments and artifacts, as plain tables."""

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
"""Every member of a comment that the document names, and what it is."""

ATTACHMENT: dict[str, Kind] = {"url": str, "name": str, "file": dict}
"""What every attachment has."""
ARTIFACT: dict[str, Kind] = {
    "id": str,
    "type": str,
    "title": str,
    "status": str,
    "command": str,
}
"""What every artifact has."""

NAMES: dict[Kind, str] = {
    str: "a text",
    NUMBER: "a number",
    list: "a list",
    dict: "an object",
    bool: "true or false",
    (str, NoneType): "a text or null",
}
"""What kinds of values are called."""

ROLES = ("user", "assistant", "system")
"""The types the app itself gives to comments; others are allowed."""
LONGEST_NAME = 40
MOST_NAMES = 64
"""Of a comment with more members than that, none is taken for a misspelt one."""
_SPELLINGS = {name.lower(): name for name in COMMENT}


def is_of_kind(item: Json, kind: Kind) -> bool:
    """Whether a value is what the document demands; true and false are no numbers."""
    return isinstance(item, kind) and (not isinstance(item, bool) or kind is bool)


def iterate_items(value: Json, name: str) -> Iterator[tuple[int, Object]]:
    """The objects in a list of a comment, each with its place."""
    items = value.get(name) if isinstance(value, dict) else None
    if items and isinstance(items, list):
        for place, item in enumerate(items):
            if isinstance(item, dict):
                yield place, item


Make = Callable[[Object], Object]
"""From an item of a list to the one it should be."""


def with_members(**members: Json) -> Make:
    """An item gets some members, or other values for them."""
    return lambda item: {**item, **members}


def without_member(name: str) -> Make:
    """An item loses a member."""
    return lambda item: {key: each for key, each in item.items() if key != name}


def with_item(value: Json, name: str, place: int, make: Make) -> Json:
    """A comment in which an item of a list is changed."""
    items = value.get(name) if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(items, list) or place >= len(items):
        return value
    item = items[place]
    if not isinstance(item, dict):
        return value
    return {**value, name: [*items[:place], make(item), *items[place + 1 :]]}


def guess_member(other: str) -> str | None:
    """The member of a comment that a name means, but for capitals and what joins its words."""
    return _SPELLINGS.get(other.replace("_", "").replace("-", "").lower())


def find_misspelled(value: Object, name: str) -> str | None:
    """The member that is meant to be another, if there is one."""
    for other in value if len(value) <= MOST_NAMES else ():
        if other not in COMMENT and len(other) <= LONGEST_NAME and guess_member(other) == name:
            return other
    return None
