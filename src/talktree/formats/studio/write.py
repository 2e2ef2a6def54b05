"""New files of comments, written as they come: one comment a line, replies on the lines below.

Only the ids on the way to the comment at hand are held, so a file may be of any size and depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from talktree.formats.format import CARRY
from talktree.formats.lens import Object
from talktree.formats.record_file import Item
from talktree.formats.studio.adopt import MEMBERS
from talktree.text.json.decode import decode
from talktree.text.json.encode import encode_json, encode_new
from talktree.text.json.value import EncodedValue, Json

CHILDREN = "children"
_MORE = b',"children":['
_PLAIN = frozenset({*MEMBERS, CARRY}) - {"artifacts"}
_PLACED = frozenset({"id", "parentId", CHILDREN})
"""What depends on the comments around one, or leads to them."""
_REST = "\ue000rest"
"""Where all else is, once it is written."""
_quick = msgspec.json.Encoder().encode


def write_json(items: Iterable[Item]) -> Iterator[bytes]:
    """The JSON text of some comments in the order of reading."""
    yield b"["
    depth = -1
    above: list[Json] = []
    for item in items:
        value = _with_parent(item, above, null_at_top=True)
        value.pop(CHILDREN, None)
        lead = b"\n" if item.depth > depth else _close_comments(depth, item.depth) + b",\n"
        depth = item.depth
        # Replies follow where its text would end.
        yield b"".join((lead, memoryview(_encode_text(value))[:-1], _MORE))
    yield _close_comments(depth, 0) + b"\n]\n"


def _close_comments(depth: int, down_to: int) -> bytes:
    """The ends of the open comments from one depth down to another."""
    return b"]}" + b"\n]}" * (depth - down_to) if depth >= down_to else b""


def link_comments(items: Iterable[Item]) -> Iterator[Item]:
    """The comments, each naming the one it is nested in, those at the top nobody."""
    above: list[Json] = []
    for item in items:
        yield item._replace(value=_with_parent(item, above))


def _with_parent(item: Item, above: list[Json], *, null_at_top: bool = False) -> Object:
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


def pre_encode_comment(value: Json) -> Json:
    """A comment as far as it can be written before it is known where it stands."""
    assert isinstance(value, dict)
    if not isinstance(value.get("id"), str):
        return value
    rest = {key: item for key, item in value.items() if key not in _PLACED}
    return {"id": value["id"], _REST: EncodedValue(_encode_comment(rest))}


def _encode_text(value: Object) -> bytes:
    """The text of a comment, of which much may be written already."""
    rest = value.get(_REST)
    if not isinstance(rest, EncodedValue):
        return _encode_comment(value)
    del value[_REST]
    try:
        head = _quick(value)
    except UnicodeEncodeError:
        # Half a character in an id: then all of it is spelt in the way that can tell it.
        diagnostic = decode(bytes(rest.raw)).value
        assert isinstance(diagnostic, dict)
        return encode_json(value | diagnostic)
    text = bytes(rest.raw)
    return head if text == b"{}" else b"".join((memoryview(head)[:-1], b",", memoryview(text)[1:]))


def _encode_comment(value: Object) -> bytes:
    # The fast encoder writes null for a number that is none, which only odd members hold.
    plain = value.keys() <= _PLAIN and not value.get("attachments")
    return encode_new(value) if plain else encode_json(value)
