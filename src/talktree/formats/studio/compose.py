"""New files of comments, written as they come: one comment a line, replies on the lines below.

Only the ids on the way to the comment at hand are held, so a file may be of any size and depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from talktree.formats.base import CARRY
from talktree.formats.lens import Object
from talktree.formats.sheets import Item
from talktree.formats.studio.adopt import MEMBERS
from talktree.text.json_value import Json
from talktree.text.json_write import encode, encode_new

CHILDREN = "children"
_MORE = b',"children":['
_PLAIN = frozenset({*MEMBERS, CARRY}) - {"artifacts"}


def composed(items: Iterable[Item]) -> Iterator[bytes]:
    """The JSON text of some comments in the order of reading."""
    yield b"["
    depth = -1
    above: list[Json] = []
    for item in items:
        value = _nested(item, above, null_at_top=True)
        value.pop(CHILDREN, None)
        lead = b"\n" if item.depth > depth else _closed(depth, item.depth) + b",\n"
        depth = item.depth
        # Replies follow where its text would end.
        yield b"".join((lead, memoryview(_encoded(value))[:-1], _MORE))
    yield _closed(depth, 0) + b"\n]\n"


def _closed(depth: int, down_to: int) -> bytes:
    """The ends of the open comments from one depth down to another."""
    return b"]}" + b"\n]}" * (depth - down_to) if depth >= down_to else b""


def linked(items: Iterable[Item]) -> Iterator[Item]:
    """The comments, each naming the one it is nested in, those at the top nobody."""
    above: list[Json] = []
    for item in items:
        yield item._replace(value=_nested(item, above))


def _nested(item: Item, above: list[Json], *, null_at_top: bool = False) -> Object:
    """A comment that names the one it is nested in; `above` are the ids that lead to it."""
    assert isinstance(item.value, dict)
    del above[item.depth :]
    container = above[-1] if above else None
    if above or null_at_top:
        value = {"id": None, "parentId": None, **item.value}
        value["parentId"] = container
    else:
        value = dict(item.value)
    above.append(value.get("id"))
    return value


def _encoded(value: Object) -> bytes:
    # The fast encoder writes null for a number that is none, which only odd members hold.
    plain = value.keys() <= _PLAIN and not value.get("attachments")
    return encode_new(value) if plain else encode(value)
