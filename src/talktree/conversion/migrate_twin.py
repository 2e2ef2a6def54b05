"""A format that reads and writes what it carries under the name that migration uses."""

from __future__ import annotations

from copy import copy

from msgspec.structs import replace

from talktree.files import Source
from talktree.formats.format import Format, Record, Split
from talktree.formats.migration import BESIDE_WAS, WAS, Renewal
from talktree.formats.sidecar import kept_sheet
from talktree.model.entries import Entry, Opaque
from talktree.text.json.value import Json


def twin_of(format: Format, renewal: Renewal) -> Format:
    """The format as it is, but for where its records keep what they were before."""

    def _get(record: Record) -> Entry:
        entry = format.get(record)
        # How many bytes it has depends on how it was written, not on what it is.
        return replace(entry, size=0) if isinstance(entry, Opaque) else entry

    def _carrier(carry: Json) -> Json:
        return {WAS: carry} if renewal.carrier_lines else {"type": WAS, WAS: carry}

    def _split(source: Source) -> Split:
        return _with_kept(format.split(source), source)

    twin = copy(format)
    vars(twin).update(
        get=_get, take_carry=renewal.take, with_carry=renewal.give, carrier=_carrier, split=_split
    )
    return twin


def _with_kept(found: Split, source: Source) -> Split:
    """The files beside the conversations of a folder are read as well."""
    groups = {_folder(sheet.path): sheet.group for sheet in found.sheets}
    kept = [path for path in source.files if path.rpartition("/")[2] == BESIDE_WAS]
    sheets = [
        kept_sheet(path, source.files[path], group=groups.get(_folder(path), source.name))
        for path in kept
    ]
    foreign_files = [path for path in found.foreign_files if path not in kept]
    return Split([*found.sheets, *sheets], foreign_files)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
