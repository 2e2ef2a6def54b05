"""The names of message files: a number and `.md`, in the folder of their conversation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from talktree.errors import UsageError
from talktree.model.entries import Entry, Head

CONFIG = "config.json"
_NUMBERED = re.compile(r"(?:.*/)?([0-9]{1,18})\.md", re.DOTALL)


def folder_of(path: str) -> str:
    """The folder a path is in; empty for the top."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """The name of a file without its folder."""
    return path.rpartition("/")[2]


def is_config(path: str) -> bool:
    """Whether a file holds the settings of its folder."""
    return name_of(path) == CONFIG


def digits_of(path: str) -> str | None:
    """The number in a message file's name as it is written, or None if it is no such file."""
    found = _NUMBERED.fullmatch(path)
    return found[1] if found else None


def message_folders(paths: Iterable[str]) -> dict[str, list[str]]:
    """The message files by folder, each folder's in numeric order."""
    folders: dict[str, list[tuple[int, str, str]]] = {}
    for path in paths:
        digits = digits_of(path)
        if digits is not None:
            folders.setdefault(folder_of(path), []).append((int(digits), digits, path))
    return {folder: [path for _, _, path in sorted(found)] for folder, found in folders.items()}


def named(order: Sequence[str | Entry], *, main_file: str) -> list[str]:
    """Names for files in order: those that exist keep their number unless it is taken."""
    folder = folder_of(main_file)
    inside = f"{folder}/" if folder else ""
    old = [digits for each in order if isinstance(each, str) and (digits := digits_of(each))]
    # Numbering starts at 1, or at 0 where the folder does, as wide as the first name is.
    last = (min(1, int(old[0])) - 1 if old else 0, "")
    width = len(old[0]) if old and old[0].startswith("0") and len(old[0]) > 1 else 1
    names = []
    for each in order:
        digits = digits_of(each) if isinstance(each, str) else None
        if isinstance(each, str) and digits is None:
            names.append(each)
        elif isinstance(each, Head):
            names.append(_config(inside, names))
        else:
            if digits is None or (int(digits), digits) <= last:
                digits = str(last[0] + 1).zfill(width)
            last = (int(digits), digits)
            names.append(f"{inside}{digits}.md")
    return names


def _config(inside: str, names: list[str]) -> str:
    path = f"{inside}{CONFIG}"
    if path in names:
        raise UsageError(
            f"{inside or 'the folder'} has a {CONFIG} already", hint="change that one instead"
        )
    return path
