"""Where Sage keeps its sessions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def find_places(home: Path, here: Path) -> Iterator[Path]:
    """The folders of sessions in the working folder and in the home."""
    yield here / ".sage" / "sessions"
    yield home / ".sage" / "sessions"
