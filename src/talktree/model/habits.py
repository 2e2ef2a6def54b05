"""How the program that writes a format records conversations."""

from __future__ import annotations

from typing import NamedTuple


class WriterHabits(NamedTuple):
    """What may be inferred from the way a format's files are written."""

    sequential: bool = False
    """Whether messages are appended as they are said, so that one without a parent may follow the
    one before it."""
    replays: bool = False
    """Whether the program writes messages again: exact copies, and siblings of the same moment."""
    latest: bool = False
    """Whether the conversation stands where it was written last, not at its longest thread."""
    walk: bool = False
    """Whether the program walks back from a leaf by the links that are written (`Listing`)."""


ANY = WriterHabits()
