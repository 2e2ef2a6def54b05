"""The pieces of a JSON document: from a quick cut of plain text, or from an exact scan of any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from talktree.formats.nested_file import Piece
from talktree.text.json.scanner import Kind, Node
from talktree.text.json.split import Cut

HoleNode = Callable[[Node, int], Node | None]
"""The list of records nested in a record, by its node and depth."""


class _Found(NamedTuple):
    """A record's node and where it was found."""

    node: Node
    gap_from: int
    depth: int
    first: bool


def plain_pieces(text: bytes, cuts: Sequence[Cut]) -> list[Piece]:
    """Pieces from the cuts of a plain text."""
    pieces = [
        Piece(
            each.value,
            each.raw,
            each.hole - each.start if each.hole >= 0 else None,
            gap=text[each.gap_from : each.start],
            tail=text[each.tail_from : each.hole_end] if each.hole >= 0 else b"",
            depth=each.depth,
            first=each.first,
            empty=each.tail_from == each.hole,
        )
        for each in cuts
    ]
    return _numbered(text, pieces, [each.start for each in cuts])


def exact_pieces(
    text: bytes, roots: Sequence[Node], start: int, hole_of: HoleNode, *, torn: bool
) -> list[Piece]:
    """Pieces from the nodes of a text that may be anything."""
    pieces: list[Piece] = []
    starts: list[int] = []
    pending = _row(roots, start, 0)
    while pending:
        found = pending.pop()
        hole = hole_of(found.node, found.depth)
        pieces.append(_piece(text, found, hole, torn=torn))
        starts.append(found.node.start)
        if hole is not None:
            pending += _row(hole.children, hole.start + 1, found.depth + 1)
    return _numbered(text, pieces, starts)


def _row(nodes: Sequence[Node], start: int, depth: int) -> list[_Found]:
    """The records of one list, last first, each with where the bytes before it start."""
    row = []
    for number, node in enumerate(nodes):
        row.append(_Found(node, start, depth, number == 0))
        start = node.stop
    row.reverse()
    return row


def _piece(text: bytes, found: _Found, hole: Node | None, *, torn: bool) -> Piece:
    node = found.node
    made = Piece(
        node.value,
        b"",
        gap=text[found.gap_from : node.start],
        depth=found.depth,
        first=found.first,
        # Torn only inside a record nested in it: then all that is its own could be read.
        usable=node.closed or node.kind is Kind.SCALAR or _ends_with(node, hole),
        closed=node.closed or (node.kind is Kind.SCALAR and not (torn and node.stop == len(text))),
    )
    if hole is None:
        made.raw = text[node.start : node.stop]
        return made
    end = hole.stop - hole.closed
    made.hole = hole.start + 1 - node.start
    made.raw = text[node.start : hole.start + 1] + text[end : node.stop]
    made.value = {**node.value, hole.key: []} if isinstance(node.value, dict) else None  # type: ignore[dict-item]
    made.empty = not hole.children
    made.tail = text[hole.children[-1].stop if hole.children else hole.start + 1 : end]
    return made


def _ends_with(node: Node, hole: Node | None) -> bool:
    """Whether a record that is not closed breaks off in or right behind the list in it."""
    return hole is not None and (not hole.closed or node.children[-1] is hole)


def _numbered(text: bytes, pieces: list[Piece], starts: Sequence[int]) -> list[Piece]:
    for piece, start, line in zip(pieces, starts, line_numbers(text, starts), strict=True):
        piece.start, piece.line = start, line
    return pieces


def line_numbers(text: bytes, places: Sequence[int]) -> list[int]:
    """The lines on which rising places stand, in one pass."""
    line, at = 1, 0
    out = []
    for place in places:
        line += text.count(b"\n", at, place)
        at = place
        out.append(line)
    return out
