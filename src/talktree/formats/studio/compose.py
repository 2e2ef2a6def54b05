"""New files of comments, written as they come: one comment a line, replies on the lines below.

Only the ids on the way to the comment at hand are held, so a file may be of any size and depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from talktree.formats.base import CARRY
from talktree.formats.lens import Object
from talktree.formats.sheets import Item
from talktree.formats.studio.adopt import MEMBERS
from talktree.text.json_value import Json
from talktree.text.json_write import encode

CHILDREN = "children"
_PLAIN = frozenset({*MEMBERS, CARRY}) - {"artifacts"}
_fast = msgspec.json.Encoder().encode


def composed(items: Iterable[Item]) -> Iterator[bytes]:
    """The JSON text of some comments in the order of reading."""
    yield b"["
    depth = -1
    for item in linked(items, null_at_top=True):
        yield b"\n" if item.depth > depth else _closed(depth, item.depth) + b",\n"
        yield _up_to_replies(item.value)
        depth = item.depth
    yield _closed(depth, 0) + b"\n]\n"


def _closed(depth: int, down_to: int) -> bytes:
    """The ends of the open comments from one depth down to another."""
    return b"]}" + b"\n]}" * (depth - down_to) if depth >= down_to else b""


def linked(items: Iterable[Item], *, null_at_top: bool = False) -> Iterator[Item]:
    """The comments, each naming the one it is nested in, those at the top nobody."""
    above: list[Json] = []
    for item in items:
        value = item.value
        assert isinstance(value, dict)
        del above[item.depth :]
        if above or null_at_top:
            container = above[-1] if above else None
            value = {"id": None, "parentId": container, **value}
            value["parentId"] = container
        above.append(value.get("id"))
        yield Item(item.at, value, item.changed, item.depth, item.group)


def _up_to_replies(value: Json) -> bytes:
    """A comment's text up to where the list of its replies starts."""
    assert isinstance(value, dict)
    own = value.copy()
    own.pop(CHILDREN, None)
    return _encoded(own)[:-1] + b',"children":['


def _encoded(value: Object) -> bytes:
    # The fast encoder writes null for a number that is none, which only odd members hold.
    if value.keys() <= _PLAIN and not value.get("attachments"):
        try:
            return _fast(value)
        except (TypeError, UnicodeEncodeError, OverflowError, RecursionError):
            # A token, half of a character, a large number, or too deep.
            pass
    return encode(value)
