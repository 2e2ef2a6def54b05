"""What bytes are by how they start, and data URLs."""

from __future__ import annotations

import base64
import binascii
import re
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

_HEAD = re.compile(r"data:([^;,]{0,100})((?:;[^;,]{0,100}){0,5}),", re.IGNORECASE)
_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"\x7fELF", "application/x-elf"),
    (b"PK\x03\x04", "application/zip"),
)
_PAGE = re.compile(rb"\s{0,64}<(?:!doctype html|html|script|svg|\?xml)", re.IGNORECASE)
_PROGRAM = re.compile(rb"MZ.{58}.{0,2}|#!\s?/", re.DOTALL)
PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
TOLD_BY_START = PICTURES | {"application/pdf"}
"""Types whose bytes always start in the same way."""
_ALIASES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png"}
ENOUGH = 96


class DataUrl(NamedTuple):
    """A data URL taken apart."""

    media_type: str
    """In small letters, without parameters."""
    is_base64: bool
    start: int
    """Where its content starts."""


def data_url(url: str) -> DataUrl | None:
    """The parts of a data URL; None if it is none."""
    found = _HEAD.match(url) if url[:5].lower() == "data:" else None
    if found is None:
        return None
    type, more = found.groups()
    return DataUrl(usual(type), more.lower().endswith(";base64"), found.end())


def usual(media_type: str) -> str:
    """A media type as it is usually written."""
    bare = media_type.partition(";")[0].strip().lower()
    return _ALIASES.get(bare, bare)


def data_size(url: str, head: DataUrl) -> int:
    """How many bytes a data URL holds; escapes of one that is not base64 count as written."""
    length = len(url) - head.start
    if not head.is_base64:
        return length
    # Three bytes are four characters; the padding, where it is written, stands for none.
    return length * 3 // 4 - url.endswith("=") - url.endswith("==")


def content(url: str, head: DataUrl, *, most: int) -> bytes:
    """The first bytes that a data URL holds; nothing if they cannot be decoded."""
    if not head.is_base64:
        written = url[head.start : head.start + 3 * most].encode("utf-8", "surrogatepass")
        return unquote_to_bytes(written)[:most]
    size = -(-most // 3) * 4
    text = url[head.start : head.start + size]
    try:
        return base64.b64decode(text[: len(text) & ~3])[:most]
    except (binascii.Error, ValueError):
        return b""


def sniffed(data: bytes) -> str | None:
    """What bytes are by how they start; None if that does not tell."""
    for start, type in _STARTS:
        if data.startswith(start):
            return type
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if _PAGE.match(data):
        return "text/html"
    return "application/x-program" if _PROGRAM.match(data) else None
