"""How rules say what their fixes change.

What a fix changes: a record's value, a record as a whole, bytes, or a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from talktree.formats.record_file import Sheet
from talktree.formats.rule import Diagnostic, RepairFunction
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.model.entries import Entry
from talktree.text.json.value import Json


class ReplaceValue(NamedTuple):
    """Another native value for a record; several such changes are made one after the other."""

    talk: CheckedConversation
    position: int
    make: Callable[[RuleRecord], Json]
    """From the record as it is by then to its new value."""
    invented: str = ""
    """What of the new value is made up, and from what."""


class DropRecord(NamedTuple):
    """A record taken out of its file; its bytes go to quarantine."""

    talk: CheckedConversation
    position: int


class InsertRecord(NamedTuple):
    """A new record behind another."""

    talk: CheckedConversation
    after: int
    value: Json


class BytePatch(NamedTuple):
    """Bytes of a file replaced."""

    path: str
    start: int
    stop: int
    new: bytes = b""


class RemakeFile(NamedTuple):
    """A file made anew; what it held goes to quarantine."""

    path: str
    data: bytes
    stored: bool = False
    """Whether these are the bytes of the file, rather than the text in it."""


Change = ReplaceValue | DropRecord | InsertRecord | BytePatch | RemakeFile


def repair_value(make: Callable[[RuleRecord, Diagnostic], Json]) -> RepairFunction:
    """The record gets another native value."""

    def _repair(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
        yield ReplaceValue(talk, diagnostic.position, lambda seen: make(seen, diagnostic))

    return _repair


def to_entry(make: Callable[[RuleRecord, Diagnostic], Entry]) -> RepairFunction:
    """The record gets another entry, written into it by the format's own lens."""
    return repair_value(lambda seen, diagnostic: seen.replace_entry(make(seen, diagnostic)))


def drop_record(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
    """The record is taken out."""
    yield DropRecord(talk, diagnostic.position)


def repair_bytes(*keys: str) -> RepairFunction:
    """The file's bytes are made sound in its own way, for oddities known by these keys."""

    def _repair(sheet: Sheet | None, diagnostic: Diagnostic) -> Iterator[Change]:
        if sheet is not None:
            for repair in sheet.find_repairs(keys):
                start, stop, new = repair.splice
                yield BytePatch(sheet.path, start, stop, new)

    return _repair
