"""The size of an image in a data URL, from its first bytes only."""

from __future__ import annotations

from base64 import b64decode
from typing import NamedTuple

from talktree.model.parts import Attachment

LONGEST_HEAD = 200
"""Maximum length of the media type at the start of a data URL."""
LOOKED_AT = 1 << 16
"""Characters of base64 that are decoded: enough for what cameras put before a JPEG's size."""
FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers that precede the size in a JPEG."""
Pixels = tuple[int, int]


class ImageFacts(NamedTuple):
    """The facts about an image."""

    kind: str
    length: int
    """Number of characters of base64."""
    width: int = 0
    height: int = 0

    @property
    def words(self) -> str:
        """A short description of the image."""
        pixels = f", {self.width} x {self.height} pixels" if self.width else ""
        return f"{self.kind or 'an image'}, {self.length / 1e6:.1f} MB of base64{pixels}"


def find_image(part: Attachment) -> ImageFacts | None:
    """Return the image in an attachment, or None if it is not an image."""
    url = part.url
    if url is None or not url.startswith("data:image/"):
        return None
    head, comma, _ = url[:LONGEST_HEAD].partition(",")
    if not comma or not head.endswith(";base64"):
        return None
    start = len(head) + 1
    kind = head[len("data:") :].partition(";")[0]
    return ImageFacts(
        kind, len(url) - start, *(_read_dimensions(_decode_first_bytes(url, start)) or (0, 0))
    )


def _decode_first_bytes(url: str, start: int) -> bytes:
    text = url[start : start + LOOKED_AT]
    try:
        return b64decode(text[: len(text) // 4 * 4])
    except ValueError:
        return b""


def _read_dimensions(data: bytes) -> Pixels | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        return _read_big_endian(data, 16, 4), _read_big_endian(data, 20, 4)
    if data.startswith((b"GIF87a", b"GIF89a")) and len(data) >= 10:
        return _read_little_endian(data, 6, 2), _read_little_endian(data, 8, 2)
    if data.startswith(b"\xff\xd8"):
        return _read_jpeg_dimensions(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _read_webp_dimensions(data)
    return None


def _read_jpeg_dimensions(data: bytes) -> Pixels | None:
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        mark = data[at + 1]
        if mark in FRAMES:
            return _read_big_endian(data, at + 7, 2), _read_big_endian(data, at + 5, 2)
        if mark == 0xFF:
            at += 1
        elif mark == 0x01 or 0xD0 <= mark <= 0xD9:
            at += 2
        else:
            at += 2 + max(2, _read_big_endian(data, at + 2, 2))
    return None


def _read_webp_dimensions(data: bytes) -> Pixels | None:
    match data[12:16]:
        case b"VP8X" if len(data) >= 30:
            return _read_little_endian(data, 24, 3) + 1, _read_little_endian(data, 27, 3) + 1
        case b"VP8L" if len(data) >= 25:
            bits = _read_little_endian(data, 21, 4)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 " if len(data) >= 30:
            return _read_little_endian(data, 26, 2) & 0x3FFF, _read_little_endian(
                data, 28, 2
            ) & 0x3FFF
        case _:
            return None


def _read_big_endian(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "big")


def _read_little_endian(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")
