"""Where Claude Code keeps its sessions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

CONFIG = "CLAUDE_CONFIG_DIR"
"""The variable with Claude Code's own folder; some people give several, with commas between."""


def find_places(home: Path, here: Path) -> Iterator[Path]:
    """The folders that hold a folder for each project."""
    for folder in filter(None, os.environ.get(CONFIG, "").split(",")):
        yield Path(folder) / "projects"
    yield home / ".claude" / "projects"
    yield home / ".config" / "claude" / "projects"
