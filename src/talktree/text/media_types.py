"""Validation of media types, and whether bytes contradict them.

Only unmistakable content counts. A drawing is XML, a Word document is a zip archive and JSON is a
text, so none of these contradict each other.
"""

from __future__ import annotations

import mimetypes
import re

from talktree.text.media import (
    DETECTED_BY_START,
    ENOUGH,
    PICTURES,
    detect_media_type,
    normalize_media_type,
)

WELL_FORMED = re.compile(
    r"[A-Za-z0-9][\w!#$&^.+-]{0,126}/[A-Za-z0-9][\w!#$&^.+-]{0,126}"
    r"(?:\s*;\s*[\w!#$&^.+-]{1,127}=(?:[^\s;\"]{1,200}|\"[^\"]{0,200}\"))*\s*",
    re.ASCII,
)
TEXT, BYTES = "text/plain", "application/octet-stream"
_BINARY = DETECTED_BY_START | {"application/x-elf", "application/zip"}
"""Detected types that are never text."""
_TEXTUAL = frozenset(
    f"application/{each}" for each in ("json", "xml", "x-ndjson", "yaml", "toml", "javascript")
)
_WITHIN = {
    "application/zip": ("zip", "openxml", "opendocument", "epub", "java-archive", "package", "ms-"),
    "text/html": ("html", "xml", "svg", "text/"),
    "application/x-program": ("text/", "script", "x-sh", "program", "msdownload", "executable"),
    "application/x-elf": ("elf", "executable", "sharedlib", "object", "program"),
}
"""For each detected type, words in other types that such bytes may have as well."""


def is_well_formed(media_type: str) -> bool:
    """Whether a text is a media type, with or without parameters."""
    return WELL_FORMED.fullmatch(media_type) is not None


def find_contradicting_type(claimed: str, data: bytes) -> str | None:
    """Return the type of bytes that cannot have the declared type; None if they can."""
    claimed = normalize_media_type(claimed)
    real = detect_media_type(data[:ENOUGH])
    if real is None or real == claimed:
        return None
    if claimed in DETECTED_BY_START:
        return real
    is_text = claimed.startswith("text/") or claimed in _TEXTUAL or claimed == "image/svg+xml"
    return real if is_text and (real in _BINARY or _is_program(real, data)) else None


def _is_program(real: str, data: bytes) -> bool:
    return real == "application/x-program" and data.startswith(b"MZ")


def find_media_type(data: bytes, name: str = "") -> str:
    """Return the type of a file by its bytes, or by its name where the bytes are not conclusive."""
    real = detect_media_type(data[:ENOUGH])
    if real in DETECTED_BY_START or real == "application/x-elf":
        return real
    named = mimetypes.guess_type(name, strict=False)[0]
    if real is not None:
        near = named is not None and any(word in named for word in _WITHIN.get(real, ()))
        return named if named is not None and near else real
    if named in PICTURES or named == "application/pdf":
        named = None  # such bytes would have been detected
    if not _is_text(data):
        return BYTES if named is None or named.startswith("text/") else named
    words = named is not None and (named.startswith("text/") or named in _TEXTUAL)
    return named if named is not None and words else TEXT


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False
