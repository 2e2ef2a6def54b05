"""Entries as every reader of JSON takes them, not only a lenient one.

Sage's own reader skips a line that holds half a character, a value that is no JSON (`NaN`, `...`)
or brackets nested too deep. Halves become U+FFFD, the other two become text that shows them.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from talktree.text.json_value import Json, Token
from talktree.text.json_write import encode

DEEPEST = 100
"""Sage gives up below 128 levels; the line around a value has some as well."""
Some = TypeVar("Some", bound=Struct)
_plain = msgspec.json.Encoder().encode


def strict(entry: Some) -> Some:
    """An entry without anything that a strict reader of JSON refuses."""
    if _is_strict(entry):
        return entry
    fields = {name: _field(getattr(entry, name)) for name in entry.__struct_fields__}
    return replace(entry, **fields)


def _is_strict(entry: Struct) -> bool:
    try:
        text = _plain(entry)
    except (TypeError, UnicodeEncodeError, OverflowError, RecursionError):
        return False
    # Only a value with so many brackets can be nested that deep.
    return text.count(b"{") + text.count(b"[") < DEEPEST


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
