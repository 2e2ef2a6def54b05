"""Structs as JSON objects: each field has a codec, and fields with their default are left out.

Reading ignores what does not fit: a field of the wrong type is treated as absent, and stays in the
record. Nothing here recurses over contents; JSON values are passed through.

JSON cannot represent two adjacent surrogates that are not one character: escaped one after the
other, they would be read as the whole character. A line with such text gets a member `joint`: a
word that occurs nowhere else in the line, inserted between the surrogates by the writer and removed
from every string by the reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from talktree.formats.lens import Object
from talktree.text.json.encode import encode_json, encode_long, is_plain
from talktree.text.json.value import Json
from talktree.text.times import EARLIEST, LATEST, from_iso, to_iso


class FieldMismatch(Exception):
    """A value that is not of the type that the field needs."""


class Codec(NamedTuple):
    """How a field is written and read; reading raises `FieldMismatch`."""

    write: Callable[[Any], Json]
    read: Callable[[Json], object]


class FieldCodecs:
    """A struct's fields in order, each with its codec, by the names used in lines."""

    def __init__(self, struct: type[Struct], **codecs: Codec) -> None:
        self.struct = struct
        found = msgspec.structs.fields(struct)
        names = {field.encode_name: field for field in found}
        assert set(names) == set(codecs), f"{struct.__name__} has other fields"
        self._rows = [
            (name, _default_value(field), codecs[name].write) for name, field in names.items()
        ]
        self._readers = {name: codecs[name].read for name in names}
        self._fields = {name: field.name for name, field in names.items()}
        self._plain = {name: PLAIN.get(codec.read) for name, codec in codecs.items()}
        # A list of parts is always read; what is odd about a part is reported for the part.
        self._plain |= {name: list for name in codecs if name == "parts"}
        self._required = {field.name for field in found if field.required}

    def write(self, value: Struct) -> Object:
        """Return the fields that differ from their default."""
        out: Object = {}
        for (name, default, write), item in zip(self._rows, astuple(value), strict=True):
            if item is not default and item != default:
                out[name] = write(item)
        return out

    def is_required(self, name: str) -> bool:
        """Whether the struct cannot be made without this field."""
        return name in self._required

    def find_misfits(self, value: Object) -> list[str]:
        """Return the names of existing fields that cannot be read."""
        found, plain, readers = [], self._plain, self._readers
        for name, item in value.items():
            if type(item) is plain.get(name) or item is None or name not in readers:
                continue
            try:
                readers[name](item)
            except FieldMismatch:
                found.append(name)
        return found

    def read(self, value: Json, given: Mapping[str, object] = {}) -> Any:  # noqa: ANN401
        """Return the struct that an object describes; fields given by name override its own."""
        if not isinstance(value, dict):
            raise FieldMismatch
        found: dict[str, object] = {}
        for name, item in value.items():
            read = self._readers.get(name)
            if read is not None and item is not None:
                try:
                    found[self._fields[name]] = read(item)
                except FieldMismatch:
                    continue
        found.update(given)
        if not self._required <= found.keys():
            raise FieldMismatch
        return self.struct(**found)


def _default_value(field: msgspec.structs.FieldInfo) -> object:
    if field.required:
        return FieldMismatch
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default


def _return_unchanged(value: Any) -> Json:  # noqa: ANN401
    kept: Json = value
    return kept


def _check_text(value: Json) -> object:
    if isinstance(value, str):
        return value
    raise FieldMismatch


def _check_flag(value: Json) -> object:
    if isinstance(value, bool):
        return value
    raise FieldMismatch


def _check_number(value: Json) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise FieldMismatch


def _check_object(value: Json) -> object:
    if isinstance(value, dict):
        return value
    raise FieldMismatch


def _check_list(value: Json) -> list[Json]:
    if isinstance(value, list):
        return value
    raise FieldMismatch


