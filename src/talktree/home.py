"""Where Talktree keeps what belongs to a person on this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HOME = "TALKTREE_HOME"
"""The environment variable that names another folder."""
CONFIG = "config.toml"


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


def config_file() -> Path:
    """The user's own configuration; no folder that is read or checked can bring another one."""
    told = os.environ.get(HOME)
    if told:
        return Path(told) / CONFIG
    if sys.platform in ("darwin", "win32"):
        return data_home() / CONFIG
    base = os.environ.get("XDG_CONFIG_HOME") or ""
    # A relative path there would mean another file in each folder, so it does not count.
    return (Path(base) if os.path.isabs(base) else Path.home() / ".config") / "talktree" / CONFIG
