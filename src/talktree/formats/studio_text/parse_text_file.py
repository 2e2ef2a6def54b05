"""A text file of comments: split, joined again, and verified before it is written.

Output is always read again first: a text in which anything would be read differently (content that
looks like a boundary line, a header that cannot hold its value) is never written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from talktree.errors import DamagedRecord, WouldLose
from talktree.files import Content
from talktree.formats.format import Format, Links
from talktree.formats.lens import Object
from talktree.formats.nested_file import FilePiece, PieceSheet
from talktree.formats.record_file import ByteRepair, Item
from talktree.formats.studio_text import parse_own, write_own
from talktree.formats.studio_text.lens import RESERVED
from talktree.formats.studio_text.parse import TextLayout, TextPiece
from talktree.formats.studio_text.parse_export import ExportedTextParser
from talktree.formats.studio_text.parse_flat import FlatTextParser, find_first_head
from talktree.formats.studio_text.repair import TextRepairs
from talktree.formats.studio_text.write_export import Exporter
from talktree.model.findings import make_finding
from talktree.text.json.scanner import Problem
from talktree.text.json.value import Json, is_same
from talktree.text.utf8 import BOM

DOUBTFUL = frozenset({"torn", "syntax", "header", "separator"})
"""Oddities that can be repaired in some places and not in others."""


def cut_text(text: bytes) -> TextLayout:
    """Split a text, in any dialect."""
    if not text.startswith(BOM):
        return _cut_by_dialect(text)
    found = _cut_by_dialect(text[len(BOM) :])
    found.frame = (BOM + found.frame[0], found.frame[1])
    bom = Problem("bom", 0, "the file starts with a byte order mark")
    found.problems = [bom, *(each._replace(at=each.at + len(BOM)) for each in found.problems)]
    found.tears = [
        each._replace(at=each.at + len(BOM), stop=each.stop + len(BOM)) for each in found.tears
    ]
    return found


def _cut_by_dialect(text: bytes) -> TextLayout:
    if not text.strip():
        return TextLayout("own", [], (text, b""), [Problem("empty", 0, "the file is empty")])
    head = find_first_head(text)
    found = ExportedTextParser(text).run() if head is None else FlatTextParser(text, head).run()
    if found.dialect == "none":
        whole = TextPiece(None, text, usable=False)
        return TextLayout(
            "none", [whole], problems=[Problem("header", 0, "no comments in this text")]
        )
    return found


class TextSheet(PieceSheet):
    """A text file of comments."""

    links: Links = "nested"
    pieces: Sequence[TextPiece]

    def __init__(self, path: str, content: Content, format: Format, *, group: str) -> None:
        self.text = text = content.read()
        self.cut = found = cut_text(text)
        super().__init__(path, content, format, found.pieces, group=group, frame=found.frame)
        self._number_lines()
        self._report_problems(
            [*found.problems, *_find_byte_problems(text, mail=path.endswith(".eml"))]
        )
        self.exporter = Exporter(
            found.dialect, found.root, found.newline, _find_url_header(text, found)
        )

    def _number_lines(self) -> None:
        # Pieces are in the text in their order, each after the start of the one before.
        line = 1 + self.frame[0].count(b"\n")
        above: list[TextPiece] = []
        for piece in self.pieces:
            while len(above) > piece.depth:
                line += _count_lines_after_slot(above.pop())
            line += piece.gap.count(b"\n")
            piece.line = line
            line += piece.raw[: piece.hole].count(b"\n")
            above.append(piece)

    def _report_problems(self, problems: Sequence[Problem]) -> None:
        line, at = 1, 0
        if self.text.strip() and not self.text.strip(b"\0 \t\r\n"):
            problems = [Problem("nul-file", 0, f"nothing but {self.text.count(0)} NUL bytes")]
        self.problems = sorted(problems, key=lambda problem: problem.at)
        repairer = TextRepairs(self.text, self.cut, cut_text)
        for each in self.problems:
            line += self.text.count(b"\n", at, each.at)
            at = each.at
            fixable = each.code not in DOUBTFUL or bool(repairer.find_splices(each))
            diagnostic = make_finding(
                each.code, each.what, path=self.path, line=line, fixable=fixable
            )
            self.findings.append(diagnostic)

    def find_repairs(self, keys: Collection[str]) -> Iterator[ByteRepair]:
        return TextRepairs(self.text, self.cut, cut_text).find_repairs(self.problems, keys)

    # writing

    def rewrite(self, items: Sequence[Item]) -> Iterator[bytes]:
        if items and self.cut.dialect == "own" and not self.cut.root:
            self.cut.root = write_own.make_boundary(item.value for item in items)
            self.frame = write_own.make_frame(self.cut.root)
        items = self._with_parents(items)
        made = b"".join(super().rewrite(items))
        if made != self.text:
            self._check_written(items, made)
        yield made

    def _with_parents(self, items: Sequence[Item]) -> list[Item]:
        """Return comments that name the one they answer exactly if the dialect does so."""
        dialect = self.cut.dialect
        if dialect == "own":
            return list(items)
        above: list[Json] = []
        out: list[Item] = []
        for item in items:
            del above[item.depth :]
            value = item.value if item.changed else self._old_value(item)
            container = above[-1] if above else None
            if item.changed and isinstance(value, dict):
                value = self._with_parent_id(value, item, container)
                item = item._replace(value=value)
            above.append(value.get("id") if isinstance(value, dict) else None)
            out.append(item)
        return out

    def _with_parent_id(self, value: Object, item: Item, container: Json) -> Object:
        if self.cut.dialect != "app":
            if item.at is None and container is not None and value.get("parentId") is None:
                return {**value, "parentId": container}
            return value
        before = self._old_value(item)
        had = isinstance(before, dict) and "parentId" in before
        if not had and value.get("parentId") in (container, None):
            return {key: each for key, each in value.items() if key != "parentId"}
        return value

    def _old_value(self, item: Item) -> Json:
        return None if item.at is None else self.pieces[item.at].value

    def _check_written(self, items: Sequence[Item], made: bytes) -> None:
        """Raise if the text would be read as something else."""
        again = cut_text(made).pieces
        for number, item in enumerate(items):
            wanted = item.value if item.changed else self._old_value(item)
            seen = again[number] if number < len(again) else None
            if seen is None or not self._is_read_as(item, wanted, seen):
                raise self._make_refusal(wanted)
        if len(again) != len(items):
            raise self._make_refusal(None)

    def _is_read_as(self, item: Item, wanted: Json, seen: TextPiece) -> bool:
        if item.at is not None and not self.pieces[item.at].usable:
            return not seen.usable and seen.raw == self.pieces[item.at].raw
        if seen.depth != item.depth or not seen.usable:
            return False
        if self.cut.dialect == "own":
            return parse_own.has_same_members(wanted, seen.value)
        return is_same(_normalize_comment(wanted), _normalize_comment(seen.value))

    def _make_refusal(self, value: Json) -> WouldLose:
        name = value.get("id") if isinstance(value, dict) else None
        return WouldLose(
            f"{self.path}: {name or 'a comment'} would not read back from this dialect of the text",
            hint="nothing was written; convert it to studio or to Talktree's own studio-text",
        )

    def _piece_for_item(self, item: Item) -> TextPiece:
        piece = super()._piece_for_item(item)
        assert isinstance(piece, TextPiece)
        if self.cut.dialect != "own" or piece.depth == item.depth or piece.places is None:
            return piece
        return write_own.make_piece(piece, piece.value, item.depth, self.cut)

    def make_piece(self, value: Json, depth: int) -> TextPiece:
        match self.cut.dialect:
            case "own":
                return write_own.make_piece(None, value, depth, self.cut)
            case "none":
                raise DamagedRecord(
                    f"{self.path}: there is no conversation in it to add to",
                    hint="write to a new file",
                )
            case _:
                return self.exporter.make_piece(value, depth)

    def apply_patch(self, old: FilePiece, value: Json, depth: int) -> TextPiece:
        assert isinstance(old, TextPiece)
        if self.cut.dialect == "own":
            return write_own.make_piece(old, value, depth, self.cut)
        return self.exporter.patch_piece(old, value, depth)

    def _gap_before(
        self, item: Item, piece: FilePiece, container: FilePiece | None, *, first: bool
    ) -> bytes:
        if item.at is not None and self._is_unmoved(self.pieces[item.at], container, first=first):
            return self.pieces[item.at].gap
        return self.make_separator(container, depth=item.depth, first=first)

    def _is_unmoved(self, old: TextPiece, container: FilePiece | None, *, first: bool) -> bool:
        """Whether the bytes before a piece are still right in its current place."""
        if self.cut.dialect == "own":
            return True
        if container is not None:
            return old.within == _inner_boundary(container)
        return old.depth == 0 and old.first == first

    def make_separator(self, container: FilePiece | None, *, depth: int, first: bool) -> bytes:
        newline = self.cut.newline
        name = _inner_boundary(container) if container else self.cut.root
        if not name:
            return b"" if first and depth == 0 else newline
        starts = first and depth == 0 and not self.frame[0].removeprefix(BOM)
        return (b"" if starts else newline) + b"--" + name + newline

    def end_of_list(self, depth: int) -> bytes:
        return b""


def _inner_boundary(piece: FilePiece) -> bytes:
    return piece.boundary if isinstance(piece, TextPiece) else b""


def _count_lines_after_slot(piece: TextPiece) -> int:
    return 0 if piece.hole is None else piece.raw[piece.hole :].count(b"\n")


def _normalize_comment(value: Json) -> Json:
    """Return a comment without what these dialects treat as missing, in the order of names."""
    if not isinstance(value, dict):
        return value
    assumed: Object = {"attachments": [], "children": []}
    given = {key: item for key, item in value.items() if item is not None or key not in RESERVED}
    return dict(sorted({**assumed, **given}.items()))


def _find_url_header(text: bytes, found: TextLayout) -> str | None:
    """Return the header for attachments' URLs in a file; the older exports have two."""
    if found.dialect != "older":
        return None
    return "Content-Data" if b"\nContent-Data:" in text else "Content-Location"


def _find_byte_problems(text: bytes, *, mail: bool) -> Iterator[Problem]:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        yield Problem("utf8", error.start, "bytes that are not UTF-8")
    nul = text.find(b"\0")
    if nul >= 0:
        yield Problem("nul", nul, "NUL bytes")
    # The first line is never content, which may end with a carriage return.
    first = text.find(b"\n")
    if not mail and first > 0 and text[first - 1 : first] == b"\r":
        yield Problem("crlf", 0, "lines end with CR LF")
