"""Native files of earlier versions, and the steps that lead to the current one.

A step takes a line of one version and gives the line the next version has, and the other way
round; steps are applied one after the other, so each knows two versions only. There has been no
earlier version yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from talktree.files import Content, Source
from talktree.formats.detect_sample import sample
from talktree.formats.format import About, Format, Record, Split
from talktree.formats.jsonl_format import HEAD
from talktree.formats.lens import Object
from talktree.formats.migration import Renewal
from talktree.formats.native.lens_fields import encode_line
from talktree.formats.native.parse import VERSION, Dialect, NativeSheet
from talktree.formats.record_file import Item, Sheet
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.outline import LineOutline
from talktree.text.json.decode import decode
from talktree.text.json.value import Json


class Step(NamedTuple):
    """Between the lines of a version and those of the next."""

    forth: Callable[[Object], Object]
    back: Callable[[Object], Object]
    """Of a line that `forth` made, what it was made from."""


STEPS: dict[int, Step] = {}
"""By version: what leads to the next."""


def version_of(content: Content) -> int | None:
    """The version a file names in its first line; None if it names none."""
    first = next(sample(content.read(0, HEAD), most=1), {})
    about = first.get("talktree")
    version = about.get("version") if isinstance(about, dict) else None
    return version if isinstance(version, int) and not isinstance(version, bool) else None


def stepped(value: Json, version: int) -> Json:
    """A line of some version as the current one has it."""
    for each in range(version, VERSION):
        if isinstance(value, dict) and each in STEPS:
            value = STEPS[each].forth(value)
    return value


def stepped_back(value: Json, version: int) -> Json:
    """A line of the current version as an earlier one has it."""
    for each in reversed(range(version, VERSION)):
        if isinstance(value, dict) and each in STEPS:
            value = STEPS[each].back(value)
    return value


class _OlderDialect(Dialect):
    """Lines of an earlier version, which no typed decoder knows."""

    def __init__(self, version: int) -> None:
        self._version = version

    def skim(self, line: bytes | memoryview) -> LineOutline:
        raise msgspec.DecodeError("lines of earlier versions need a full decode")

    def outline(self, value: Json) -> LineOutline:
        return super().outline(stepped(value, self._version))

    def is_record(self, value: Json) -> bool:
        return super().is_record(stepped(value, self._version))


def _older_reader(format: Format, versions: Mapping[str, int]) -> Format:
    """The format as it reads files of earlier versions; versions are given by path."""

    def _get(record: Record) -> Entry:
        return format.get(_as_current(record))

    def _put(entry: Entry, base: Record | None) -> Json:
        if base is None:
            return stepped_back(format.put(entry, None), min(versions.values()))
        return stepped_back(format.put(entry, _as_current(base)), versions[base.path])

    def _as_current(record: Record) -> Record:
        # A value that is not in a file is on its way into one.
        version = versions.get(record.path) if record.path else min(versions.values())
        value = stepped(record.value, VERSION if version is None else version)
        return replace(record, value=value)

    def _split(source: Source) -> Split:
        found = format.split(source)
        for sheet in found.sheets:
            if isinstance(sheet, NativeSheet) and sheet.path in versions:
                sheet.dialect = _OlderDialect(versions[sheet.path])
        return found

    reader = copy(format)
    vars(reader).update(get=_get, put=_put, split=_split)
    return reader


class NativeRenewal(Renewal):
    """What is old about a native file."""

    all_named = False
    carrier_lines = True

    def __init__(self, format: Format) -> None:
        super().__init__(format)
        self._versions: dict[str, int] = {}
        """The files of earlier versions."""

    def reader(self, source: Source) -> Format:
        found = {path: version_of(content) for path, content in source.files.items()}
        self._versions = {
            path: version
            for path, version in found.items()
            if version is not None and version < VERSION
        }
        return _older_reader(self.format, self._versions) if self._versions else self.format

    def of_sheet(self, sheet: Sheet) -> Iterator[str]:
        if not sheet.content.size:
            return
        version = version_of(sheet.content)
        if version is None:
            yield "no line names the version"
        elif version < VERSION:
            yield f"version {version}"

    def of_record(self, record: Record, entry: Entry, about: About) -> Iterator[str]:
        if record.path in self._versions:
            yield "a line of an earlier version"

    def value(self, record: Record, message: Message, about: About, *, moment: int) -> Json:
        # Only what differs is changed in the line: ids that were missing or stood twice.
        return self.format.put(message, Record(self._current(record)))

    def other(self, record: Record, entry: Entry, about: About, *, depth: int) -> Json:
        return self._current(record) if isinstance(record.value, dict) and record.usable else None

    def _current(self, record: Record) -> Json:
        return stepped(record.value, self._versions.get(record.path, VERSION))

    def compose(
        self, path: str, about: About, items: Iterator[Item], *, first: bool, sheet: Sheet | None
    ) -> Iterable[bytes]:
        if first:
            yield encode_line({"talktree": {"version": VERSION}}) + b"\n"
        told = _told(sheet, about.id) if isinstance(sheet, NativeSheet) else {}
        yield encode_line({"conversation": {**told, "id": about.id}}) + b"\n"
        for item in items:
            assert isinstance(item.value, dict)
            yield encode_line(item.value) + b"\n"


def _told(sheet: NativeSheet, name: str) -> Object:
    """What the line that begins a conversation says of it."""
    for section in sheet.sections:
        if section.group == name:
            stop = sheet.starts[section.first] if section.first < len(sheet) else None
            for line in sheet.content.read(section.start, stop).split(b"\n"):
                value = decode(line).value
                told = value.get("conversation") if isinstance(value, dict) else None
                if isinstance(told, dict):
                    return told
    return {}


RENEWAL = NativeRenewal
