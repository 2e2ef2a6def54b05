"""The walk: what may be a conversation below a path, by names and `stat` alone.

Paths are bytes, so names that are no text work like any others. Links are not followed and special
files not opened. A folder whose names look like one conversation is asked about once.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Literal, NamedTuple

LIKELY = (b".jsonl", b".json", b".md", b".text", b".txt", b".eml", b".xml")
"""What the names of conversations end with; other files are only looked at when they are named."""
PASSED_OVER = frozenset({b".git", b"node_modules", b"__pycache__", b".venv"})
"""Folders of other programs that hold no conversations, but many files."""
FLEETING = frozenset({b"lock"})
"""Files in the folder of a session that come and go."""
_OF_A_SESSION = frozenset({b"messages.jsonl", b"snapshots.jsonl", b"metadata.json"})
_POSITIVE = (1 << 63) - 1
"""Some systems number with all 64 bits; databases know one less."""
_MESSAGE = re.compile(rb"[0-9]{1,18}\.md")


class Seen(NamedTuple):
    """A file as `stat` shows it."""

    path: bytes
    size: int
    modified: int
    changed: int
    inode: int
    device: int


class Found(NamedTuple):
    """What may be a source: a file, or a folder with all files below it."""

    path: bytes
    kind: Literal["file", "folder"]
    files: tuple[Seen, ...]
    asked: bool = False
    """Whether it was named; then it is told if it is no conversation."""


class Closed(NamedTuple):
    """A path that could not be looked at, and why."""

    path: bytes
    why: str
    absent: bool = False
    """Whether nothing is there, rather than something that is closed to us."""


Ask = Callable[[Seen, tuple[Seen, ...]], bool]
"""Whether a folder that looks like one conversation, with the files below it, is one."""


def found(root: bytes, is_one: Ask, *, leave: Collection[bytes] = ()) -> Iterator[Found | Closed]:
    """Everything below a path that may be a conversation, in the order of names."""
    try:
        about = os.stat(root)
    except OSError as error:
        yield _closed(root, error)
        return
    if stat.S_ISREG(about.st_mode):
        yield Found(root, "file", (seen_as(root, about),), asked=True)
    elif stat.S_ISDIR(about.st_mode):
        yield from _below(root, is_one, leave)
    else:
        yield Closed(root, "not a regular file or folder")


def _below(root: bytes, is_one: Ask, leave: Collection[bytes]) -> Iterator[Found | Closed]:
    pending = [root]
    while pending:
        here = pending.pop()
        try:
            files, folders = _listed(here)
        except OSError as error:
            yield _closed(here, error)
            continue
        if _looks_like_one(files):
            inside = _inside(here)
            if is_one(seen_as(here, os.lstat(here)), inside):
                yield Found(here, "folder", inside)
                continue
        for name in sorted(files):
            if name.lower().endswith(LIKELY):
                yield Found(files[name].path, "file", (files[name],))
        deeper = (os.path.join(here, name) for name in sorted(folders, reverse=True))
        pending += [path for path in deeper if path not in leave]


def _listed(here: bytes) -> tuple[dict[bytes, Seen], list[bytes]]:
    """The regular files and the folders in a folder."""
    files: dict[bytes, Seen] = {}
    folders: list[bytes] = []
    with os.scandir(here) as entries:
        for entry in entries:
            name = entry.name
            if entry.is_file(follow_symlinks=False):
                try:
                    files[name] = seen_as(entry.path, entry.stat(follow_symlinks=False))
                except FileNotFoundError:
                    continue  # it went away while the folder was read
            elif name not in PASSED_OVER and entry.is_dir(follow_symlinks=False):
                folders.append(name)
    return files, folders


def _looks_like_one(names: Mapping[bytes, Seen]) -> bool:
    return not _OF_A_SESSION.isdisjoint(names) or any(map(_MESSAGE.fullmatch, names))


def _inside(root: bytes) -> tuple[Seen, ...]:
    """All files below a folder; what cannot be listed is as if it were empty."""
    out: list[Seen] = []
    pending = [root]
    while pending:
        here = pending.pop()
        try:
            files, folders = _listed(here)
        except OSError:
            continue
        out += [files[name] for name in sorted(files) if name not in FLEETING]
        pending += [os.path.join(here, name) for name in sorted(folders, reverse=True)]
    return tuple(out)


def _closed(path: bytes, error: OSError) -> Closed:
    absent = isinstance(error, FileNotFoundError | NotADirectoryError)
    return Closed(path, error.strerror or str(error), absent)


def seen_as(path: bytes, about: os.stat_result) -> Seen:
    """A file as `stat` has shown it."""
    return Seen(
        path,
        about.st_size,
        about.st_mtime_ns,
        about.st_ctime_ns,
        about.st_ino & _POSITIVE,
        about.st_dev & _POSITIVE,
    )
