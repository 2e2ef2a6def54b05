"""The changes that fixes make: to a record's value, a record as a whole, bytes, or a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from talktree.formats.record_file import Sheet
from talktree.formats.rule import Diagnostic, RepairFunction
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.model.entries import Entry
from talktree.text.json.value import Json


class ReplaceValue(NamedTuple):
    """A new native value for a record; several such changes are applied one after the other."""

    talk: CheckedConversation
    position: int
    make: Callable[[RuleRecord], Json]
    """From the record at that point to its new value."""
    invented: str = ""
    """What part of the new value is invented, and from what."""


class DropRecord(NamedTuple):
    """A record that is removed from its file; its bytes go to quarantine."""

    talk: CheckedConversation
    position: int


class InsertRecord(NamedTuple):
    """A new record after another."""

    talk: CheckedConversation
    after: int
    value: Json


class BytePatch(NamedTuple):
    """Bytes of a file that are replaced."""

    path: str
    start: int
    stop: int
    new: bytes = b""


class RemakeFile(NamedTuple):
    """A rebuilt file; its old content goes to quarantine."""

    path: str
    data: bytes
    stored: bool = False
    """Whether these are the stored bytes of the file, rather than its text."""


Change = ReplaceValue | DropRecord | InsertRecord | BytePatch | RemakeFile


def repair_value(make: Callable[[RuleRecord, Diagnostic], Json]) -> RepairFunction:
    """Return a fix that gives the record another native value."""

    def _repair(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
        yield ReplaceValue(talk, diagnostic.position, lambda seen: make(seen, diagnostic))

    return _repair


def to_entry(make: Callable[[RuleRecord, Diagnostic], Entry]) -> RepairFunction:
    """Return a fix that gives the record another entry, written by the format's lens."""
    return repair_value(lambda seen, diagnostic: seen.replace_entry(make(seen, diagnostic)))


def drop_record(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
    """Yield the removal of a record."""
    yield DropRecord(talk, diagnostic.position)


def repair_bytes(*keys: str) -> RepairFunction:
    """Return a fix of the file's bytes by its own repairs, for oddities with these keys."""

    def _repair(sheet: Sheet | None, diagnostic: Diagnostic) -> Iterator[Change]:
        if sheet is not None:
            for repair in sheet.find_repairs(keys):
                start, stop, new = repair.splice
                yield BytePatch(sheet.path, start, stop, new)

    return _repair
