"""JSON documents in which records are nested: lists of comments, histories inside an object.

A document is cut into pieces by a quick cut of plain text, or by an exact scan of any text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from talktree.errors import DamagedRecord
from talktree.files import Content, MemoryContent
from talktree.formats.format import Format, Links
from talktree.formats.json_repair import find_fused_values, find_json_repairs, repair_document
from talktree.formats.nested_file import FilePiece, PieceSheet
from talktree.formats.record_file import ByteRepair, Item, select_first_of_kind
from talktree.model.findings import Finding, make_finding
from talktree.text.json.decode import inspect
from talktree.text.json.encode import encode_json, learn_style
from talktree.text.json.patch import patch_json
from talktree.text.json.repair import JsonRepair
from talktree.text.json.scanner import (
    DEEP,
    MOST_PROBLEMS,
    JsonNode,
    JsonScan,
    NodeKind,
    Problem,
    scan_json,
)
from talktree.text.json.split import JsonRecordSpan, JsonRecordSpans, cut_records
from talktree.text.json.value import Json, is_same

HoleNode = Callable[[JsonNode, int], JsonNode | None]
"""Returns the node of the list nested in a record, by the record's node and depth."""


class _Found(NamedTuple):
    """A record's node and where it was found."""

    node: JsonNode
    gap_from: int
    depth: int
    first: bool


