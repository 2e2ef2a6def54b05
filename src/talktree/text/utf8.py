"""Text files that may not be UTF-8: bytes to text and back without loss.

Bytes that are no UTF-8 become lone surrogates (U+DC80 to U+DCFF) and turn into the same bytes
again. Other lone surrogates have no place in a UTF-8 file; `can_encode` tells.
"""

from __future__ import annotations

BOM = b"\xef\xbb\xbf"
"""The byte order mark, as UTF-8 writes it."""


def decode(raw: bytes) -> str:
    """Text of any bytes."""
    return raw.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes of a text that `can_encode`, or that came from `decode`."""
    return text.encode("utf-8", "surrogateescape")


def can_encode(text: str) -> bool:
    """Whether writing the text and reading it again gives the same text."""
    try:
        return decode(encode(text)) == text
    except UnicodeEncodeError:
        return False
