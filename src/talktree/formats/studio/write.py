"""New files of comments, written as they come: one comment on each line, then its replies.

Only the ids on the path to the current comment are held, so a file may be of any size and depth.
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
"""Members that depend on the comments around one, or lead to them."""
_REST = "\ue000rest"
"""The key of all other members once they are encoded."""
_quick = msgspec.json.Encoder().encode


def write_json(items: Iterable[Item]) -> Iterator[bytes]:
    """Yield the JSON text of some comments in reading order."""
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
    """Return the ends of the open comments from one depth down to another."""
    return b"]}" + b"\n]}" * (depth - down_to) if depth >= down_to else b""


def link_comments(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the comments, each naming the one it is nested in; those at the top name none."""
    above: list[Json] = []
    for item in items:
        yield item._replace(value=_with_parent(item, above))


def _with_parent(item: Item, above: list[Json], *, null_at_top: bool = False) -> Object:
    """Return a comment that names the one it is nested in; `above` holds the ids above it."""
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
    """Return a comment, encoded as far as possible before its place is known."""
    assert isinstance(value, dict)
    if not isinstance(value.get("id"), str):
        return value
    rest = {key: item for key, item in value.items() if key not in _PLACED}
    return {"id": value["id"], _REST: EncodedValue(_encode_comment(rest))}


def _encode_text(value: Object) -> bytes:
    """Return the text of a comment, most of which may be encoded already."""
    rest = value.get(_REST)
    if not isinstance(rest, EncodedValue):
        return _encode_comment(value)
    del value[_REST]
    try:
        head = _quick(value)
    except UnicodeEncodeError:
        # A surrogate in an id: then everything is written by the encoder that can escape it.
        diagnostic = decode(bytes(rest.raw)).value
        assert isinstance(diagnostic, dict)
        return encode_json(value | diagnostic)
    text = bytes(rest.raw)
    return head if text == b"{}" else b"".join((memoryview(head)[:-1], b",", memoryview(text)[1:]))


def _encode_comment(value: Object) -> bytes:
    # The fast encoder writes null for NaN, which only odd members hold.
    plain = value.keys() <= _PLAIN and not value.get("attachments")
    return encode_new(value) if plain else encode_json(value)
