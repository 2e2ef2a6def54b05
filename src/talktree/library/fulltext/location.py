"""The place of a library's full-text index, without loading the code that reads it."""

from __future__ import annotations

from pathlib import Path

NUMBER = 1
"""The number of the index's schema; an index of another number is ignored."""
FOLDER = "fulltext"
MANIFEST = "meta.json"
"""The file that tantivy replaces at each commit."""
ENCRYPTED = "encrypted.sqlite"
"""The index of an encrypted library."""


def fulltext_folder(root: Path) -> Path:
    """Return the folder of a library's index."""
    return root / FOLDER / str(NUMBER)


def has_fulltext_index(root: Path, *, encrypted: bool = False) -> bool:
    """Whether a library has an index of the current number."""
    return (fulltext_folder(root) / (ENCRYPTED if encrypted else MANIFEST)).exists()
