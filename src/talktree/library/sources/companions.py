"""Whether a file that is not a conversation belongs to one."""

from __future__ import annotations

import os
from collections.abc import Iterator

from talktree.formats import all_formats
from talktree.library.sources.scan import SESSION_ENDINGS


def is_companion(path: bytes) -> bool:
    """Whether a file is a companion file of a file that exists."""
    return any(os.path.isfile(os.fsencode(owner)) for owner in _find_owners(os.fsdecode(path)))


def _find_owners(path: str) -> Iterator[str]:
    """Yield the files that a file belongs to, according to their names."""
    formats = all_formats()
    folder = os.path.dirname(path)
    while (above := os.path.dirname(folder)) != folder:
        for ending in SESSION_ENDINGS:
            name = os.path.basename(folder) + os.fsdecode(ending)
            for format in formats:
                for each in format.companions.list_folders(name):
                    if path.startswith(os.path.join(above, each) + os.sep):
                        yield os.path.join(above, name)
        folder = above
