"""Where the built page is, and what is said where nobody built it."""

from __future__ import annotations

from pathlib import Path

STATIC = Path(__file__).parent / "static"
INDEX = "index.html"
MISSING = "the page of the studio is not built"
HOW = "run `make frontend` in the source tree, or install talktree with pip"


def is_built(folder: Path = STATIC) -> bool:
    """Whether there is a page."""
    return (folder / INDEX).is_file()
