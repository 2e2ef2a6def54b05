"""Text files that may not be UTF-8: bytes to text and back without loss.

Bytes that are not UTF-8 become lone surrogates (U+DC80 to U+DCFF) and turn into the same bytes
again. A UTF-8 file cannot contain other lone surrogates; see `can_encode`.
"""

from __future__ import annotations

BOM = b"\xef\xbb\xbf"
"""The byte order mark in UTF-8."""


def decode(raw: bytes) -> str:
    """Decode any bytes."""
    return raw.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Encode a text that `can_encode` accepts, or that came from `decode`."""
    return text.encode("utf-8", "surrogateescape")


def can_encode(text: str) -> bool:
    """Whether writing the text and reading it again gives the same text."""
    try:
        return decode(encode(text)) == text
    except UnicodeEncodeError:
        return False
