"""A first look at a JSON file: the objects in its first part, one to a line or not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from talktree.text.json.decode import decode
from talktree.text.json.head import decode_head, decode_truncated
from talktree.text.json.value import Json

MOST = 50
"""Number of objects that are enough to detect a format."""
ENOUGH = 8
"""After this many whole objects a truncated one adds nothing."""
_LIST_FOLLOWS = b":["
_BEFORE = b"\xef\xbb\xbf\0"


def iterate_sample(head: bytes, *, most: int = MOST) -> Iterator[dict[str, Json]]:
    """Return an iterator over the first objects, which are decoded on demand."""
    return islice(_iterate_objects(head), most)


def _iterate_objects(head: bytes) -> Iterator[dict[str, Json]]:
    found = 0
    lines = head.split(b"\n")
    for number, line in enumerate(lines, 1):
        if line.lstrip(_BEFORE).startswith(b'{"'):
            if found >= ENOUGH and number == len(lines) and not line.endswith(b"}"):
                # Parsing a truncated object takes longer than all whole ones.
                return
            if line.endswith(_LIST_FOLLOWS) and number < len(lines):
                # Its object continues over several lines.
                continue
            value = _decode_object(line, may_be_truncated=number == len(lines))
            if value:
                found += 1
                yield value
    if not found and head.lstrip(_BEFORE + b" \t\r\n")[:1] in (b"{", b"[", b"/"):
        yield from iterate_document_objects(head)


def _decode_object(line: bytes, *, may_be_truncated: bool) -> dict[str, Json] | None:
    """Return the object on a line; every line but the last must hold a whole one."""
    if may_be_truncated:
        value = decode_truncated(line)
    else:
        # Objects in a list are followed by a comma.
        value, _, usable = decode(line.removesuffix(b","))
        value = value if usable else None
    return value if isinstance(value, dict) else None


def iterate_document_objects(head: bytes) -> Iterator[dict[str, Json]]:
    """Yield the top-level objects of a document: the items of its list, or the values themselves.

    Bare words beside them are left out, as they are when the document is read. The end of a
    truncated file may be one.
    """
    values = decode_head(head)
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    yield from (each for each in values if isinstance(each, dict))
