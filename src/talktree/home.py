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
    home = os.environ.get(HOME)
    return Path(home) if home else _default_data_home()


def _default_data_home() -> Path:
    """The data folder unless the environment names another one."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "talktree"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "talktree"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "talktree"


def config_file() -> Path:
    """The configuration that is read: the file in `TALKTREE_HOME` if it exists, else the user's.

    No folder that is read or checked can bring another one.
    """
    home = os.environ.get(HOME)
    if home:
        own = Path(home) / CONFIG
        # A link to nowhere counts as well: to pass over it would hide that its settings are gone.
        if os.path.lexists(own):
            return own
    return user_config_file()


def user_config_file() -> Path:
    """The configuration of this user, wherever the data folder is."""
    if sys.platform in ("darwin", "win32"):
        return _default_data_home() / CONFIG
    base = os.environ.get("XDG_CONFIG_HOME") or ""
    # A relative path there would mean another file in each folder, so it does not count.
    return (Path(base) if os.path.isabs(base) else Path.home() / ".config") / "talktree" / CONFIG
