"""Where Talktree keeps what belongs to a person on this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HOME = "TALKTREE_HOME"
"""The environment variable that names another folder."""


def data_home() -> Path:
    """The folder for what belongs to this user on this machine."""
    told = os.environ.get(HOME)
    if told:
        return Path(told)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "talktree"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "talktree"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "talktree"
