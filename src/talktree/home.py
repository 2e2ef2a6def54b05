"""The folder of a user's data on this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HOME = "TALKTREE_HOME"
"""The environment variable that names another folder."""
CONFIG = "config.toml"


def data_home() -> Path:
    """Return the folder for this user's data on this machine."""
    home = os.environ.get(HOME)
    return Path(home) if home else _default_data_home()


def _default_data_home() -> Path:
    """Return the default data folder, unless the environment names another one."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "talktree"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "talktree"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "talktree"


def config_file() -> Path:
    """Return the configuration file: the one in `TALKTREE_HOME` if it exists, else the user's.

    Folders that are read or checked cannot supply another one.
    """
    home = os.environ.get(HOME)
    if home:
        own = Path(home) / CONFIG
        # A dangling link counts as well: ignoring it would hide that its settings are missing.
        if os.path.lexists(own):
            return own
    return user_config_file()


def user_config_file() -> Path:
    """Return the configuration file of this user, wherever the data folder is."""
    if sys.platform in ("darwin", "win32"):
        return _default_data_home() / CONFIG
    base = os.environ.get("XDG_CONFIG_HOME") or ""
    # A relative path would mean another file in each folder, so it is ignored.
    return (Path(base) if os.path.isabs(base) else Path.home() / ".config") / "talktree" / CONFIG