def make_plain_pieces(text: bytes, cuts: Sequence[JsonRecordSpan]) -> list[FilePiece]:
    """Return pieces from the cuts of a plain text."""
    pieces = [
        FilePiece(
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
    return _number_lines(text, pieces, [each.start for each in cuts])


def make_exact_pieces(
    text: bytes, roots: Sequence[JsonNode], start: int, hole_of: HoleNode, *, truncated: bool
) -> list[FilePiece]:
    """Return pieces from the nodes of any text."""
    pieces: list[FilePiece] = []
    starts: list[int] = []
    pending = _find_list_records(roots, start, 0)
    while pending:
        found = pending.pop()
        hole = hole_of(found.node, found.depth)
        pieces.append(_make_piece(text, found, hole, truncated=truncated))
        starts.append(found.node.start)
        if hole is not None:
            pending += _find_list_records(hole.children, hole.start + 1, found.depth + 1)
    return _number_lines(text, pieces, starts)


def _find_list_records(nodes: Sequence[JsonNode], start: int, depth: int) -> list[_Found]:
    """Return the records of one list, last first, each with where the bytes before it start."""
    row = []
    for number, node in enumerate(nodes):
        row.append(_Found(node, start, depth, number == 0))
        start = node.stop
    row.reverse()
    return row


def _make_piece(text: bytes, found: _Found, hole: JsonNode | None, *, truncated: bool) -> FilePiece:
    node = found.node
    made = FilePiece(
        node.value,
        b"",
        gap=text[found.gap_from : node.start],
        depth=found.depth,
        first=found.first,
        # Truncated only inside a record nested in it: then everything of its own could be read.
        usable=node.closed or node.kind is NodeKind.SCALAR or _is_cut_off_in(node, hole),
        closed=node.closed
        or (node.kind is NodeKind.SCALAR and not (truncated and node.stop == len(text))),
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


def _is_cut_off_in(node: JsonNode, hole: JsonNode | None) -> bool:
    """Whether a record that is not closed breaks off in its list, or right after it."""
    return hole is not None and (not hole.closed or node.children[-1] is hole)


def _number_lines(text: bytes, pieces: list[FilePiece], starts: Sequence[int]) -> list[FilePiece]:
    for piece, start, line in zip(pieces, starts, compute_line_numbers(text, starts), strict=True):
        piece.start, piece.line = start, line
    return pieces


def compute_line_numbers(text: bytes, places: Sequence[int]) -> list[int]:
    """Return the line numbers of rising offsets, in one pass."""
    line, at = 1, 0
    out = []
    for place in places:
        line += text.count(b"\n", at, place)
        at = place
        out.append(line)
    return out


HoleName = Callable[[Json, int], str | None]
"""Returns the member of a record that holds its nested records, by value and depth."""
BROKEN = frozenset({"torn", "syntax", "nul", "comment"})
"""Oddities after which a change could end up in the wrong place."""


class JsonSheet(PieceSheet):
    """A JSON document cut into records."""

    def __init__(
        self,
        path: str,
        content: Content,
        format: Format,
        *,
        group: str,
        hole: HoleName | str,
        links: Links,
        many: bool = False,
        names: Sequence[str] = (),
    ) -> None:
        text = content.read()
        self.style = learn_style(text)
        self.hole: HoleName = _make_constant_key(hole) if isinstance(hole, str) else hole
        self.links = links
        self.many = many
        """Whether each record at depth 0 is a conversation of its own."""
        super().__init__(path, content, format, [], group=group)
        plain = (
            cut_records(text, hole)
            if isinstance(hole, str)
            else self._find_plain_records(text, names)
        )
        self.plain = plain is not None
        """Whether the text is plain JSON that was not yet searched for oddities."""
        self.sound = self.plain
        """Whether its brackets and strings are whole, so that a change stays where it is made."""
        if plain is not None:
            self._take_plain(text, plain)
        else:
            self._cut_records(text, scan_json(text))
        self._groups = self._group_names()

    def group_of(self, index: int) -> str:
        return self._groups[index]

    def inspect(self) -> Iterator[Finding]:
        yield from self._find_oddities() if self.plain else ()
        yield from super().inspect()

    def _find_oddities(self) -> Iterator[Finding]:
        """Yield the oddities that plain text may still have: duplicate names, and deep nesting."""
        for piece in self.pieces:
            for problem in select_first_of_kind(inspect(piece.raw)):
                line = piece.line + piece.raw.count(b"\n", 0, problem.at)
                yield make_finding(problem.code, problem.what, path=self.path, line=line)

    def is_deep(self, piece: FilePiece) -> bool:
        """Whether a record itself is nested too deep."""
        if piece.raw.count(b"[") + piece.raw.count(b"{") <= DEEP:
            return False
        return any(problem.code == "deep" for problem in scan_json(piece.raw).problems)

    @cached_property
    def changes(self) -> Sequence[JsonRepair]:
        """The repairs of the text; each broken rule asks for some of them."""
        return find_json_repairs(self)

    def find_repairs(self, keys: Collection[str]) -> Iterator[ByteRepair]:
        return repair_document(self, keys)

    # splitting

    def _find_plain_records(self, text: bytes, names: Sequence[str]) -> JsonRecordSpans | None:
        """Return the records of a plain text whose lists all have one of the names, in place."""
        for name in names:
            found = cut_records(text, name)
            if found is not None and all(self._is_in_place(each, name) for each in found.cuts):
                return found
        return None

    def _is_in_place(self, record: JsonRecordSpan, name: str) -> bool:
        """Whether the list in a record is the one that holds its nested records."""
        wanted = self.hole(record.value, record.depth)
        if record.hole >= 0:
            return wanted == name
        value = record.value
        return wanted is None or not (
            isinstance(value, dict) and isinstance(value.get(wanted), list)
        )

    def _take_plain(self, text: bytes, plain: JsonRecordSpans) -> None:
        self.listed = plain.listed
        if plain.listed:
            self.frame = (text[: plain.start], text[plain.stop :])
        self.tail = text[plain.tail_from : plain.stop]
        self.pieces = make_plain_pieces(text, plain.cuts)
        self._wholes = sum(piece.depth == 0 for piece in self.pieces)

    def _cut_records(self, text: bytes, found: JsonScan) -> None:
        values = [root for root in found.roots if root.kind is not NodeKind.SCALAR]
        self.listed = len(values) == 1 and values[0].kind is NodeKind.ARRAY
        roots, start, end = values or found.roots, 0, len(text)
        if self.listed:
            array = values[0]
            start, end = array.start + 1, array.stop - array.closed
            roots = array.children
            self.frame = (text[:start], text[end:])
        self._note_surroundings(text, found, values)
        truncated = not found.complete or any(each.code == "torn" for each in found.problems)
        broken = BROKEN.intersection(each.code for each in found.problems)
        self.sound = found.complete and not broken
        self.pieces = make_exact_pieces(
            text, roots, start, self.find_children_node, truncated=truncated
        )
        self.tail = text[roots[-1].stop if roots else start : end]
        self._wholes = len(roots)
        self._report_problems(text, found)

    def _note_surroundings(self, text: bytes, found: JsonScan, values: Sequence[JsonNode]) -> None:
        """Note the values beside the one value of the document."""
        diagnostic = {problem.at for problem in found.problems}
        loose = [root for root in found.roots if values and root.kind is NodeKind.SCALAR]
        if self.links == "nested":
            loose += values[1:]
        found.problems.extend(
            Problem("syntax", root.start, "this stands beside the document")
            for root in loose[:MOST_PROBLEMS]
            if root.start not in diagnostic
        )
        if self.many:
            found.problems.extend(
                Problem("fused", at, "several records stand on one line")
                for at in find_fused_values(text, values)[:MOST_PROBLEMS]
            )

    def find_children_node(self, node: JsonNode, depth: int) -> JsonNode | None:
        """Return the list of records nested in a record, or None."""
        if node.kind is not NodeKind.OBJECT:
            return None
        name = self.hole(node.value, depth)
        if name is None:
            return None
        found = next((child for child in reversed(node.children) if child.key == name), None)
        return found if found is not None and found.kind is NodeKind.ARRAY else None

    def _group_names(self) -> list[str]:
        if not self.many:
            return [self.group] * len(self.pieces)
        names: list[str] = []
        number = 0
        for piece in self.pieces:
            number += piece.depth == 0
            names.append(f"{self.group}#{number}" if number > 1 else self.group)
        return names

    def _report_problems(self, text: bytes, found: JsonScan) -> None:
        problems = sorted(found.problems, key=lambda each: each.at)
        if not text.strip():
            problems = [Problem("empty", 0, "there is nothing in this file")]
        elif not text.strip(b"\0 \t\r\n"):
            problems = [Problem("nul-file", 0, f"nothing but {text.count(0)} NUL bytes")]
        elif not found.roots:
            problems.append(Problem("syntax", 0, "no JSON here"))
        elif not found.complete and all(each.code != "torn" for each in problems):
            problems.append(Problem("torn", len(text), "the text ends inside a value"))
        deep = {piece.line for piece in self.pieces if self.is_deep(piece)}
        lines = compute_line_numbers(text, [each.at for each in problems])
        diagnostic: set[tuple[str, int]] = set()
        for each, line in zip(problems, lines, strict=True):
            if each.code == "deep":
                # A long chain of replies is equally deep; only the depth inside one record counts.
                what = f"nested more than {DEEP} deep"
                self.findings += [
                    make_finding("deep", what, path=self.path, line=at) for at in sorted(deep)
                ]
            elif each.code != "syntax" or ("syntax", line) not in diagnostic:
                diagnostic.add((each.code, line))
                self.findings.append(make_finding(each.code, each.what, path=self.path, line=line))

    # writing

    def level(self, depth: int) -> int:
        """Return the indentation level of a record's brackets."""
        return 2 * depth + self.listed

    def make_piece(self, value: Json, depth: int) -> FilePiece:
        return self._with_hole(encode_json(value, self.style, level=self.level(depth)), depth)

    def apply_patch(self, old: FilePiece, value: Json, depth: int) -> FilePiece:
        raw = patch_json(old.raw, value, style=self.style, level=self.level(depth))
        made = self._with_hole(raw, depth)
        return replace(made, tail=old.tail, empty=old.empty, closed=old.closed)

    def add_children_slot(self, piece: FilePiece, depth: int) -> FilePiece:
        name = self.hole(piece.value, depth)
        if name is None or not isinstance(piece.value, dict) or not piece.usable:
            return super().add_children_slot(piece, depth)
        if piece.value.get(name) is not None:
            # Another value is in the place of the list; it must not be overwritten.
            return super().add_children_slot(piece, depth)
        made = self.apply_patch(piece, {**piece.value, name: []}, depth)
        return replace(made, line=piece.line)

    def _with_hole(self, raw: bytes, depth: int) -> FilePiece:
        found = scan_json(raw)
        root = found.roots[0]
        hole = self.find_children_node(root, depth)
        at = None if hole is None else hole.start + 1
        return FilePiece(root.value, raw, at, depth=depth, problems=found.problems)

    def rewrite(self, items: Sequence[Item]) -> Iterator[bytes]:
        whole = super().rewrite(items)
        count = sum(item.depth == 0 for item in items)
        if self.links == "nested" and not self.listed and count > max(1, self._wholes):
            # One record was the whole file; several need a list around them.
            whole = chain([b"["], whole, [b"]"])
        return whole if self.sound else iter([self._check_written(b"".join(whole), items)])

    def _check_written(self, made: bytes, items: Sequence[Item]) -> bytes:
        """Return bytes made from a broken text, refused unless they read back as intended."""
        again = JsonSheet(
            self.path,
            MemoryContent(made),
            self.format,
            group=self.group,
            hole=self.hole,
            links=self.links,
        ).pieces
        if len(again) != len(items) or not all(map(self._is_same_item, items, again)):
            raise DamagedRecord(
                f"{self.path}: its brackets or strings are broken; this change would alter more",
                hint="repair the file first",
            )
        return made

    def _is_same_item(self, item: Item, piece: FilePiece) -> bool:
        """Whether a piece that was read again is the item that was to be written."""
        if item.at is None:
            value = self.make_piece(item.value, item.depth).value
        else:
            value = item.value if item.changed else self.pieces[item.at].value
        name = self.hole(value, item.depth)
        found = piece.value
        if name is not None and isinstance(value, dict) and isinstance(found, dict):
            # A list may have been added for records that were put into it.
            value, found = ({**each, name: each.get(name) or []} for each in (value, found))
        return item.depth == piece.depth and is_same(value, found)

    def make_separator(self, container: FilePiece | None, *, depth: int, first: bool) -> bytes:
        if depth == 0 and not self.listed and self.links != "nested":
            return b"" if first else self.style.newline.encode()
        if self.style.indent is None:
            return b"" if first else self.style.item.encode()
        return (b"" if first else b",") + self._line_start(self.level(depth))

    def end_of_list(self, depth: int) -> bytes:
        return b"" if self.style.indent is None else self._line_start(self.level(depth) - 1)

    def _line_start(self, level: int) -> bytes:
        return (self.style.newline + (self.style.indent or "") * level).encode()


def _make_constant_key(name: str) -> HoleName:
    return lambda value, depth: name
