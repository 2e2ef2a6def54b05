"""Folders in which ShareGPT conversations are searched for on request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def find_places(home: Path, here: Path) -> Iterator[Path]:
    """Yield a folder in the home directory."""
    yield home / "sharegpt"
