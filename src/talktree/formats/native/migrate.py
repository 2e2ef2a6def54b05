"""Native files of earlier versions, and the steps that lead to the current one.

A step converts a line of one version to a line of the next, and back; steps are applied one after
the other, so each knows two versions only. There has been no earlier version yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from talktree.files import Content, Source
from talktree.formats.detect_sample import iterate_sample
from talktree.formats.format import ConversationInfo, Format, Record, SplitSource
from talktree.formats.jsonl_format import HEAD
from talktree.formats.lens import Object
from talktree.formats.migration import Renewal
from talktree.formats.native.lens_fields import encode_line
from talktree.formats.native.parse import VERSION, NativeDialect, NativeSheet
from talktree.formats.record_file import Item, Sheet
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.outline import LineOutline
from talktree.text.json.decode import decode
from talktree.text.json.value import Json


class VersionStep(NamedTuple):
    """Converts lines of one version to those of the next, and back."""

    forth: Callable[[Object], Object]
    back: Callable[[Object], Object]
    """From a line that `forth` made to its original."""


STEPS: dict[int, VersionStep] = {}
"""By version: the step to the next version."""


def read_version(content: Content) -> int | None:
    """Return the version that a file names in its first line; None if it names none."""
    first = next(iterate_sample(content.read(0, HEAD), most=1), {})
    about = first.get("talktree")
    version = about.get("version") if isinstance(about, dict) else None
    return version if isinstance(version, int) and not isinstance(version, bool) else None


def upgrade_line(value: Json, version: int) -> Json:
    """Return a line of some version in the form of the current one."""
    for each in range(version, VERSION):
        if isinstance(value, dict) and each in STEPS:
            value = STEPS[each].forth(value)
    return value


def downgrade_line(value: Json, version: int) -> Json:
    """Return a line of the current version in the form of an earlier one."""
    for each in reversed(range(version, VERSION)):
        if isinstance(value, dict) and each in STEPS:
            value = STEPS[each].back(value)
    return value


class _OlderDialect(NativeDialect):
    """Lines of an earlier version, for which there is no typed decoder."""

    def __init__(self, version: int) -> None:
        self._version = version

    def skim(self, line: bytes | memoryview) -> LineOutline:
        raise msgspec.DecodeError("lines of earlier versions need a full decode")

    def outline(self, value: Json) -> LineOutline:
        return super().outline(upgrade_line(value, self._version))

    def is_record(self, value: Json) -> bool:
        return super().is_record(upgrade_line(value, self._version))


def _make_older_reader(format: Format, versions: Mapping[str, int]) -> Format:
    """Return the format as it reads files of earlier versions; versions are given by path."""

    def _get(record: Record) -> Entry:
        return format.get(_as_current(record))

    def _put(entry: Entry, base: Record | None) -> Json:
        if base is None:
            return downgrade_line(format.put(entry, None), min(versions.values()))
        return downgrade_line(format.put(entry, _as_current(base)), versions[base.path])

    def _as_current(record: Record) -> Record:
        # A value that is not in a file is about to be written to one.
        version = versions.get(record.path) if record.path else min(versions.values())
        value = upgrade_line(record.value, VERSION if version is None else version)
        return replace(record, value=value)

    def _split(source: Source) -> SplitSource:
        found = format.split(source)
        for sheet in found.sheets:
            if isinstance(sheet, NativeSheet) and sheet.path in versions:
                sheet.dialect = _OlderDialect(versions[sheet.path])
        return found

    reader = copy(format)
    vars(reader).update(get=_get, put=_put, split=_split)
    return reader


class NativeRenewal(Renewal):
    """Detects and migrates older native files."""

    all_named = False
    carrier_lines = True

    def __init__(self, format: Format) -> None:
        super().__init__(format)
        self._versions: dict[str, int] = {}
        """The files of earlier versions."""

    def make_reader(self, source: Source) -> Format:
        found = {path: read_version(content) for path, content in source.files.items()}
        self._versions = {
            path: version
            for path, version in found.items()
            if version is not None and version < VERSION
        }
        return _make_older_reader(self.format, self._versions) if self._versions else self.format

    def describe_old_sheet(self, sheet: Sheet) -> Iterator[str]:
        if not sheet.content.size:
            return
        version = read_version(sheet.content)
        if version is None:
            yield "no line names the version"
        elif version < VERSION:
            yield f"version {version}"

    def describe_old_record(
        self, record: Record, entry: Entry, about: ConversationInfo
    ) -> Iterator[str]:
        if record.path in self._versions:
            yield "a line of an earlier version"

    def migrate_value(
        self, record: Record, message: Message, about: ConversationInfo, *, moment: int
    ) -> Json:
        # Only differences are changed in the line: missing and duplicate ids.
        return self.format.put(message, Record(self._upgrade_record(record)))

    def migrate_other(
        self, record: Record, entry: Entry, about: ConversationInfo, *, depth: int
    ) -> Json:
        return (
            self._upgrade_record(record)
            if isinstance(record.value, dict) and record.usable
            else None
        )

    def _upgrade_record(self, record: Record) -> Json:
        return upgrade_line(record.value, self._versions.get(record.path, VERSION))

    def compose(
        self,
        path: str,
        about: ConversationInfo,
        items: Iterator[Item],
        *,
        first: bool,
        sheet: Sheet | None,
    ) -> Iterable[bytes]:
        if first:
            yield encode_line({"talktree": {"version": VERSION}}) + b"\n"
        diagnostic = (
            _read_conversation_line(sheet, about.id) if isinstance(sheet, NativeSheet) else {}
        )
        yield encode_line({"conversation": {**diagnostic, "id": about.id}}) + b"\n"
        for item in items:
            assert isinstance(item.value, dict)
            yield encode_line(item.value) + b"\n"


def _read_conversation_line(sheet: NativeSheet, name: str) -> Object:
    """Return the fields of the line that begins a conversation."""
    for section in sheet.sections:
        if section.group == name:
            stop = sheet.starts[section.first] if section.first < len(sheet) else None
            for line in sheet.content.read(section.start, stop).split(b"\n"):
                value = decode(line).value
                diagnostic = value.get("conversation") if isinstance(value, dict) else None
                if isinstance(diagnostic, dict):
                    return diagnostic
    return {}


RENEWAL = NativeRenewal
