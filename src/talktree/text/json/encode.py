"""Encode values as JSON text, in a given style, without recursion.

Whatever a string contains, reading the text returns it: lone surrogates are escaped, everything
else is written in the style. The style is learnt from existing text, so that additions look alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from json.encoder import JSONEncoder, encode_basestring, encode_basestring_ascii
from typing import NamedTuple

import msgspec

from talktree.text.json.value import EncodedValue, Json, Token


class Style(NamedTuple):
    """The style of a writer."""

    indent: str | None = None
    """One level of indentation, or None for everything on one line."""
    item: str = ","
    """The separator of items on one line."""
    colon: str = ":"
    ascii: bool = False
    """Whether characters beyond ASCII are escaped."""
    newline: str = "\n"


COMPACT = Style()
PRETTY = Style(indent="  ", colon=": ")

_INDENTED = re.compile(rb'[\[{](\r?\n)([ \t]*)(?=["{\[\]}\w-])')
_COLON = re.compile(rb'"(\s*:\s*)(?=["{\[\w-])')
_ITEM = re.compile(rb'["}\]\w](,[ ]*)(?=["{\[\w-])')


def learn_style(text: bytes, *, sample: int = 1 << 16) -> Style:
    """Return the style of a text, from its first part."""
    head = text[:sample]
    colon = _COLON.search(head)
    item = _ITEM.search(head)
    indented = _INDENTED.search(head)
    return Style(
        indent=_find_level(indented.group(2), head, indented.start()) if indented else None,
        item=item.group(1).decode() if item else ",",
        colon=colon.group(1).decode() if colon else (": " if indented else ":"),
        ascii=head.isascii() and b"\\u" in head and text.isascii(),
        newline=indented.group(1).decode() if indented else "\n",
    )


def _find_level(inner: bytes, text: bytes, opened_at: int) -> str:
    line = text[text.rfind(b"\n", 0, opened_at) + 1 : opened_at]
    outer = line[: len(line) - len(line.lstrip(b" \t"))]
    deeper = inner[len(outer) :] if inner.startswith(outer) else inner
    return deeper.decode() or "  "


LONG = 1 << 20
"""Longer texts are written by the encoder that uses the least memory."""
_HALVES = re.compile("[\ud800-\udfff]")


def encode_json(value: Json, style: Style = COMPACT, *, level: int = 0) -> bytes:
    """Return the JSON text of a value, its inner lines indented from the given level on."""
    if style.indent is None:
        try:
            return _make_fast_encoder(style)(value).encode()
        except (TypeError, UnicodeEncodeError, RecursionError):
            # A token, a lone surrogate, or too deep: then piece by piece.
            pass
    return "".join(_encode_pieces(value, style, level)).encode()


def _get_raw(value: object) -> msgspec.Raw:
    if isinstance(value, EncodedValue):
        return value.raw
    raise TypeError(type(value).__name__)


_plain_encode = msgspec.json.Encoder().encode
_quick = msgspec.json.Encoder(enc_hook=_get_raw).encode


def encode_new(value: Json) -> bytes:
    """Return the JSON text of a new value, as fast as possible."""
    try:
        return _quick(value)
    except (TypeError, ValueError, OverflowError, RecursionError):
        # A token, a lone surrogate, a huge number, or too deep.
        return encode_json(value)


def encode_long(value: Json) -> bytes | None:
    """Return the compact text of a value that is long and contains no float; None for any other.

    The fast encoder holds a long string once, the other one three times. They format floats
    differently.
    """
    try:
        text = _plain_encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None
    return text if len(text) > LONG and not _has_floats(value) else None


def _has_floats(value: Json) -> bool:
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, float):
            return True
        if isinstance(item, dict | list):
            pending += item.values() if isinstance(item, dict) else item
    return False


def is_plain(value: Json) -> bool:
    """Whether a value can be encoded directly, because no string has lone surrogates."""
    try:
        _quick(value)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return False
    return True


@lru_cache(maxsize=32)
def _make_fast_encoder(style: Style) -> Callable[[Json], str]:
    return JSONEncoder(
        ensure_ascii=style.ascii,
        separators=(style.item, style.colon),
        check_circular=False,
        default=_read_again,
    ).encode


def _read_again(value: object) -> object:
    """Decode a pre-encoded value, for an encoder that cannot copy text."""
    return msgspec.json.decode(_get_raw(value))


def encode_string(text: str, style: Style = COMPACT) -> str:
    """Return a JSON string literal."""
    if style.ascii:
        return str(encode_basestring_ascii(text))
    return _HALVES.sub(lambda half: f"\\u{ord(half.group()):04x}", encode_basestring(text))


def _encode_scalar(value: Json, style: Style) -> str:
    match value:
        case str():
            return encode_string(value, style)
        case True:
            return "true"
        case False:
            return "false"
        case None:
            return "null"
        case Token():
            return value.text
        case _:
            return repr(value)


def _encode_pieces(value: Json, style: Style, level: int) -> Iterator[str]:
    # Remaining work, last first: ready text, or a value with its level.
    todo: list[str | tuple[Json, int]] = [(value, level)]
    while todo:
        work = todo.pop()
        if isinstance(work, str):
            yield work
            continue
        current, level = work
        if isinstance(current, dict) and current:
            yield "{"
            inside = [
                (encode_string(key, style) + style.colon, item) for key, item in current.items()
            ]
            todo.append(_line_start(style, level) + "}")
        elif isinstance(current, list) and current:
            yield "["
            inside = [("", item) for item in current]
            todo.append(_line_start(style, level) + "]")
        else:
            yield (
                "{}" if current == {} else "[]" if current == [] else _encode_scalar(current, style)
            )
            continue
        _queue_items(todo, inside, style, level + 1)


def _queue_items(
    todo: list[str | tuple[Json, int]], inside: list[tuple[str, Json]], style: Style, level: int
) -> None:
    start = _line_start(style, level)
    between = "," + start if style.indent is not None else style.item
    for number in range(len(inside) - 1, -1, -1):
        name, item = inside[number]
        todo.append((item, level))
        todo.append((between if number else start) + name)


def _line_start(style: Style, level: int) -> str:
    return "" if style.indent is None else style.newline + style.indent * level