def _write_time(time: int) -> Json:
    """Return ISO text; a time outside the calendar is a whole number of nanoseconds."""
    return to_iso(time) if EARLIEST <= time <= LATEST else time


def _read_time(value: Json) -> object:
    if isinstance(value, str):
        time = from_iso(value)
        if time is None:
            raise FieldMismatch
        return time
    return _check_number(value)


def _read_texts(value: Json) -> tuple[object, ...]:
    return tuple(map(_check_text, _check_list(value)))


PLAIN: dict[object, type] = {
    _check_text: str,
    _check_flag: bool,
    _check_number: int,
    _check_object: dict,
}
"""Readers that only check a type."""
JSON = Codec(_return_unchanged, _return_unchanged)
TEXT = Codec(_return_unchanged, _check_text)
FLAG = Codec(_return_unchanged, _check_flag)
NUMBER = Codec(_return_unchanged, _check_number)
TIME = Codec(_write_time, _read_time)
OBJECT = Codec(dict, _check_object)
TEXTS = Codec(list, _read_texts)
WORDS = Codec(sorted, lambda value: frozenset(_read_texts(value)))
"""A set of words, written in sorted order."""


def struct_codec(shape: FieldCodecs) -> Codec:
    """Return a codec for a struct inside a struct."""
    return Codec(shape.write, shape.read)


def list_codec(codec: Codec) -> Codec:
    """Return a codec for a list of structs."""
    write, read = codec
    return Codec(
        lambda items: [write(item) for item in items],
        lambda value: tuple(read(item) for item in _check_list(value)),
    )


def mapping_codec(codec: Codec) -> Codec:
    """Return a codec for structs by name."""
    write, read = codec

    def _read_all(value: Json) -> object:
        if not isinstance(value, dict):
            raise FieldMismatch
        return {name: read(item) for name, item in value.items()}

    return Codec(lambda items: {name: write(item) for name, item in items.items()}, _read_all)


JOINT = "joint"
_HALVES = re.compile("[\ud800-\udbff](?=[\udc00-\udfff])")
_ESCAPED = re.compile(rb"\\ud[89ab]..\\ud[cdef]..")


def encode_line(line: Object) -> bytes:
    """Return the JSON text of a line, for any strings."""
    raw = encode_long(line) or encode_json(line)
    if b"\\ud" in raw and _ESCAPED.search(raw):
        return encode_json(_add_joint(line, raw.decode()))
    return raw


def escape_surrogates(line: Object) -> Object:
    """Return a line that reads back unchanged after it was written."""
    if is_plain(line):
        return line
    raw = encode_json(line)
    return _add_joint(line, raw.decode()) if _ESCAPED.search(raw) else line


def _add_joint(line: Object, text: str) -> Object:
    joint = next(word for number in count() if (word := f"~{number}") not in text)
    parted = _map_strings(
        line, lambda string: _HALVES.sub(lambda half: half.group() + joint, string)
    )
    return {**parted, JOINT: joint}


def unescape_surrogates(line: Object) -> Object:
    """Return a line with the joints removed from its strings."""
    joint = line.get(JOINT)
    if not isinstance(joint, str) or not joint:
        return line
    rest = {name: item for name, item in line.items() if name != JOINT}
    return _map_strings(rest, lambda string: string.replace(joint, ""))


def _map_strings(line: Object, change: Callable[[str], str]) -> Object:
    """Return a copy with every string and every name changed."""
    out: list[Any] = [None]
    todo: list[tuple[Json, Any, int | str]] = [(line, out, 0)]
    while todo:
        value, holder, place = todo.pop()
        match value:
            case str():
                holder[place] = change(value)
            case dict():
                fresh = holder[place] = dict.fromkeys(map(change, value))
                todo += [(item, fresh, change(name)) for name, item in value.items()]
            case list():
                row = holder[place] = [None] * len(value)
                todo += [(item, row, at) for at, item in enumerate(value)]
            case _:
                holder[place] = value
    changed: Object = out[0]
    return changed
