"""The dimensions of an image as displayed, from its first bytes; nothing is decoded."""

from __future__ import annotations

import struct

MOST_PIXELS = 64_000_000
"""Larger images take too much of a browser's memory."""


def read_dimensions(data: bytes) -> tuple[int, int] | None:
    """Return width and height; None if the beginning does not contain them."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            return struct.unpack(">II", data[16:24])
        if data.startswith((b"GIF87a", b"GIF89a")):
            return struct.unpack("<HH", data[6:10])
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _read_webp(data)
        return _read_jpeg(data) if data.startswith(b"\xff\xd8") else None
    except struct.error:
        return None


def is_too_large(data: bytes) -> bool:
    """Whether an image has too many pixels, or an unknown number of them."""
    found = read_dimensions(data)
    return found is None or found[0] * found[1] > MOST_PIXELS


def _read_webp(data: bytes) -> tuple[int, int] | None:
    match data[12:16]:
        case b"VP8 ":
            width, height = struct.unpack("<HH", data[26:30])
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = struct.unpack("<I", data[21:25])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            width = int.from_bytes(data[24:27], "little")
            return width + 1, int.from_bytes(data[27:30], "little") + 1
        case _:
            return None


def _read_jpeg(data: bytes) -> tuple[int, int] | None:
    """Return the size in the first frame of a JPEG; the segments before it are skipped."""
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        mark = data[at + 1]
        if mark == 0xFF:
            at += 1
            continue
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None
