"""Private folders, which only their owner can enter: created, tightened, or refused.

Everything that Talktree keeps for a user is in such a folder. Outputs at the user's own paths
follow the umask and are not handled here.
"""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path

from talktree.errors import RefusedInput
from talktree.home import data_home

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
OTHERS = 0o077
"""The permission bits of everyone but the owner."""


def make_private(folder: Path) -> None:
    """Create a folder that only its owner can enter, or tighten an existing one.

    Missing parents are created in the same way. Inside the data folder, the data folder itself is
    tightened, too. Raise `RefusedInput` if others own it or can write to it: its content may be
    theirs.
    """
    home = data_home()
    if home in folder.parents and home.exists():
        tighten(home)
    create_folders(folder)
    tighten(folder)


def create_folders(folder: Path) -> None:
    """Create a folder and its parents for the owner only, whatever the umask is."""
    missing = []
    while not folder.exists() and not folder.is_symlink():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(PRIVATE_FOLDER, exist_ok=True)


def tighten(folder: Path) -> None:
    """Remove all permissions of others from a folder; raise `RefusedInput` if it cannot be
    trusted."""
    found = folder.stat()
    refuse_untrusted(folder, found)
    if found.st_mode & OTHERS:
        folder.chmod(PRIVATE_FOLDER)


def tighten_file(path: Path) -> None:
    """Remove all permissions of others from a file, if it exists and is not a link."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    try:
        found = os.fstat(fd)
        if stat.S_ISREG(found.st_mode) and found.st_mode & OTHERS and _is_own(found):
            os.fchmod(fd, PRIVATE_FILE)
    finally:
        os.close(fd)


def refuse_untrusted(folder: Path, found: os.stat_result) -> None:
    """Raise `RefusedInput` if a folder belongs to another user or everyone can write to it."""
    if not _is_own(found):
        raise RefusedInput(
            f"{folder}: this folder belongs to another user",
            hint="run talktree as its owner, or name a folder of your own with TALKTREE_HOME",
        )
    refuse_writable(folder, found)


def refuse_writable(folder: Path, found: os.stat_result) -> None:
    """Raise `RefusedInput` if everyone can write to a folder: its content may be planted."""
    if found.st_mode & stat.S_IWOTH:
        raise RefusedInput(
            f"{folder}: every user of this machine can write to this folder",
            hint=f"check what is in it, then run: chmod 700 {shlex.quote(str(folder))}",
        )


def _is_own(found: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
