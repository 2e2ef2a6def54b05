"""JSON documents in which records are nested: lists of comments, histories inside an object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from talktree.errors import Damaged
from talktree.files import Content, Memory
from talktree.formats.base import Format, Links
from talktree.formats.json_pieces import exact_pieces, line_numbers, plain_pieces
from talktree.formats.piece_sheet import Piece, PieceSheet
from talktree.formats.sheets import Item
from talktree.model.findings import Finding, finding
from talktree.text.json_cut import Cuts, cut
from talktree.text.json_edit import patch
from talktree.text.json_read import inspect
from talktree.text.json_scan import DEEP, Kind, Node, Problem, Scan, scan
from talktree.text.json_style import learn
from talktree.text.json_value import Json, same
from talktree.text.json_write import encode

HoleName = Callable[[Json, int], str | None]
"""Which member of a record holds the records nested in it, by value and depth."""
BROKEN = frozenset({"torn", "syntax", "nul", "comment"})
"""Oddities after which a change could end up in another place than it was meant for."""


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
    ) -> None:
        text = content.read()
        self.style = learn(text)
        self.hole: HoleName = _always(hole) if isinstance(hole, str) else hole
        self.links = links
        self.many = many
        """Whether each record at depth 0 is a conversation of its own."""
        super().__init__(path, content, format, [], group=group)
        plain = cut(text, hole) if isinstance(hole, str) else None
        self.plain = plain is not None
        """Whether the text is plain JSON; then it was not searched for oddities yet."""
        self.sound = self.plain
        """Whether its brackets and strings are whole, so that a change stays where it is made."""
        if plain is not None:
            self._take(text, plain)
        else:
            self._cut(text, scan(text))
        self._groups = self._group_names()

    def group_of(self, index: int) -> str:
        return self._groups[index]

    def inspect(self) -> Iterator[Finding]:
        yield from self._oddities() if self.plain else ()
        yield from super().inspect()

    def _oddities(self) -> Iterator[Finding]:
        """What a plain text may still hold: names that stand twice, and deep nesting."""
        deepest = max((self.level(piece.depth) + 1 for piece in self.pieces), default=0)
        if deepest > DEEP:
            yield finding("deep", f"nested {deepest} deep", path=self.path, line=1)
        for piece in self.pieces:
            for problem in inspect(piece.raw):
                line = piece.line + piece.raw.count(b"\n", 0, problem.at)
                yield finding(problem.code, problem.what, path=self.path, line=line)

    # taking apart

    def _take(self, text: bytes, plain: Cuts) -> None:
        self.listed = plain.listed
        if plain.listed:
            self.frame = (text[: plain.start], text[plain.stop :])
        self.tail = text[plain.tail_from : plain.stop]
        self.pieces = plain_pieces(text, plain.cuts)
        self._wholes = sum(piece.depth == 0 for piece in self.pieces)

    def _cut(self, text: bytes, found: Scan) -> None:
        self.listed = len(found.roots) == 1 and found.roots[0].kind is Kind.ARRAY
        roots, start, end = found.roots, 0, len(text)
        if self.listed:
            array = found.roots[0]
            start, end = array.start + 1, array.stop - array.closed
            roots = array.children
            self.frame = (text[:start], text[end:])
        torn = not found.complete or any(each.code == "torn" for each in found.problems)
        broken = BROKEN.intersection(each.code for each in found.problems)
        self.sound = found.complete and not broken
        self.pieces = exact_pieces(text, roots, start, self._hole_node, torn=torn)
        self.tail = text[roots[-1].stop if roots else start : end]
        self._wholes = len(roots)
        self._tell(text, found)

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
        lines = line_numbers(text, [each.at for each in problems])
        self.findings = [
            finding(each.code, each.what, path=self.path, line=line)
            for each, line in zip(problems, lines, strict=True)
        ]

    # writing

    def level(self, depth: int) -> int:
        """How far the brackets of a record are indented."""
        return 2 * depth + self.listed

    def fresh(self, value: Json, depth: int) -> Piece:
        return self._with_hole(encode(value, self.style, level=self.level(depth)), depth)

    def patched(self, old: Piece, value: Json, depth: int) -> Piece:
        raw = patch(old.raw, value, style=self.style, level=self.level(depth))
        made = self._with_hole(raw, depth)
        return replace(made, tail=old.tail, empty=old.empty, closed=old.closed)

    def opened(self, piece: Piece, depth: int) -> Piece:
        name = self.hole(piece.value, depth)
        if name is None or not isinstance(piece.value, dict) or not piece.usable:
            return super().opened(piece, depth)
        if piece.value.get(name) is not None:
            # Something else stands where the list should be; it must not be overwritten.
            return super().opened(piece, depth)
        made = self.patched(piece, {**piece.value, name: []}, depth)
        return replace(made, line=piece.line)

    def _with_hole(self, raw: bytes, depth: int) -> Piece:
        found = scan(raw)
        root = found.roots[0]
        hole = self._hole_node(root, depth)
        at = None if hole is None else hole.start + 1
        return Piece(root.value, raw, at, depth=depth, problems=found.problems)

    def rewritten(self, items: Sequence[Item]) -> Iterator[bytes]:
        whole = super().rewritten(items)
        count = sum(item.depth == 0 for item in items)
        if self.links == "nested" and not self.listed and count > max(1, self._wholes):
            # One record was the whole file; several need a list around them.
            whole = chain([b"["], whole, [b"]"])
        return whole if self.sound else iter([self._checked(b"".join(whole), items)])

    def _checked(self, made: bytes, items: Sequence[Item]) -> bytes:
        """Bytes made from a broken text, refused unless they read as they are meant to."""
        again = JsonSheet(
            self.path,
            Memory(made),
            self.format,
            group=self.group,
            hole=self.hole,
            links=self.links,
        ).pieces
        if len(again) != len(items) or not all(map(self._is, items, again)):
            raise Damaged(
                f"{self.path}: its brackets or strings are broken; this change would alter more",
                hint="repair the file first",
            )
        return made

    def _is(self, item: Item, piece: Piece) -> bool:
        """Whether a piece that was read again is the item that was to be written."""
        if item.at is None:
            value = self.fresh(item.value, item.depth).value
        else:
            value = item.value if item.changed else self.pieces[item.at].value
        name = self.hole(value, item.depth)
        found = piece.value
        if name is not None and isinstance(value, dict) and isinstance(found, dict):
            # A list may have been opened for records that were put into it.
            value, found = ({**each, name: each.get(name) or []} for each in (value, found))
        return item.depth == piece.depth and same(value, found)

    def joint(self, container: Piece | None, *, depth: int, first: bool) -> bytes:
        if depth == 0 and not self.listed and self.links != "nested":
            return b"" if first else self.style.newline.encode()
        if self.style.indent is None:
            return b"" if first else self.style.item.encode()
        return (b"" if first else b",") + self._line(self.level(depth))

    def end_of_list(self, depth: int) -> bytes:
        return b"" if self.style.indent is None else self._line(self.level(depth) - 1)

    def _line(self, level: int) -> bytes:
        return (self.style.newline + (self.style.indent or "") * level).encode()


def _always(name: str) -> HoleName:
    return lambda value, depth: name
