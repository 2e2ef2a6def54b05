"""Media types detected from the first bytes, and data URLs."""

from __future__ import annotations

import base64
import binascii
import re
from typing import NamedTuple
from urllib.parse import unquote, unquote_to_bytes

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
_SCRIPT = re.compile(rb"#!\s?/")
FURTHEST_HEADER = 1 << 16
"""Maximum offset of the second header of a Windows program."""
PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
DETECTED_BY_START = PICTURES | {"application/pdf"}
"""Types whose first bytes are always the same."""
_ALIASES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png"}
ENOUGH = 96
_NO_BITS = "= \t\n\r\f\v"
"""Characters in base64 that encode nothing."""
_UNUSUAL = re.compile(r"[\s_%-]")
_FIRST_ALPHABET = str.maketrans("-_", "+/")


class DataUrl(NamedTuple):
    """The parts of a data URL."""

    media_type: str
    """In lower case, without parameters."""
    is_base64: bool
    start: int
    """Where its content starts."""


def parse_data_url(url: str) -> DataUrl | None:
    """Return the parts of a data URL; None if it is not one."""
    found = _HEAD.match(url) if url[:5].lower() == "data:" else None
    if found is None:
        return None
    type, more = found.groups()
    return DataUrl(normalize_media_type(type), more.lower().endswith(";base64"), found.end())


def normalize_media_type(media_type: str) -> str:
    """Return a media type in its usual spelling."""
    bare = media_type.partition(";")[0].strip().lower()
    return _ALIASES.get(bare, bare)


def data_size(url: str, head: DataUrl) -> int:
    """Return how many bytes a data URL holds once it is decoded.

    Padding, line breaks and escapes are not content; both alphabets of base64 count the same.
    """
    start = head.start
    if not head.is_base64:
        written = url[start:]
        if "%" not in written:
            return len(written.encode("utf-8", "surrogatepass"))
        return len(unquote_to_bytes(written.encode("utf-8", "surrogatepass")))
    if url.find("%", start) >= 0:
        return base64_size(unquote(url[start:]))
    return base64_size(url, start)


def base64_size(text: str, start: int = 0) -> int:
    """Return how many bytes a text in base64 encodes from an offset on."""
    # Six bits for each character; a remainder at the end of a broken text is not a byte.
    return (len(text) - start - sum(text.count(each, start) for each in _NO_BITS)) * 6 // 8


def decode_data_url(url: str, head: DataUrl, *, most: int) -> bytes:
    """Return the first bytes of a data URL's content; empty if they cannot be decoded."""
    if not head.is_base64:
        written = url[head.start : head.start + 3 * most].encode("utf-8", "surrogatepass")
        return unquote_to_bytes(written)[:most]
    size = -(-most // 3) * 4
    text = url[head.start : head.start + size]
    if _UNUSUAL.search(text):
        text = _normalize_base64(url[head.start :])[:size]
    text = text.rstrip("=")
    text = text[: len(text) - (len(text) % 4 == 1)]
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4))[:most]
    except (binascii.Error, ValueError):
        return b""


def _normalize_base64(text: str) -> str:
    """Return base64 text in the standard alphabet, without line breaks and escapes."""
    return "".join((unquote(text) if "%" in text else text).split()).translate(_FIRST_ALPHABET)


def detect_media_type(data: bytes) -> str | None:
    """Return the media type by the first bytes; None if unknown."""
    for start, type in _STARTS:
        if data.startswith(start):
            return type
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if _PAGE.match(data):
        return "text/html"
    return "application/x-program" if _SCRIPT.match(data) or _is_windows(data) else None


def _is_windows(data: bytes) -> bool:
    """Whether bytes are the beginning of a Windows program, and not a text that begins with MZ."""
    at = int.from_bytes(data[60:64], "little")
    return data[:2] == b"MZ" and len(data) >= 64 and 64 <= at <= FURTHEST_HEADER
