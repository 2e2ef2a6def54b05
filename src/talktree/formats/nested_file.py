"""Files that are one nested document, cut into pieces that belong to records.

Each record owns its bytes without those of the records nested in it; `hole` is the slot for them.
The bytes between records (commas, blanks, boundaries) are kept with the record that follows.
Joining the pieces in order gives exactly the file, at any depth.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from msgspec import Struct

from talktree.errors import DamagedRecord
from talktree.files import Content
from talktree.formats.format import Format, Record
from talktree.formats.positions import RecordContext
from talktree.formats.record_file import Item, Sheet, Sink, make_problem_findings
from talktree.model.findings import Finding
from talktree.model.outline import LineOutline, outline_entry, outline_line
from talktree.text.json.scanner import Problem
from talktree.text.json.value import Json


class FilePiece(Struct):
    """The bytes of one record."""

    value: Json
    raw: bytes
    """Its own bytes, without nested records."""
    hole: int | None = None
    """The offset in its bytes at which the nested records are inserted."""
    gap: bytes = b""
    """The bytes before it in its container."""
    tail: bytes = b""
    """The bytes after the last record nested in it."""
    depth: int = 0
    start: int = -1
    """Its offset in the file, if known."""
    line: int = 0
    first: bool = True
    """Whether it is the first in its container."""
    empty: bool = True
    """Whether nothing was nested in it."""
    problems: Sequence[Problem] = ()
    usable: bool = True
    closed: bool = True
    """False if its end is missing, so that nothing new can follow it."""


class PieceSheet(Sheet):
    """A file cut into pieces. Subclasses define how their pieces are written and joined."""

    def __init__(
        self,
        path: str,
        content: Content,
        format: Format,
        pieces: Sequence[FilePiece],
        *,
        group: str,
        frame: tuple[bytes, bytes] = (b"", b""),
        tail: bytes = b"",
    ) -> None:
        self.path = path
        self.content = content
        self.format = format
        self.pieces = pieces
        self.group = group
        self.frame = frame
        """The bytes before the first and after the last record of the file."""
        self.tail = tail
        """The bytes between the last record and the end of the frame."""
        self.findings: list[Finding] = []

    def __len__(self) -> int:
        return len(self.pieces)

    def group_of(self, index: int) -> str:
        """Return the conversation that a record belongs to."""
        return self.group

    # reading

    def index(self, sink: Sink) -> None:
        above: list[int] = []
        chain, nested = self.links == "chain", self.links == "nested"
        for index, piece in enumerate(self.pieces):
            fields = outline_entry(self.format.get(self.record(index)))
            del above[piece.depth :]
            container = above[-1] if above and nested else None
            above.append(sink.add(self.group_of(index), fields, container=container, chain=chain))

    def outlines(self) -> Iterator[LineOutline]:
        return (outline_line(self.format.get(self.record(index))) for index in range(len(self)))

    def record(self, index: int) -> Record:
        piece = self.pieces[index]
        return Record(
            piece.value, piece.raw, "", None, self.path, piece.line, piece.problems, piece.usable
        )

    def inspect(self) -> Iterator[Finding]:
        yield from self.findings
        for index in range(len(self.pieces)):
            yield from make_problem_findings(self.record(index))

    def get_context(self, index: int) -> RecordContext:
        piece = self.pieces[index]
        return RecordContext(piece.gap, piece.hole, piece.tail, piece.depth)

    def depth_of(self, index: int) -> int:
        return self.pieces[index].depth

    def line_of(self, index: int) -> int | None:
        return self.pieces[index].line or None

    def get_outer_bytes(self) -> tuple[bytes, bytes]:
        return self.frame[0], self.tail + self.frame[1]

    # writing

    def rewrite(self, items: Sequence[Item]) -> Iterator[bytes]:
        yield self.frame[0]
        open_pieces: list[FilePiece] = []
        filled: list[bool] = [False]
        for number, item in enumerate(items):
            while len(open_pieces) > item.depth:
                if not open_pieces[-1].closed and not _is_in_original_order(items, number):
                    raise self._damage_error(open_pieces[-1])
                yield from self._close_list(open_pieces.pop(), filled=filled.pop())
            piece = self._piece_for_item(item)
            inside = items[number + 1] if number + 1 < len(items) else item
            if inside.depth > item.depth and piece.hole is None:
                piece = self.add_children_slot(piece, item.depth)
            container = open_pieces[-1] if open_pieces else None
            if item.at is None and container is not None and not container.usable:
                raise self._damage_error(container)
            yield self._gap_before(item, piece, container, first=not filled[-1])
            filled[-1] = True
            yield piece.raw[: piece.hole]
            open_pieces.append(piece)
            filled.append(False)
        while open_pieces:
            yield from self._close_list(open_pieces.pop(), filled=filled.pop())
        first_ever = filled[0] and not self.pieces and not self.tail.strip()
        yield self.end_of_list(0) if first_ever else self.tail
        yield self.frame[1]

    def _gap_before(
        self, item: Item, piece: FilePiece, container: FilePiece | None, *, first: bool
    ) -> bytes:
        if item.at is not None and self.pieces[item.at].first == first:
            return self.pieces[item.at].gap
        return self.make_separator(container, depth=item.depth, first=first)

    def _close_list(self, piece: FilePiece, *, filled: bool) -> Iterator[bytes]:
        if piece.hole is None:
            return
        if filled:
            yield self.end_of_list(piece.depth + 1) if piece.empty else piece.tail
        elif piece.empty:
            yield piece.tail
        yield piece.raw[piece.hole :]

    def _piece_for_item(self, item: Item) -> FilePiece:
        if item.at is None:
            return self.make_piece(item.value, item.depth)
        old = self.pieces[item.at]
        if not item.changed:
            return old
        if not old.usable:
            raise self._damage_error(old)
        return self.apply_patch(old, item.value, item.depth)

    def _damage_error(self, piece: FilePiece) -> DamagedRecord:
        return DamagedRecord(
            f"{self.path}: the record at line {piece.line} is damaged and cannot be edited",
            hint="repair the file first",
        )

    def add_children_slot(self, piece: FilePiece, depth: int) -> FilePiece:
        """Return a piece that has a slot for nested records."""
        raise self._damage_error(piece)

    @abstractmethod
    def make_piece(self, value: Json, depth: int) -> FilePiece:
        """Return a piece for a new record."""

    @abstractmethod
    def apply_patch(self, old: FilePiece, value: Json, depth: int) -> FilePiece:
        """Return a piece with only those bytes changed in which the values differ."""

    @abstractmethod
    def make_separator(self, container: FilePiece | None, *, depth: int, first: bool) -> bytes:
        """Return the bytes before a record that is new in its place."""

    @abstractmethod
    def end_of_list(self, depth: int) -> bytes:
        """Return the bytes after the last record of a list that was empty before."""


def _is_in_original_order(items: Sequence[Item], number: int) -> bool:
    """Whether an item follows the same item as in the file as it was read."""
    before = items[number - 1].at
    return before is not None and items[number].at == before + 1
