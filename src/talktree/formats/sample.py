"""A first look at a file of JSON: the objects that its first part shows, one to a line or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from talktree.text.json_read import decode
from talktree.text.json_scan import Kind, Node, scan
from talktree.text.json_value import Json

MOST = 50
"""So many tell what a file is."""
ENOUGH = 8
"""After so many whole objects one that is cut off tells nothing more."""
_BEFORE = b"\xef\xbb\xbf\0"


def sample(head: bytes, *, most: int = MOST) -> Iterator[dict[str, Json]]:
    """The first objects, decoded as they are asked for."""
    return islice(_objects(head), most)


def _objects(head: bytes) -> Iterator[dict[str, Json]]:
    found = 0
    lines = head.split(b"\n")
    for number, line in enumerate(lines, 1):
        if line.lstrip(_BEFORE).startswith(b'{"'):
            if found >= ENOUGH and number == len(lines) and not line.endswith(b"}"):
                # Taking apart what was cut off takes longer than all that is whole.
                return
            value, _, usable = decode(line)
            # Only the last line may be cut off; elsewhere its object goes on over several lines.
            if isinstance(value, dict) and value and (usable or number == len(lines)):
                found += 1
                yield value
    if not found:
        yield from _of_document(head)


def _of_document(head: bytes) -> Iterator[dict[str, Json]]:
    if head.lstrip(_BEFORE + b" \t\r\n")[:1] not in (b"{", b"[", b"/"):
        return
    yield from document_objects(scan(head).roots)


def document_objects(roots: Sequence[Node]) -> Iterator[dict[str, Json]]:
    """The objects at the top of a document: the items of its list, or the values themselves.

    Bare words beside them are left out, as they are when the document is read. The end of a
    truncated file may be one.
    """
    values = [root for root in roots if root.kind is not Kind.SCALAR]
    if len(values) == 1 and values[0].kind is Kind.ARRAY:
        values = list(values[0].children)
    yield from (each.value for each in values if isinstance(each.value, dict))
