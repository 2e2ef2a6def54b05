"""Text JSON cannot say: two halves of a surrogate pair side by side that are not one character.

Escaped one after the other they would be read as the whole character. A line that has such text
gets a member `joint`: a word that occurs nowhere else in the line, put between the halves by the
writer and taken out of every string by the reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from typing import Any

from talktree.formats.lens import Object
from talktree.text.json.value import Json
from talktree.text.json_write import encode, encode_long, is_plain

JOINT = "joint"
_HALVES = re.compile("[\ud800-\udbff](?=[\udc00-\udfff])")
_ESCAPED = re.compile(rb"\\ud[89ab]..\\ud[cdef]..")


def encode_line(line: Object) -> bytes:
    """The JSON text of a line, whatever its strings hold."""
    raw = encode_long(line) or encode(line)
    if b"\\ud" in raw and _ESCAPED.search(raw):
        return encode(_jointed(line, raw.decode()))
    return raw


def sayable(line: Object) -> Object:
    """A line that reads back as it is once it was written."""
    if is_plain(line):
        return line
    raw = encode(line)
    return _jointed(line, raw.decode()) if _ESCAPED.search(raw) else line


def _jointed(line: Object, text: str) -> Object:
    joint = next(word for number in count() if (word := f"~{number}") not in text)
    parted = _mapped(line, lambda string: _HALVES.sub(lambda half: half.group() + joint, string))
    return {**parted, JOINT: joint}


def understood(line: Object) -> Object:
    """A line with the joints taken out of its strings."""
    joint = line.get(JOINT)
    if not isinstance(joint, str) or not joint:
        return line
    rest = {name: item for name, item in line.items() if name != JOINT}
    return _mapped(rest, lambda string: string.replace(joint, ""))


def _mapped(line: Object, change: Callable[[str], str]) -> Object:
    """A copy with every string and every name changed."""
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
