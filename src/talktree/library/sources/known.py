"""Where known programs keep conversations. Nobody looks there unless asked to."""

from __future__ import annotations

import os
from pathlib import Path

CLAUDE_CONFIG = "CLAUDE_CONFIG_DIR"


def known_places() -> list[Path]:
    """The folders of known programs that exist on this machine."""
    home = Path.home()
    try:
        here = Path.cwd()
    except FileNotFoundError:
        here = home  # the working folder was deleted
    candidates = [
        *(Path(told) / "projects" for told in _told_by_claude()),
        home / ".claude" / "projects",
        home / ".config" / "claude" / "projects",
        here / ".sage" / "sessions",
        home / ".sage" / "sessions",
    ]
    there = {os.path.realpath(path): path for path in reversed(candidates) if path.is_dir()}
    return list(reversed(there.values()))


def _told_by_claude() -> list[str]:
    """The configured folders of Claude Code; there may be several, with commas between."""
    return [path for path in os.environ.get(CLAUDE_CONFIG, "").split(",") if path]
