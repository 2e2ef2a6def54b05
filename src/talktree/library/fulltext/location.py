"""Where the full-text index of a library is; known without loading what reads it."""

from __future__ import annotations

from pathlib import Path

NUMBER = 1
"""The number of the index's schema; an index of another number is not looked at."""
FOLDER = "fulltext"
MANIFEST = "meta.json"
"""What tantivy replaces at each commit."""
ENCRYPTED = "encrypted.sqlite"
"""The index of an encrypted library."""


def fulltext_folder(root: Path) -> Path:
    """Where the index of a library is."""
    return root / FOLDER / str(NUMBER)


def has_fulltext_index(root: Path, *, encrypted: bool = False) -> bool:
    """Whether a library has an index of today's number."""
    return (fulltext_folder(root) / (ENCRYPTED if encrypted else MANIFEST)).exists()
