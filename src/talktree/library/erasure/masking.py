"""Replacing secrets in bytes by stars, so that files stay as long and as readable as they were.

Every byte of a secret becomes a star, apart from line ends and the zeros of UTF-16. That is valid
in JSON and XML, also in the place of an escape, and no other byte moves: versions, edits and the
tree stay what they are. Compressed members are unpacked, masked, packed again and padded to the
size they had.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable

import zstandard

from talktree.files.packed import GZIP, ZSTD

Span = tuple[int, int]
Find = Callable[[bytes], list[Span]]
"""Finds secrets in bytes."""
STAR = ord("*")
KEPT = frozenset(b"\0\n\r")
_STARS = bytes(each if each in KEPT else STAR for each in range(256))
_EXTRA = 0x04
_HEAD = 12
"""Bytes of a gzip header with an extra field, in front of that field."""
_EMPTY = b"\x03\0" + bytes(8)
"""The data of an empty gzip member, with its checksum and size."""
_MOST_EXTRA = 0xFFFF
_SKIPPABLE = b"\x50\x2a\x4d\x18"


def mask(data: bytes, spans: Iterable[Span]) -> bytes:
    """The data with stars in some places."""
    made = bytearray(data)
    for start, stop in spans:
        made[start:stop] = data[start:stop].translate(_STARS)
    return bytes(made)


def is_packed(head: bytes) -> bool:
    """Whether data that begins so is compressed."""
    return head.startswith((GZIP, ZSTD))


def mask_packed(data: bytes, find: Find) -> bytes | None:
    """Compressed data with the secrets in it masked; None if a member would be longer than before.

    What cannot be unpacked stays as it is.
    """
    out = []
    while data:
        member = _first_member(data)
        if member is None:
            out.append(data)
            break
        text, size = member
        spans = find(text)
        packed = data[:size]
        if spans:
            made = _packed(mask(text, spans), packed)
            if made is None:
                return None
            packed = made
        out.append(packed)
        data = data[size:]
    return b"".join(out)


def _first_member(data: bytes) -> tuple[bytes, int] | None:
    """What the first compressed member holds, and how many bytes it has."""
    try:
        if data.startswith(GZIP):
            gzip = zlib.decompressobj(31)
            text = gzip.decompress(data) + gzip.flush()
            return (text, len(data) - len(gzip.unused_data)) if gzip.eof else None
        if data.startswith(ZSTD):
            zstd = zstandard.ZstdDecompressor().decompressobj()
            text = zstd.decompress(data)
            return (text, len(data) - len(zstd.unused_data)) if zstd.eof else None
    except (zlib.error, zstandard.ZstdError):
        pass
    return None


def _packed(text: bytes, old: bytes) -> bytes | None:
    """The text compressed in the way of its old member, with as many bytes."""
    if old.startswith(GZIP):
        body = zlib.compressobj(9, zlib.DEFLATED, -15)
        data = body.compress(text) + body.flush()
        tail = zlib.crc32(text).to_bytes(4, "little") + (len(text) & 0xFFFFFFFF).to_bytes(
            4, "little"
        )
        return _padded_gzip(data + tail, len(old))
    made = zstandard.ZstdCompressor(level=19, write_checksum=True).compress(text)
    room = len(old) - len(made)
    if room == 0:
        return made
    if room < 8:
        return None
    return made + _SKIPPABLE + (room - 8).to_bytes(4, "little") + bytes(room - 8)


def _padded_gzip(body: bytes, size: int) -> bytes | None:
    """A gzip member with an extra field that makes it as long as it shall be."""
    room = size - len(body)
    plain = GZIP + b"\0" + bytes(5) + b"\xff"
    if room == len(plain):
        return plain + body
    padding = b""
    while room - _HEAD > _MOST_EXTRA:
        extra = min(_MOST_EXTRA, room - 2 * _HEAD - len(_EMPTY))
        padding += _with_extra(extra) + _EMPTY
        room -= _HEAD + extra + len(_EMPTY)
    if room < _HEAD:
        return None
    return _with_extra(room - _HEAD) + body + padding


def _with_extra(size: int) -> bytes:
    return GZIP + bytes([_EXTRA]) + bytes(5) + b"\xff" + size.to_bytes(2, "little") + bytes(size)
