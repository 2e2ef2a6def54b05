"""What a text is cut into: pieces that know their boundaries, and what was odd on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from talktree.formats.nested_file import Piece
from talktree.text.json.scanner import Problem

Dialect = Literal["own", "app", "worker", "older", "none"]


class Places(NamedTuple):
    """Where things stand in the bytes of a comment."""

    head: int
    """Its own headers."""
    body: int
    stop: int
    """The end of its content."""
    extras: tuple[int, ...] = ()
    """The starts of the attachments or details behind its content."""
    end: int = 0
    """The end of those."""


class TextPiece(Piece):
    """A comment or another part."""

    boundary: bytes = b""
    """Between the parts that are its replies."""
    within: bytes = b""
    """Between it and its siblings."""
    places: Places | None = None

    @property
    def wrapped(self) -> bool:
        """Whether it is a multipart of its own."""
        return self.within != self.boundary


NO_BLANK_LINE = "no blank line between headers and content"


class Tear(NamedTuple):
    """Where a text ends, or another one starts, before its multiparts are closed."""

    at: int
    stop: int
    names: tuple[bytes, ...]
    """Their boundaries, the innermost first."""


class Cut(Struct):
    """A text taken apart."""

    dialect: Dialect
    pieces: list[TextPiece]
    frame: tuple[bytes, bytes] = (b"", b"")
    problems: Sequence[Problem] = ()
    root: bytes = b""
    """The boundary between the comments that answer nobody."""
    newline: bytes = b"\n"
    tears: Sequence[Tear] = ()
