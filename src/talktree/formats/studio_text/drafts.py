"""Pieces of an exported text in the making, and the multiparts that are open around them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from talktree.formats.studio_text.pieces import Places, TextPiece
from talktree.text.json.value import Json


class Draft(Struct):
    """A piece in the making."""

    start: int
    gap: bytes
    depth: int
    container: Draft | None
    first: bool
    within: bytes
    boundary: bytes
    reply: str | None = None
    value: dict[str, Json] | None = None
    places: Places | None = None
    attachments: list[int] = []
    """Where each attachment that is a part starts."""
    hole: int | None = None
    """Where the first reply starts."""
    resume: int = 0
    """Where the last reply ended."""
    end: int = 0

    @property
    def wrapped(self) -> bool:
        """Whether it is a multipart of its own."""
        return self.within != self.boundary

    @property
    def awaits_comment(self) -> bool:
        """Whether the next comment is what it wraps."""
        return self.value is None and self.hole is None


class Level(Struct):
    """An open multipart."""

    name: bytes
    kind: Literal["list", "wrap", "undecided"]
    start: int
    reach: int
    """The last line that belongs to it or to one around it."""
    owner: Draft | None = None
    """The comment that further parts belong to."""


def piece_of(text: bytes, draft: Draft) -> TextPiece:
    """The finished piece."""
    hole = draft.end if draft.hole is None else draft.hole
    return TextPiece(
        draft.value,
        text[draft.start : hole] + text[draft.resume : draft.end],
        hole=hole - draft.start,
        gap=draft.gap,
        depth=draft.depth,
        first=draft.first,
        usable=draft.value is not None,
        boundary=draft.boundary,
        within=draft.within,
        places=_moved(draft, hole),
    )


def _moved(draft: Draft, hole: int) -> Places | None:
    """Places counted from the start of the piece."""
    found, start = draft.places, draft.start
    if found is None:
        return None
    extras = tuple(place - start for place in (*found.extras, *draft.attachments))
    return Places(found.head - start, found.body - start, found.stop - start, extras, hole - start)
