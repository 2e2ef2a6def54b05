"""JSON documents in which records are nested: lists of comments, histories inside an object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from talktree.files import Content
from talktree.formats.base import Format, Links
from talktree.formats.piece_sheet import Piece, PieceSheet
from talktree.model.findings import finding
from talktree.text.json_edit import member, patch
from talktree.text.json_scan import Kind, Node, Problem, Scan, scan
from talktree.text.json_style import learn
from talktree.text.json_value import Json
from talktree.text.json_write import encode

HoleName = Callable[[Json, int], str | None]
"""Which member of a record holds the records nested in it, by value and depth."""


class _Cut(NamedTuple):
    """A record's node and where it was found."""

    node: Node
    gap_from: int
    depth: int
    first: bool


class JsonSheet(PieceSheet):
    """A JSON document cut into records."""

    def __init__(
        self,
        path: str,
        content: Content,
        format: Format,
        *,
        group: str,
        hole: HoleName,
        links: Links,
        many: bool = False,
    ) -> None:
        text = content.read()
        found = scan(text)
        self.style = learn(text)
        self.hole = hole
        self.links = links
        self.many = many
        """Whether each record at depth 0 is a conversation of its own."""
        self.listed = len(found.roots) == 1 and found.roots[0].kind is Kind.ARRAY
        super().__init__(path, content, format, [], group=group)
        self._cut(text, found)

    def group_of(self, index: int) -> str:
        return self._groups[index]

    # taking apart

    def _cut(self, text: bytes, found: Scan) -> None:
        roots, start, end = found.roots, 0, len(text)
        if self.listed:
            array = found.roots[0]
            start, end = array.start + 1, array.stop - array.closed
            roots = array.children
            self.frame = (text[:start], text[end:])
        cuts: list[_Cut] = []
        pending = _row(roots, start, 0)
        while pending:
            cut = pending.pop()
            cuts.append(cut)
            hole = self._hole_node(cut.node, cut.depth)
            if hole is not None:
                pending += _row(hole.children, hole.start + 1, cut.depth + 1)
        self.tail = text[roots[-1].stop if roots else start : end]
        self.pieces = [_piece(text, cut, self._hole_node(cut.node, cut.depth)) for cut in cuts]
        self._groups = self._group_names()
        self._tell(text, found)
        lines = _line_numbers(text, [cut.node.start for cut in cuts])
        for piece, line in zip(self.pieces, lines, strict=True):
            piece.line = line

    def _hole_node(self, node: Node, depth: int) -> Node | None:
        if node.kind is not Kind.OBJECT:
            return None
        name = self.hole(node.value, depth)
        if name is None:
            return None
        found = next((child for child in reversed(node.children) if child.key == name), None)
        return found if found is not None and found.kind is Kind.ARRAY else None

    def _group_names(self) -> list[str]:
        if not self.many:
            return [self.group] * len(self.pieces)
        names: list[str] = []
        number = 0
        for piece in self.pieces:
            number += piece.depth == 0
            names.append(f"{self.group}#{number}" if number > 1 else self.group)
        return names

    def _tell(self, text: bytes, found: Scan) -> None:
        problems = sorted(found.problems, key=lambda each: each.at)
        if not found.roots:
            problems.append(Problem("empty" if not text.strip() else "syntax", 0, "no JSON here"))
        elif not found.complete and all(each.code != "torn" for each in problems):
            problems.append(Problem("torn", len(text), "the text ends inside a value"))
        lines = _line_numbers(text, [each.at for each in problems])
        self.findings = [
            finding(each.code, each.what, path=self.path, line=line)
            for each, line in zip(problems, lines, strict=True)
        ]

    # writing

    def level(self, depth: int) -> int:
        """How far the brackets of a record are indented."""
        return 2 * depth + self.listed

    def fresh(self, value: Json, depth: int) -> Piece:
        return self._with_hole(encode(value, self.style, level=self.level(depth)), value, depth)

    def patched(self, old: Piece, value: Json, depth: int) -> Piece:
        raw = patch(old.raw, value, style=self.style, level=self.level(depth))
        made = self._with_hole(raw, value, depth)
        return replace(made, tail=old.tail, empty=old.empty)

    def _with_hole(self, raw: bytes, value: Json, depth: int) -> Piece:
        name = self.hole(value, depth)
        node = member(raw, name) if name is not None else None
        hole = node.start + 1 if node is not None and node.kind is Kind.ARRAY else None
        return Piece(value, raw, hole, depth=depth)

    def joint(self, container: Piece | None, *, depth: int, first: bool) -> bytes:
        if self.style.indent is None:
            return b"" if first else self.style.item.encode()
        return (b"" if first else b",") + self._line(self.level(depth))

    def end_of_list(self, depth: int) -> bytes:
        return b"" if self.style.indent is None else self._line(self.level(depth) - 1)

    def _line(self, level: int) -> bytes:
        return (self.style.newline + (self.style.indent or "") * level).encode()


def _row(nodes: Sequence[Node], start: int, depth: int) -> list[_Cut]:
    """The records of one list, last first, each with where the bytes before it start."""
    row = []
    for number, node in enumerate(nodes):
        row.append(_Cut(node, start, depth, number == 0))
        start = node.stop
    row.reverse()
    return row


def _piece(text: bytes, cut: _Cut, hole: Node | None) -> Piece:
    node = cut.node
    made = Piece(
        node.value,
        text[node.start : node.stop],
        gap=text[cut.gap_from : node.start],
        depth=cut.depth,
        first=cut.first,
        usable=node.closed or node.kind is Kind.SCALAR,
    )
    if hole is None:
        return made
    end = hole.stop - hole.closed
    made.hole = hole.start + 1 - node.start
    made.raw = text[node.start : hole.start + 1] + text[end : node.stop]
    made.value = {**node.value, hole.key: []} if isinstance(node.value, dict) else None  # type: ignore[dict-item]
    made.empty = not hole.children
    made.tail = text[hole.children[-1].stop if hole.children else hole.start + 1 : end]
    return made


def _line_numbers(text: bytes, places: Sequence[int]) -> list[int]:
    """The lines on which rising places stand, in one pass."""
    line, at = 1, 0
    out = []
    for place in places:
        line += text.count(b"\n", at, place)
        at = place
        out.append(line)
    return out
