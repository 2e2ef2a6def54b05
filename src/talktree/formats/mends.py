"""How rules say what their fixes change."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from talktree.formats.change import Change, Drop, Patch, Revalue
from talktree.formats.record_file import Sheet
from talktree.formats.rule import Diagnostic, Mend
from talktree.formats.talk import Seen, Talk
from talktree.model.entries import Entry
from talktree.text.json.value import Json


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
