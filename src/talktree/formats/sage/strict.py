"""Entries as every reader of JSON takes them, not only a lenient one.

Sage's own reader skips a line that holds half a character, a value that is no JSON (`NaN`, `...`)
or brackets nested too deep. Halves become U+FFFD, the other two become text that shows them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

from talktree.model.message import Author, Context, Message, Usage
from talktree.model.parts import Part, Text, ToolResult
from talktree.text.json.value import Json, Token
from talktree.text.json_write import encode

DEEPEST = 100
"""Sage gives up below 128 levels; the line around a value has some as well."""
Some = TypeVar("Some", bound=Struct)
_packed = msgspec.msgpack.Encoder().encode
_FLAT = frozenset({str, int, float, bool, Token, frozenset, Author, Usage, Context})
"""What holds nothing that may be nested."""


def strict(entry: Some) -> Some:
    """An entry without anything that a strict reader of JSON refuses."""
    if _is_strict(entry):
        return entry
    fields = {name: _field(getattr(entry, name)) for name in entry.__struct_fields__}
    return replace(entry, **fields)


def _is_strict(entry: Struct) -> bool:
    try:
        # It refuses what JSON refuses, but takes strings as they are.
        _packed(entry)
    except (TypeError, UnicodeEncodeError, OverflowError, RecursionError):
        return False
    if not isinstance(entry, Message):
        return _are_shallow([entry])
    nesting: list[Any] = [part for part in entry.parts if not _is_words(part)]
    nesting += [each for each in (entry.todos, entry.thinking, entry.extra) if each]
    return not nesting or _are_shallow(nesting)


def _is_words(part: Part) -> bool:
    """Whether a part is nothing but words, in which nothing can be nested."""
    if isinstance(part, ToolResult):
        return part.detail is None and not part.extra and all(map(_is_words, part.output))
    return isinstance(part, Text) and not part.extra


def _are_shallow(level: list[Any]) -> bool:
    """Whether none of some values is nested too deep."""
    for _ in range(DEEPEST):
        level = [
            inner for each in level for inner in _inside(each) if inner and type(inner) not in _FLAT
        ]
        if not level:
            return True
    return False


def _inside(value: Any) -> Iterable[Any]:  # noqa: ANN401
    if isinstance(value, dict):
        return value.values()
    return astuple(value) if isinstance(value, Struct) else value


def _field(value: Any) -> Any:  # noqa: ANN401
    match value:
        case str():
            return whole(value)
        case Struct():
            return strict(value)
        case tuple():
            return tuple(map(_field, value))
        case dict() if any(isinstance(each, Struct) for each in value.values()):
            return {whole(name): _field(each) for name, each in value.items()}
        case dict() | list() | Token():
            return strict_json(value)
        case _:
            return value


def whole(text: str) -> str:
    """A text with halves of characters replaced, two of them side by side made one."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def strict_json(value: Json) -> Json:
    """A JSON value with nothing in it that is none."""
    top: list[Any] = [value]
    pending: list[tuple[Any, Any, int]] = [(top, 0, 0)]
    while pending:
        container, key, depth = pending.pop()
        item = container[key]
        if isinstance(item, str):
            container[key] = whole(item)
        elif isinstance(item, Token):
            container[key] = whole(item.text)
        elif isinstance(item, dict | list):
            if depth == DEEPEST:
                container[key] = encode(item).decode()
                continue
            inner: Any = (
                {whole(name): each for name, each in item.items()}
                if isinstance(item, dict)
                else list(item)
            )
            container[key] = inner
            names = inner if isinstance(inner, dict) else range(len(inner))
            pending += [(inner, name, depth + 1) for name in names]
    found: Json = top[0]
    return found
