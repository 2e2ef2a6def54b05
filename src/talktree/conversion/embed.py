"""Embedded source data: what a record needs to restore the source's own record, byte for byte.

Embedded data is one JSON object in the target's record. It names the source and its format, the
place of the source record, its bytes as a template, where its parts went, a checksum of what the
target held, which shows later whether the record was edited, and a checksum of the embedded data,
which shows whether it is intact. Records that have no place in the target are embedded outside the
messages, if the target has a place for that.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.parts import Part
from talktree.text.json.encode import encode_json, encode_new
from talktree.text.json.value import EncodedValue, Json, Token

VERSION = 2


class EmbeddedFile(Struct, frozen=True, omit_defaults=True):
    """A file of the source that holds records."""

    number: int
    path: str
    lead: Any = ""
    trail: Any = ""
    form: str = ""
    """Its encoding, if it was not UTF-8."""


class EmbeddedOrigin(Struct, frozen=True, omit_defaults=True):
    """The source as a whole."""

    name: str
    to: str = ""
    """The format in which the conversation was written, if no message shows it."""
    folder: bool = False
    sheets: list[EmbeddedFile] = []
    files: dict[str, Any] = {}
    """Files without records."""
    via: list[str] = []
    """The formats that records of the source embed data of in turn."""


class EmbeddedRecord(Struct, frozen=True, omit_defaults=True, rename={"open": "as", "depth": "in"}):
    """A record of the source."""

    at: list[int]
    """The file it is in, and its place there."""
    open: Any = ""
    """Its bytes, and those between it and the record before."""
    end: Any = ""
    """Its bytes after the records nested in it."""
    depth: int = 0

    @property
    def place(self) -> tuple[int, int]:
        """The file it is in, and its place there."""
        return self.at[0], self.at[1]


class EmbeddedData(
    Struct, frozen=True, omit_defaults=True, rename={"format": "of", "unattached": "riders"}
):
    """All data embedded in one record of the target."""

    format: str
    v: int = VERSION
    kept: EmbeddedRecord | None = None
    """None for a record that was made for the target."""
    seams: Any = None
    sum: str = ""
    under: str | None = None
    """The parent of the record, if the source's own record does not name it."""
    origin: EmbeddedOrigin | None = None
    unattached: list[EmbeddedRecord] = []
    """Records that have no place in the target."""
    src: str = ""
    """Identifies the source among others of the same format."""
    part: int = 0
    """The number of the conversation, if the source became several."""
    own: str = ""
    """A checksum of all of the above."""


def from_json(value: Json) -> EmbeddedData | None:
    """Return embedded data, or None if the value is not any; `is_intact` verifies it."""
    if not isinstance(value, dict) or "of" not in value:
        return None
    try:
        carry = msgspec.convert(value, EmbeddedData)
    except msgspec.ValidationError:
        return None
    kept = [*carry.unattached, *([carry.kept] if carry.kept is not None else [])]
    if carry.v != VERSION or any(len(each.at) != 2 or min(each.at) < 0 for each in kept):
        return None
    return carry


def is_intact(carry: EmbeddedData) -> bool:
    """Whether embedded data is as it was written."""
    bare = replace(carry, own="")
    return carry.own == _compute_checksum(bare, _encode_plain_json(bare))


TOKEN = b'{"token":'
"""The encoding of a token in the text of an entry."""
_encoder = msgspec.json.Encoder(
    enc_hook=lambda value: {"token": value.text} if isinstance(value, Token) else repr(value),
    order="deterministic",
)


_quick = msgspec.json.Encoder(enc_hook=_encoder.enc_hook)


def plain_text(entry: Entry) -> bytes | None:
    """Return an entry as one text, the same in every process; None if JSON types cannot hold it."""
    ordered = not isinstance(entry, Message) or len(entry.flags) < 2
    # Only sets are unordered.
    encoder = _quick if ordered else _encoder
    try:
        return encoder.encode(entry)
    except RecursionError:
        return _deep_text(entry, encoder)
    except (UnicodeEncodeError, OverflowError):
        return None


def _deep_text(entry: Entry, encoder: msgspec.json.Encoder) -> bytes | None:
    """Return the same text for an entry whose values are nested too deep for the encoder."""
    try:
        return encoder.encode(_with_raw_values(entry))
    except (UnicodeEncodeError, OverflowError):
        return None


def _with_raw_values(value: object, wrap: Callable[[bytes], object] = msgspec.Raw) -> object:
    """Return a struct with its JSON values encoded; structs are nested only a few levels."""
    match value:
        case Struct():
            names = value.__struct_fields__
            fields = {name: _with_raw_values(getattr(value, name), wrap) for name in names}
            return replace(value, **fields)
        case tuple():
            return tuple(_with_raw_values(each, wrap) for each in value)
        case dict() | list():
            return wrap(encode_new(value))
        case _:
            return value


def part_key(part: Part) -> str:
    """Return a key that distinguishes parts, including deeply nested values."""
    try:
        return repr(part)
    except RecursionError:
        return repr(_with_raw_values(part, bytes))


def checksum(entry: Entry) -> str:
    """Return a checksum of an entry, the same in every process.

    The id of an entry that is not a message does not count: formats without a place for it assign
    another one.
    """
    if not isinstance(entry, Message):
        entry = replace(entry, id="")
    text = plain_text(entry)
    if text is None:
        flags = sorted(entry.flags) if isinstance(entry, Message) else ()
        fields = {name: getattr(entry, name) for name in entry.__struct_fields__ if name != "flags"}
        try:
            text = repr((flags, fields)).encode("utf-8", "surrogatepass")
        except RecursionError:
            shallow = _with_raw_values(tuple(fields.values()), bytes)
            text = repr((flags, shallow)).encode("utf-8", "surrogatepass")
    return text_checksum(text)


def text_checksum(text: bytes) -> str:
    """Return the checksum of an entry with this plain text."""
    return blake2b(text, digest_size=6).hexdigest()


def _encode_plain_json(carry: EmbeddedData) -> bytes | None:
    """Return embedded data as plain JSON, the same for equal data; None if JSON cannot hold it."""
    try:
        # Only the source's files are in a dictionary, which has no order of its own.
        return (_quick if carry.origin is None else _encoder).encode(carry)
    except (UnicodeEncodeError, OverflowError, RecursionError):
        return None


def _compute_checksum(carry: EmbeddedData, plain: bytes | None) -> str:
    """Return the checksum of embedded data that has none yet."""
    text = (
        encode_json(msgspec.to_builtins(carry, order="deterministic")) if plain is None else plain
    )
    return blake2b(text, digest_size=6).hexdigest()


def encode_with_size(carry: EmbeddedData, *, ready: bool = False) -> tuple[Json, int]:
    """Return embedded data as a value for a record, and approximately how many bytes it adds.

    With `ready` it is text that only needs to be copied, if possible.
    """
    plain = _encode_plain_json(carry)
    own = _compute_checksum(carry, plain)
    if ready and plain is not None:
        text = b'%b,"own":"%b"}' % (plain[:-1], own.encode())
        return EncodedValue(text), len(text) + len('"x-talktree":,')
    value: Json = msgspec.to_builtins(replace(carry, own=own))
    return value, len(plain or encode_json(value)) + len('"x-talktree":,"own":"",') + len(own)


def estimate_size(carry: EmbeddedData) -> int:
    """Return approximately how many bytes embedded data adds."""
    return encode_with_size(replace(carry, own=""))[1]
