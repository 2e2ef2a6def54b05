"""Masking secrets in compressed files: each member is unpacked, masked and packed again.

A member keeps its size if the stars leave room for that, so nothing else moves. Otherwise it
becomes longer. Of a damaged member that contains a secret, only the part that can be unpacked is
kept: the rest may contain others.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import NamedTuple, Protocol

import zstandard

from talktree.files.compression import GZIP, LARGEST_WINDOW, ZSTD
from talktree.library.erasure.masking import Span, mask_spans

FindSpans = Callable[[bytes], list[Span]]
"""Finds secrets in the text of a member."""
_EXTRA, _NAME, _COMMENT = 0x04, 0x08, 0x10
_PLAIN_HEAD = 10
"""Bytes of a gzip header."""
_HEAD = 12
"""The same with an extra field, before that field."""
_EMPTY = b"\x03\0" + bytes(8)
"""The data of an empty gzip member, with its checksum and size."""
_MOST_EXTRA = 0xFFFF
_SKIPPABLE, _SKIPPABLE_HEAD = b"\x50\x2a\x4d\x18", 8
_USER_FRAME = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18....", re.DOTALL)
_STEP = 1 << 12
"""How many bytes of a damaged member are unpacked in one step, at first."""


class PackedMember(NamedTuple):
    """A compressed member of a file."""

    text: bytes | None
    """Its text; None if it is not compressed: padding, a skippable frame, damaged bytes."""
    size: int
    """How many bytes it has in the file."""
    is_whole: bool = True


class ResizedMembers(NamedTuple):
    """Masked data, and the members whose size changed."""

    data: bytes
    shifts: tuple[tuple[int, int], ...]
    """The end of a member in the old data, and by how much it moved in the new data."""

    def new_length(self, length: int) -> int:
        """Return the present length of a version of the file that had some length."""
        shift = 0
        for end, more in self.shifts:
            if end > length:
                break
            shift = more
        return min(length + shift, len(self.data))


def is_packed(head: bytes) -> bool:
    """Whether data with this beginning is compressed."""
    return head.startswith((GZIP, ZSTD))


def mask_packed(data: bytes, find: FindSpans) -> ResizedMembers:
    """Return compressed data with the secrets in it masked."""
    out: list[bytes] = []
    shifts: list[tuple[int, int]] = []
    at = shift = 0
    while at < len(data):
        member = _read_first_member(data[at:] if at else data)
        packed = data[at : at + member.size]
        if member.text is None:
            packed = mask_spans(packed, find(packed))
        elif (spans := find(member.text)) or find(_read_gzip_header(packed)):
            packed = _recompress(mask_spans(member.text, spans), packed, is_whole=member.is_whole)
        at += member.size
        if len(packed) != member.size:
            shift += len(packed) - member.size
            shifts.append((at, shift))
        out.append(packed)
    return ResizedMembers(b"".join(out), tuple(shifts))


def _read_first_member(data: bytes) -> PackedMember:
    """Return the first compressed member, or what precedes it."""
    if data.startswith(GZIP):
        return _read_member(data, lambda: zlib.decompressobj(31))
    if data.startswith(ZSTD):
        frames = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
        return _read_member(data, frames.decompressobj)
    if _USER_FRAME.match(data):
        return PackedMember(None, _SKIPPABLE_HEAD + int.from_bytes(data[4:8], "little"))
    zeros = len(data) - len(data.lstrip(b"\0"))
    return PackedMember(None, zeros or len(data))


def _read_member(data: bytes, start: Callable[[], _Unpacking]) -> PackedMember:
    unpacking = start()
    try:
        text = unpacking.decompress(data)
        if unpacking.eof:
            return PackedMember(text, len(data) - len(unpacking.unused_data))
        # The file is truncated.
        return PackedMember(text, len(data), is_whole=False)
    except (zlib.error, zstandard.ZstdError):
        return PackedMember(_salvage_text(data, start) or None, len(data), is_whole=False)


def _read_gzip_header(member: bytes) -> bytes:
    """Return the names and comments in the header of a gzip member."""
    if not member.startswith(GZIP) or len(member) < _PLAIN_HEAD:
        return b""
    flags, at = member[3], _PLAIN_HEAD
    if flags & _EXTRA:
        at += 2 + int.from_bytes(member[at : at + 2], "little")
    for flag in (_NAME, _COMMENT):
        if flags & flag:
            at = member.find(b"\0", at) + 1 or len(member)
    return member[_PLAIN_HEAD:at]


def _salvage_text(data: bytes, start: Callable[[], _Unpacking]) -> bytes:
    """Return what can be unpacked before the damage."""
    unpacking, out, at, step, good = start(), [b""], 0, _STEP, 0
    while at < len(data):
        try:
            out.append(unpacking.decompress(data[at : at + step]))
            at += step
        except (zlib.error, zstandard.ZstdError):
            if step == 1:
                break
            # A failed decompressor cannot continue: start again, and get closer to the damage.
            good, step, unpacking = at, 1, start()
            out = [unpacking.decompress(data[:good])]
    return b"".join(out)


def _recompress(text: bytes, old: bytes, *, is_whole: bool) -> bytes:
    """Return the text compressed like its old member, with the same size if possible."""
    if old.startswith(GZIP):
        body = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
        data = body.compress(text)
        if not is_whole:
            return _compress_padded(data + body.flush(zlib.Z_SYNC_FLUSH), len(old), is_whole=False)
        size = len(text) & 0xFFFFFFFF
        tail = zlib.crc32(text).to_bytes(4, "little") + size.to_bytes(4, "little")
        return _compress_padded(data + body.flush() + tail, len(old), is_whole=True)
    packing = zstandard.ZstdCompressor(level=19, write_checksum=True)
    if not is_whole:
        frame = packing.compressobj()
        made = frame.compress(text) + frame.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        return made if len(made) >= len(old) - _SKIPPABLE_HEAD else _make_padding(old, made) + made
    made = packing.compress(text)
    return made if len(made) >= len(old) else made + _make_padding(old, made)


def _make_padding(old: bytes, made: bytes) -> bytes:
    """Return a frame without data that fills the missing bytes, or more if they are too few."""
    room = max(0, len(old) - len(made) - _SKIPPABLE_HEAD)
    return _SKIPPABLE + room.to_bytes(4, "little") + bytes(room)


def _compress_padded(body: bytes, size: int, *, is_whole: bool) -> bytes:
    """Return a gzip member with a header that pads it to the wanted size, if that is possible."""
    room = size - len(body)
    if room <= _PLAIN_HEAD:
        return _make_gzip_header(0) + body
    if room == _HEAD - 1:
        return _make_gzip_header(_NAME) + b"\0" + body
    padding = b""
    while is_whole and room - _HEAD > _MOST_EXTRA:
        extra = min(_MOST_EXTRA, room - 2 * _HEAD - len(_EMPTY))
        padding += _make_padded_header(extra) + _EMPTY
        room -= _HEAD + extra + len(_EMPTY)
    return _make_padded_header(min(room - _HEAD, _MOST_EXTRA)) + body + padding


def _make_gzip_header(flags: int) -> bytes:
    return GZIP + bytes([flags]) + bytes(5) + b"\xff"


def _make_padded_header(size: int) -> bytes:
    return _make_gzip_header(_EXTRA) + size.to_bytes(2, "little") + bytes(size)


class _Unpacking(Protocol):
    """An incremental decompressor."""

    @property
    def eof(self) -> bool:
        """Whether the member is at its end."""

    @property
    def unused_data(self) -> bytes:
        """The bytes after the member."""

    def decompress(self, data: bytes, /) -> bytes:
        """Return the unpacked data that is ready."""
