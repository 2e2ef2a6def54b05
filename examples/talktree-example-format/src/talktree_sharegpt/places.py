"""Where conversations of the ShareGPT kind are looked for on request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def find_places(home: Path, here: Path) -> Iterator[Path]:
    """A folder in the home."""
    yield home / "sharegpt"
