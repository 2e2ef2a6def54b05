"""Files that were dropped into the studio: Talktree's own copies, next to their library.

They are not the user's files, so forgetting and scrubbing erase from them as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from talktree.home import data_home
from talktree.library.encryption.file_erasure import erase_file, erase_folder

NAME = "dropped"
LIBRARY = "library"
"""The folder of the library in the data folder."""


def dropped_files_folder(root: Path) -> Path:
    """Return the folder of the files dropped into the studio, for the library in a folder."""
    if root == data_home() / LIBRARY:
        return data_home() / NAME
    return root.with_name(f"{root.name}-{NAME}")


def is_dropped(root: Path, path: bytes) -> bool:
    """Whether a path is inside the folder of dropped files."""
    folder = os.path.realpath(os.fsencode(dropped_files_folder(root)))
    parent, name = os.path.split(path)
    return os.path.join(os.path.realpath(parent), name).startswith(folder + b"/")


def list_dropped_files(root: Path) -> Iterator[bytes]:
    """Yield all dropped files that are still kept; links are left out."""
    for folder, _, names in os.walk(os.fsencode(dropped_files_folder(root))):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def erase_dropped(root: Path, paths: Iterable[bytes]) -> None:
    """Erase those of some files and folders that were dropped; all others stay."""
    for path in paths:
        if not is_dropped(root, path):
            continue
        place = Path(os.fsdecode(path))
        if place.is_dir() and not place.is_symlink():
            erase_folder(place)
        else:
            erase_file(place)
