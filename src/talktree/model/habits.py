"""How the program of a format records conversations."""

from __future__ import annotations

from typing import NamedTuple


class WriterHabits(NamedTuple):
    """What may be inferred from the way the program writes its files."""

    sequential: bool = False
    """Whether messages are appended as they are written, so that one without a parent may follow
    the one before it."""
    replays: bool = False
    """Whether the program writes messages again: exact copies, and siblings of the same moment."""
    latest: bool = False
    """Whether the active branch is the one written last, and not the longest thread."""
    walk: bool = False
    """Whether the program walks back from a leaf by the written links (`Listing`)."""


ANY = WriterHabits()
