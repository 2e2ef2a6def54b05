"""How rules say what their fixes change.

What a fix changes: a record's value, a record as a whole, bytes, or a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from talktree.formats.record_file import Sheet
from talktree.formats.rule import Diagnostic, Mend
from talktree.formats.rule_context import Seen, Talk
from talktree.model.entries import Entry
from talktree.text.json.value import Json


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


def to_value(make: Callable[[Seen, Diagnostic], Json]) -> Mend:
    """The record gets another native value."""

    def _mend(talk: Talk, told: Diagnostic) -> Iterator[Change]:
        yield Revalue(talk, told.position, lambda seen: make(seen, told))

    return _mend


def to_entry(make: Callable[[Seen, Diagnostic], Entry]) -> Mend:
    """The record gets another entry, written into it by the format's own lens."""
    return to_value(lambda seen, told: seen.put(make(seen, told)))


def drop_record(talk: Talk, told: Diagnostic) -> Iterator[Change]:
    """The record is taken out."""
    yield Drop(talk, told.position)


def sound_bytes(*keys: str) -> Mend:
    """The file's bytes are made sound in its own way, for oddities known by these keys."""

    def _mend(sheet: Sheet | None, told: Diagnostic) -> Iterator[Change]:
        if sheet is not None:
            for mending in sheet.mended(keys):
                start, stop, new = mending.splice
                yield Patch(sheet.path, start, stop, new)

    return _mend
