"""What a fix changes: a record's value, a record as a whole, bytes, or a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from talktree.text.json.value import Json

if TYPE_CHECKING:
    from talktree.formats.talk import Seen, Talk


class Revalue(NamedTuple):
    """Another native value for a record; several such changes are made one after the other."""

    talk: Talk
    position: int
    make: Callable[[Seen], Json]
    """From the record as it is by then to its new value."""
    invented: str = ""
    """What of the new value is made up, and from what."""


class Drop(NamedTuple):
    """A record taken out of its file; its bytes go to quarantine."""

    talk: Talk
    position: int


class Insert(NamedTuple):
    """A new record behind another."""

    talk: Talk
    after: int
    value: Json


class Patch(NamedTuple):
    """Bytes of a file replaced."""

    path: str
    start: int
    stop: int
    new: bytes = b""


class Remake(NamedTuple):
    """A file made anew; what it held goes to quarantine."""

    path: str
    data: bytes
    stored: bool = False
    """Whether these are the bytes of the file, rather than the text in it."""


Change = Revalue | Drop | Insert | Patch | Remake
