"""One text file of comments: cut, joined again, and checked before it is let go.

What is written is always read again first: a text in which anything would be read differently from
what was meant (content that looks like a boundary line, a header that cannot hold its value) is
never written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from talktree.errors import Damaged, WouldLose
from talktree.files import Content
from talktree.formats.format import Format, Links
from talktree.formats.lens import Object
from talktree.formats.nested_file import Piece, PieceSheet
from talktree.formats.record_file import Item, Mending
from talktree.formats.studio_text import parse_own, write_own
from talktree.formats.studio_text.lens import RESERVED
from talktree.formats.studio_text.parse import Cut, TextPiece
from talktree.formats.studio_text.parse_export import Cutter
from talktree.formats.studio_text.parse_flat import FlatCutter, first_head
from talktree.formats.studio_text.repair import Mender
from talktree.formats.studio_text.write_export import Exporter
from talktree.model.findings import finding
from talktree.text.json.scanner import Problem
from talktree.text.json.value import Json, same
from talktree.text.utf8 import BOM

DOUBTFUL = frozenset({"torn", "syntax", "header", "separator"})
"""Oddities that can be mended in some places and not in others."""


def cut(text: bytes) -> Cut:
    """Take a text apart, in whichever dialect it is."""
    if not text.startswith(BOM):
        return _cut(text)
    found = _cut(text[len(BOM) :])
    found.frame = (BOM + found.frame[0], found.frame[1])
    bom = Problem("bom", 0, "the file starts with a byte order mark")
    found.problems = [bom, *(each._replace(at=each.at + len(BOM)) for each in found.problems)]
    found.tears = [
        each._replace(at=each.at + len(BOM), stop=each.stop + len(BOM)) for each in found.tears
    ]
    return found


def _cut(text: bytes) -> Cut:
    if not text.strip():
        return Cut("own", [], (text, b""), [Problem("empty", 0, "the file is empty")])
    head = first_head(text)
    found = Cutter(text).run() if head is None else FlatCutter(text, head).run()
    if found.dialect == "none":
        whole = TextPiece(None, text, usable=False)
        return Cut("none", [whole], problems=[Problem("header", 0, "no comments in this text")])
    return found


class TextSheet(PieceSheet):
    """A text file of comments."""

    links: Links = "nested"
    pieces: Sequence[TextPiece]

    def __init__(self, path: str, content: Content, format: Format, *, group: str) -> None:
        self.text = text = content.read()
        self.cut = found = cut(text)
        super().__init__(path, content, format, found.pieces, group=group, frame=found.frame)
        self._number_lines()
        self._tell([*found.problems, *_byte_problems(text, mail=path.endswith(".eml"))])
        self.exporter = Exporter(found.dialect, found.root, found.newline, _url_header(text, found))

    def _number_lines(self) -> None:
        # Pieces stand in the text in their order, each behind the start of the one before.
        line = 1 + self.frame[0].count(b"\n")
        above: list[TextPiece] = []
        for piece in self.pieces:
            while len(above) > piece.depth:
                line += _behind_hole(above.pop())
            line += piece.gap.count(b"\n")
            piece.line = line
            line += piece.raw[: piece.hole].count(b"\n")
            above.append(piece)

    def _tell(self, problems: Sequence[Problem]) -> None:
        line, at = 1, 0
        if self.text.strip() and not self.text.strip(b"\0 \t\r\n"):
            problems = [Problem("nul-file", 0, f"nothing but {self.text.count(0)} NUL bytes")]
        self.problems = sorted(problems, key=lambda problem: problem.at)
        mender = Mender(self.text, self.cut, cut)
        for each in self.problems:
            line += self.text.count(b"\n", at, each.at)
            at = each.at
            fixable = each.code not in DOUBTFUL or bool(mender.mending(each))
            told = finding(each.code, each.what, path=self.path, line=line, fixable=fixable)
            self.findings.append(told)

    def mended(self, keys: Collection[str]) -> Iterator[Mending]:
        return Mender(self.text, self.cut, cut).mended(self.problems, keys)

    # writing

    def rewritten(self, items: Sequence[Item]) -> Iterator[bytes]:
        if items and self.cut.dialect == "own" and not self.cut.root:
            self.cut.root = write_own.boundary_for(item.value for item in items)
            self.frame = write_own.frame(self.cut.root)
        items = self._with_parents(items)
        made = b"".join(super().rewritten(items))
        if made != self.text:
            self._check(items, made)
        yield made

    def _with_parents(self, items: Sequence[Item]) -> list[Item]:
        """Comments name the one they answer where, and only where, the dialect does so."""
        dialect = self.cut.dialect
        if dialect == "own":
            return list(items)
        above: list[Json] = []
        out: list[Item] = []
        for item in items:
            del above[item.depth :]
            value = item.value if item.changed else self._value(item)
            container = above[-1] if above else None
            if item.changed and isinstance(value, dict):
                value = self._named(value, item, container)
                item = item._replace(value=value)
            above.append(value.get("id") if isinstance(value, dict) else None)
            out.append(item)
        return out

    def _named(self, value: Object, item: Item, container: Json) -> Object:
        if self.cut.dialect != "app":
            if item.at is None and container is not None and value.get("parentId") is None:
                return {**value, "parentId": container}
            return value
        before = self._value(item)
        had = isinstance(before, dict) and "parentId" in before
        if not had and value.get("parentId") in (container, None):
            return {key: each for key, each in value.items() if key != "parentId"}
        return value

    def _value(self, item: Item) -> Json:
        return None if item.at is None else self.pieces[item.at].value

    def _check(self, items: Sequence[Item], made: bytes) -> None:
        """Refuse to write what would be read as something else."""
        again = cut(made).pieces
        for number, item in enumerate(items):
            wanted = item.value if item.changed else self._value(item)
            seen = again[number] if number < len(again) else None
            if seen is None or not self._reads_as(item, wanted, seen):
                raise self._refusal(wanted)
        if len(again) != len(items):
            raise self._refusal(None)

    def _reads_as(self, item: Item, wanted: Json, seen: TextPiece) -> bool:
        if item.at is not None and not self.pieces[item.at].usable:
            return not seen.usable and seen.raw == self.pieces[item.at].raw
        if seen.depth != item.depth or not seen.usable:
            return False
        if self.cut.dialect == "own":
            return parse_own.same_members(wanted, seen.value)
        return same(_bare(wanted), _bare(seen.value))

    def _refusal(self, value: Json) -> WouldLose:
        name = value.get("id") if isinstance(value, dict) else None
        return WouldLose(
            f"{self.path}: {name or 'a comment'} would not read back from this dialect of the text",
            hint="nothing was written; convert it to studio or to Talktree's own studio-text",
        )

    def _piece(self, item: Item) -> TextPiece:
        piece = super()._piece(item)
        assert isinstance(piece, TextPiece)
        if self.cut.dialect != "own" or piece.depth == item.depth or piece.places is None:
            return piece
        return write_own.piece(piece, piece.value, item.depth, self.cut)

    def fresh(self, value: Json, depth: int) -> TextPiece:
        match self.cut.dialect:
            case "own":
                return write_own.piece(None, value, depth, self.cut)
            case "none":
                raise Damaged(
                    f"{self.path}: there is no conversation in it to add to",
                    hint="write to a new file",
                )
            case _:
                return self.exporter.fresh(value, depth)

    def patched(self, old: Piece, value: Json, depth: int) -> TextPiece:
        assert isinstance(old, TextPiece)
        if self.cut.dialect == "own":
            return write_own.piece(old, value, depth, self.cut)
        return self.exporter.patched(old, value, depth)

    def _gap(self, item: Item, piece: Piece, container: Piece | None, *, first: bool) -> bytes:
        if item.at is not None and self._stays(self.pieces[item.at], container, first=first):
            return self.pieces[item.at].gap
        return self.joint(container, depth=item.depth, first=first)

    def _stays(self, old: TextPiece, container: Piece | None, *, first: bool) -> bool:
        """Whether what stood before a piece is still right where it is now."""
        if self.cut.dialect == "own":
            return True
        if container is not None:
            return old.within == _inner(container)
        return old.depth == 0 and old.first == first

    def joint(self, container: Piece | None, *, depth: int, first: bool) -> bytes:
        newline = self.cut.newline
        name = _inner(container) if container else self.cut.root
        if not name:
            return b"" if first and depth == 0 else newline
        starts = first and depth == 0 and not self.frame[0].removeprefix(BOM)
        return (b"" if starts else newline) + b"--" + name + newline

    def end_of_list(self, depth: int) -> bytes:
        return b""


def _inner(piece: Piece) -> bytes:
    return piece.boundary if isinstance(piece, TextPiece) else b""


def _behind_hole(piece: TextPiece) -> int:
    return 0 if piece.hole is None else piece.raw[piece.hole :].count(b"\n")


def _bare(value: Json) -> Json:
    """A comment without what these dialects cannot tell from nothing, in the order of names."""
    if not isinstance(value, dict):
        return value
    assumed: Object = {"attachments": [], "children": []}
    given = {key: item for key, item in value.items() if item is not None or key not in RESERVED}
    return dict(sorted({**assumed, **given}.items()))


def _url_header(text: bytes, found: Cut) -> str | None:
    """Where the attachments of a file have their URL; the older exports know two headers."""
    if found.dialect != "older":
        return None
    return "Content-Data" if b"\nContent-Data:" in text else "Content-Location"


def _byte_problems(text: bytes, *, mail: bool) -> Iterator[Problem]:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        yield Problem("utf8", error.start, "bytes that are not UTF-8")
    nul = text.find(b"\0")
    if nul >= 0:
        yield Problem("nul", nul, "NUL bytes")
    # The first line is never anybody's words, which may well end with a carriage return.
    first = text.find(b"\n")
    if not mail and first > 0 and text[first - 1 : first] == b"\r":
        yield Problem("crlf", 0, "lines end with CR LF")
