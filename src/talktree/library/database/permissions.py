"""The permissions of a library's folder: tightened when it is written to, reported by a check."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from talktree.files.private import (
    OTHERS,
    make_private,
    refuse_untrusted,
    tighten_file,
)
from talktree.home import data_home
from talktree.library.encryption.state import KEY_COPY, KEY_FILE
from talktree.library.erasure.key import NAME as FORGET_KEY
from talktree.library.fulltext.location import FOLDER
from talktree.library.temporary import FOLDER as TEMPORARY

LOCK = "writing"
OWN = "library"
"""The folder of the user's library in the data folder."""
LOGS = ("-wal", "-shm", "-journal")


def secure_library(database: Path) -> None:
    """Create the folder of a library for its owner only, or tighten an existing one.

    A folder that also holds other things keeps its mode: the library's own files in it are private
    in any case. Raises `RefusedInput` if others own the folder or can write to it.
    """
    folder = database.parent
    if _is_shared(database):
        refuse_untrusted(folder, folder.stat())
    else:
        make_private(folder)
    for path in _list_database_files(database):
        tighten_file(path)


def find_exposed_paths(database: Path) -> Iterator[tuple[Path, str]]:
    """Yield the paths that other users can access, each with the command that fixes it."""
    folder = database.parent
    folders = [folder, folder / FOLDER]
    home = data_home()
    if home in folder.parents:
        folders.append(home)
    if _is_shared(database):
        folders.remove(folder)
    for path, mode in [
        *((each, 700) for each in folders),
        *((f, 600) for f in _list_database_files(database)),
    ]:
        try:
            found = path.stat()
        except OSError:
            continue
        if found.st_mode & OTHERS:
            yield path, f"chmod {mode} {shlex.quote(str(path))}"


def _list_database_files(database: Path) -> list[Path]:
    return [database, *(database.with_name(database.name + log) for log in LOGS)]


def _is_shared(database: Path) -> bool:
    """Whether the folder of a library also holds other files.

    Libraries in the data folder have a folder of their own.
    """
    home = data_home()
    if database.parent == home / OWN or home / TEMPORARY in database.parents:
        return False
    own = {path.name for path in _list_database_files(database)} | {
        FOLDER,
        LOCK,
        KEY_FILE,
        KEY_COPY,
        FORGET_KEY,
    }
    try:
        return any(name not in own for name in os.listdir(database.parent))
    except FileNotFoundError:
        return False
