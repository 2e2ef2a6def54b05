"""What travels along in a record: enough to write the source's own record again, byte for byte.

A carry is one JSON object in the target's record. It names the source format, the place of the
source record, its bytes as a template, where its parts went, and a checksum of what the target
held, which tells later whether somebody edited it. Records that have no place in the target ride
along in a carry that belongs to no message, where the target has a place for one.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct

from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.text.json_value import Json, Token, Written
from talktree.text.json_write import encode

VERSION = 1


class File(Struct, frozen=True, omit_defaults=True):
    """A file of the source that holds records."""

    number: int
    path: str
    lead: Any = ""
    trail: Any = ""


class Origin(Struct, frozen=True, omit_defaults=True):
    """The source as a whole."""

    name: str
    folder: bool = False
    sheets: list[File] = []
    files: dict[str, Any] = {}
    """Files that hold no record at all."""


class Kept(Struct, frozen=True, omit_defaults=True, rename={"open": "as", "depth": "in"}):
    """A record of the source."""

    at: list[int]
    """Which file it is in, and its place there."""
    open: Any = ""
    """Its bytes, and those between it and the record before."""
    end: Any = ""
    """Its bytes behind the records nested in it."""
    depth: int = 0

    @property
    def place(self) -> tuple[int, int]:
        """Which file it is in, and its place there."""
        return self.at[0], self.at[1]


class Carry(Struct, frozen=True, omit_defaults=True, rename={"format": "of"}):
    """All that travels with one record of the target."""

    format: str
    v: int = VERSION
    kept: Kept | None = None
    """None for a record that was made up for the target."""
    seams: Any = None
    sum: str = ""
    under: str | None = None
    """What the record hung on, where the source's own record does not say so."""
    origin: Origin | None = None
    riders: list[Kept] = []


def to_json(carry: Carry) -> Json:
    """A carry as it stands in a record."""
    value: Json = msgspec.to_builtins(carry)
    return value


def from_json(value: Json) -> Carry | None:
    """A carry, or None if the value is none."""
    if not isinstance(value, dict) or "of" not in value:
        return None
    try:
        carry = msgspec.convert(value, Carry)
    except msgspec.ValidationError:
        return None
    kept = [*carry.riders, *([carry.kept] if carry.kept is not None else [])]
    return carry if all(len(each.at) == 2 for each in kept) else None


_encoder = msgspec.json.Encoder(
    enc_hook=lambda value: {"token": value.text} if isinstance(value, Token) else repr(value),
    order="deterministic",
)


_quick = msgspec.json.Encoder(enc_hook=_encoder.enc_hook)


def plain_text(entry: Entry) -> bytes | None:
    """An entry as one text, the same in every process; None if JSON's own types do not hold it."""
    ordered = not isinstance(entry, Message) or len(entry.flags) < 2
    try:
        # Only a set has no order of its own.
        return (_quick if ordered else _encoder).encode(entry)
    except (UnicodeEncodeError, OverflowError, RecursionError):
        return None


def checksum(entry: Entry, told: bytes | None = None) -> str:
    """Tells one entry from another; the same in every process. `told` is its text, if known."""
    text = plain_text(entry) if told is None else told
    if text is None:
        flags = sorted(entry.flags) if isinstance(entry, Message) else ()
        fields = {name: getattr(entry, name) for name in entry.__struct_fields__ if name != "flags"}
        text = repr((flags, fields)).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=6).hexdigest()


def sized(carry: Carry, *, ready: bool = False) -> tuple[Json, int]:
    """A carry as it stands in a record, and how many bytes it adds, about.

    With `ready` it is text that need only be copied, where that is possible.
    """
    try:
        text = _quick.encode(carry)
    except (UnicodeEncodeError, OverflowError, RecursionError):
        value = to_json(carry)
        return value, len(encode(value))
    return Written(text) if ready else to_json(carry), len(text) + len('"x-talktree":,')


def size(carry: Carry) -> int:
    """How many bytes a carry adds, about."""
    return sized(carry)[1]
