"""A record's bytes with its longer strings cut out, to be filled in again.

A template is text and numbers in turn: a number stands for one of the strings the other format
holds anyway, so what travels is only what that format has no place for. How the string is spelt
in the bytes (JSON, JSON in ASCII, plain, XML) is tried out; one that cannot be found stays as text.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from json.encoder import encode_basestring_ascii
from xml.sax.saxutils import escape

import msgspec

from talktree.text.json_value import Json

SHORTEST = 16
"""Shorter strings stay in the text; a number would hardly be smaller."""
MOST = 64
"""How many strings are looked for in one record, longest first."""
Piece = bytes | tuple[int, str]
Template = Json
"""A text, a list of texts and holes, or bytes that are no text in base 64."""

_encode = msgspec.json.Encoder().encode


def _as_json(text: str) -> bytes:
    return _encode(text)


def _as_ascii(text: str) -> bytes:
    return str(encode_basestring_ascii(text)).encode()


def _as_text(text: str) -> bytes:
    return text.encode()


def _as_xml(text: str) -> bytes:
    return escape(text).encode()


SPELLINGS: dict[str, Callable[[str], bytes]] = {
    "json": _as_json,
    "ascii": _as_ascii,
    "text": _as_text,
    "xml": _as_xml,
}


def spelt(text: str, spelling: str) -> bytes:
    """A string as it stands in the bytes of a file."""
    return SPELLINGS[spelling](text)


def made(raw: bytes, strings: Sequence[str], spellings: Sequence[str]) -> Template:
    """The template of some bytes, with holes where the strings stand."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(raw).decode()}
    pieces: list[Piece] = [raw]
    if len(raw) >= SHORTEST:
        for number in _longest(strings):
            pieces = _cut(pieces, raw, number, strings[number], spellings)
    return _written(pieces, spellings[0])


def _longest(strings: Sequence[str]) -> Sequence[int]:
    if len(strings) == 1:
        return (0,)
    return sorted(range(len(strings)), key=lambda number: -len(strings[number]))[:MOST]


def _cut(
    pieces: list[Piece], raw: bytes, number: int, text: str, spellings: Sequence[str]
) -> list[Piece]:
    for spelling in spellings:
        try:
            sought = SPELLINGS[spelling](text)
        except UnicodeEncodeError:
            continue
        if sought in raw:
            out: list[Piece] = []
            for piece in pieces:
                out += _split(piece, sought, (number, spelling))
            return out
        if text.isascii() and spelling == "json":
            # Spelt in ASCII it would look the same.
            continue
    return pieces


def _split(piece: Piece, sought: bytes, hole: tuple[int, str]) -> Iterator[Piece]:
    if not isinstance(piece, bytes):
        yield piece
        return
    for place, part in enumerate(piece.split(sought)):
        if place:
            yield hole
        if part:
            yield part


def _written(pieces: Sequence[Piece], usual: str) -> Template:
    out: list[Json] = []
    for piece in pieces:
        match piece:
            case bytes():
                out.append(piece.decode())
            case (number, spelling):
                out.append(number if spelling == usual else [number, spelling])
    return out[0] if len(out) == 1 and isinstance(out[0], str) else out


class Misfit(Exception):
    """It is no template."""


def filled(template: Template, strings: Sequence[str], spellings: Sequence[str]) -> bytes:
    """The bytes again; a string that is gone leaves nothing behind."""
    match template:
        case str():
            return template.encode()
        case {"base64": str(text)}:
            return base64.b64decode(text)
        case list():
            return b"".join(_filled(piece, strings, spellings[0]) for piece in template)
        case _:
            raise Misfit


def _filled(piece: Json, strings: Sequence[str], usual: str) -> bytes:
    match piece:
        case str():
            return piece.encode()
        case int(number):
            spelling = usual
        case [int(number), str(spelling)] if spelling in SPELLINGS:
            pass
        case _:
            raise Misfit
    text = strings[number] if 0 <= number < len(strings) else ""
    try:
        return SPELLINGS[spelling](text)
    except UnicodeEncodeError:
        # Half a character, put there by an edit: only ASCII spells it.
        return _as_ascii(text)
