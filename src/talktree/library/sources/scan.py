"""The scan: finding possible conversations below a path, by names and `stat` alone.

Paths are bytes, so names that are not text work like any others. Links are not followed and special
files not opened. A folder whose names look like one conversation is checked once.

Below a path that the user named, every file is a candidate, and files that are not read are
reported. In the usual places of agents only files with the usual names are candidates.

Places: the paths that `import` without arguments and `watch` scan again.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from talktree.errors import NotFound
from talktree.library.database.connection import Database

LIKELY = (
    *(b".jsonl", b".json", b".md", b".text", b".txt", b".eml", b".xml"),
    *(b".jsonl.gz", b".json.gz", b".jsonl.zst", b".json.zst"),
)
"""File name endings of conversations."""
_VARIANT = re.compile(
    rb"\.(?:jsonl|json|md|text|txt|eml|xml)(?:\.(?:gz|gzip|zst|zstd|bak|backup|old|orig|[0-9]{1,4})|~)+\Z",
    re.IGNORECASE,
)
"""The ending of a compressed file or a backup copy of such a file."""
PASSED_OVER = frozenset({b".git", b"node_modules", b"__pycache__", b".venv"})
"""Folders of other programs that hold no conversations, but many files."""
FLEETING = frozenset({b"lock"})
"""Transient files in the folder of a session."""
OF_A_SESSION = frozenset({b"messages.jsonl", b"snapshots.jsonl", b"metadata.json"})
SESSION_ENDINGS = (b".jsonl", b".jsonl.gz", b".jsonl.zst")
COMPANION_FOLDERS = frozenset({b"subagents", b"tool-results", b"workflows", b"session-memory"})
"""Folders in the folder of a session in which every file is examined, whatever its name is.

Formats define them as companion files; asking the formats would take longer than a scan that finds
nothing new.
"""
POSITIVE = (1 << 63) - 1
"""Some systems use all 64 bits for numbers; databases support one less."""
LINK = "a symbolic link; links are not followed"
DANGLING = "a symbolic link to a path that does not exist"
SPECIAL = "not a regular file or folder"
OTHER_PROGRAM = "a folder of another program, not searched (name it to import from it)"
OWN_STATE = "the account of a batch conversion, not a conversation"
BATCH_STATE = b".talktree-batch"
"""`files.source.BATCH_STATE` in bytes; importing that module would take longer than a scan."""
_MESSAGE = re.compile(rb"(?:\A|\0)[0-9]{1,18}\.md(?:\0|\Z)")
"""The name of a numbered message, in names joined with zero bytes."""


class FileStat(NamedTuple):
    """A file as `stat` reports it."""

    path: bytes
    size: int
    modified: int
    changed: int
    inode: int
    device: int


class FoundPath(NamedTuple):
    """A possible source: a file, or a folder with all files below it."""

    path: bytes
    kind: Literal["file", "folder"]
    files: tuple[FileStat, ...]
    asked: bool = False
    """Whether the user named it; then it is reported if it is not a conversation."""


class UnreadablePath(NamedTuple):
    """A path that could not be examined, and why."""

    path: bytes
    why: str
    absent: bool = False
    """Whether nothing exists there, as opposed to missing permissions."""


class UnreadPath(NamedTuple):
    """A link, a special file or a folder of another program that is not read, and why."""

    seen: FileStat
    why: str


Candidate = FoundPath | UnreadablePath | UnreadPath
Ask = Callable[[FileStat, tuple[FileStat, ...]], tuple[FileStat, ...] | None]
"""Returns the files of a folder that looks like one conversation; None if it is not one.

The other files are sources of their own.
"""
Same = Callable[[bytes, os.stat_result | None], bool]
"""Whether a file is unchanged; without a `stat`, whether anything is known of it."""


def find_candidates(
    root: bytes,
    is_one: Ask,
    is_same: Same,
    *,
    leave: Collection[bytes] = (),
    every: bool = False,
) -> Iterator[Candidate]:
    """Yield possible conversations below a path that changed, in the order of names.

    With `every`, all files are candidates, whatever their names are, and links, special files and
    folders of other programs are reported. Folders that are one source, and a path that was named
    directly, are always returned.
    """
    try:
        about = os.stat(root)
    except OSError as error:
        yield _to_unreadable_path(root, error)
        return
    if stat.S_ISREG(about.st_mode):
        yield FoundPath(root, "file", (to_file_stat(root, about),), asked=True)
    elif stat.S_ISDIR(about.st_mode):
        yield from _walk_below(root, is_one, is_same, leave, every=every)
    else:
        yield UnreadablePath(root, SPECIAL)


def _walk_below(
    root: bytes, is_one: Ask, is_same: Same, leave: Collection[bytes], *, every: bool
) -> Iterator[Candidate]:
    pending: list[tuple[bytes, _FolderKind]] = [(root, "any")]
    while pending:
        here, kind = pending.pop()
        try:
            files, folders, others = _list_folder(here)
            if _looks_like_one(files):
                parts = is_one(to_file_stat(here, os.lstat(here)), _list_files_below(here))
                if parts is not None:
                    yield FoundPath(here, "folder", parts)
                    beside = _drop_parts(files, parts)
                    yield from _find_changed(beside, is_same, every=every, likely=True)
                    continue
        except OSError as error:
            yield _to_unreadable_path(here, error)
            continue
        yield from _find_changed(files, is_same, every=every, likely=kind == "companions")
        if every:
            yield from _find_unread_folders(here, others, is_same)
        for name in sorted(folders, reverse=True):
            path = os.path.join(here, name)
            if path not in leave:
                pending.append((path, _classify_folder(name, kind, files)))


def _drop_parts(files: _Files, parts: tuple[FileStat, ...]) -> _Files:
    """Return the files of a folder that are not part of the conversation that the folder is."""
    paths = {seen.path for seen in parts}
    return {
        name: entry
        for name, entry in files.items()
        if entry.path not in paths and name not in FLEETING
    }


_FolderKind = Literal["any", "session", "companions"]


def _classify_folder(name: bytes, above: _FolderKind, files: _Files) -> _FolderKind:
    """Return the kind of a folder, from that of its parent and the files next to it."""
    if above == "companions" or (above == "session" and name in COMPANION_FOLDERS):
        return "companions"
    return "session" if any(name + ending in files for ending in SESSION_ENDINGS) else "any"


def is_likely(name: bytes) -> bool:
    """Whether a file has a usual name of a conversation."""
    return (
        name.endswith(LIKELY) or name.lower().endswith(LIKELY) or _VARIANT.search(name) is not None
    )


def _find_changed(
    files: _Files, is_same: Same, *, every: bool, likely: bool
) -> list[FoundPath | UnreadPath]:
    """Return the files of a folder that changed: most need no further work."""
    out: list[FoundPath | UnreadPath] = []
    for name, entry in files.items():
        path = entry.path
        # A file that was named once is known, whatever its name is.
        if not (every or likely or is_likely(name) or is_same(path, None)):
            continue
        try:
            about = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue  # it disappeared while the folder was read
        if is_same(path, about):
            continue
        seen = to_file_stat(path, about)
        if stat.S_ISREG(about.st_mode) and not name.startswith(BATCH_STATE):
            out.append(FoundPath(path, "file", (seen,)))
        elif every:
            out.append(UnreadPath(seen, _explain_unread(path, about)))
    return sorted(out, key=_path_of)


def _path_of(one: FoundPath | UnreadPath) -> bytes:
    return one.path if isinstance(one, FoundPath) else one.seen.path


def _explain_unread(path: bytes, about: os.stat_result) -> str:
    if stat.S_ISREG(about.st_mode):
        return OWN_STATE
    if not stat.S_ISLNK(about.st_mode):
        return SPECIAL
    return LINK if os.path.exists(path) else DANGLING


def _find_unread_folders(here: bytes, names: list[bytes], is_same: Same) -> Iterator[UnreadPath]:
    for name in sorted(names):
        path = os.path.join(here, name)
        try:
            about = os.lstat(path)
        except OSError:
            continue  # it disappeared meanwhile
        if not is_same(path, about):
            yield UnreadPath(to_file_stat(path, about), OTHER_PROGRAM)


_Files = dict[bytes, "os.DirEntry[bytes]"]


def _list_folder(here: bytes) -> tuple[_Files, list[bytes], list[bytes]]:
    """Return the files in a folder, its folders, and folders of other programs."""
    files: _Files = {}
    folders: list[bytes] = []
    others: list[bytes] = []
    with os.scandir(here) as entries:
        for entry in entries:
            name = entry.name
            if not entry.is_dir(follow_symlinks=False):
                files[name] = entry
            elif name in PASSED_OVER:
                others.append(name)
            else:
                folders.append(name)
    return files, folders, others


def _looks_like_one(names: _Files) -> bool:
    if not OF_A_SESSION.isdisjoint(names):
        return True
    joined = b"\0".join(names)
    return b".md" in joined and _MESSAGE.search(joined) is not None


def _list_files_below(root: bytes) -> tuple[FileStat, ...]:
    """Return all regular files below a folder; unreadable folders count as empty."""
    out: list[FileStat] = []
    pending = [root]
    while pending:
        here = pending.pop()
        try:
            files, folders, _ = _list_folder(here)
        except OSError:
            continue
        for name in sorted(files):
            if name not in FLEETING and files[name].is_file(follow_symlinks=False):
                try:
                    about = files[name].stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                out.append(to_file_stat(files[name].path, about))
        pending += [os.path.join(here, name) for name in sorted(folders, reverse=True)]
    return tuple(out)


def _to_unreadable_path(path: bytes, error: OSError) -> UnreadablePath:
    absent = isinstance(error, FileNotFoundError | NotADirectoryError)
    return UnreadablePath(path, error.strerror or str(error), absent)


def to_file_stat(path: bytes, about: os.stat_result) -> FileStat:
    """Return a file from its `stat` result."""
    return FileStat(
        path,
        about.st_size,
        about.st_mtime_ns,
        about.st_ctime_ns,
        about.st_ino & POSITIVE,
        about.st_dev & POSITIVE,
    )


_ALL = "SELECT path FROM places ORDER BY id"
_ADD = "INSERT INTO places (path, added) VALUES (?, ?) ON CONFLICT (path) DO NOTHING"
_REMOVE = "DELETE FROM places WHERE path = ?"

AnyPath = str | bytes | Path


class ImportRoots(NamedTuple):
    """The paths of one import, none below another."""

    paths: list[bytes]
    every: frozenset[bytes]
    """Those below which all files are examined, whatever their names are."""


def list_places(db: Database) -> list[bytes]:
    """Return all places, in the order in which they were added."""
    return [row[0] for row in db.read(_ALL)]


def to_place(path: AnyPath) -> bytes:
    """Return a path as places, sources and files store it: absolute, in bytes."""
    return os.path.abspath(os.fsencode(path))


def to_existing_places(paths: Iterable[AnyPath]) -> list[bytes]:
    """Return paths as places; raise an error if one does not exist."""
    found = []
    for path in paths:
        place = to_place(path)
        if not os.path.exists(place):
            raise NotFound(
                f"{os.fsdecode(os.fsencode(path))}: no such file or folder",
                hint="check the spelling",
            )
        found.append(place)
    return found


def add_places(db: Database, new: Sequence[bytes]) -> None:
    """Store paths as places; those below a known place add nothing."""
    known = list_places(db)
    added = [path for path in dict.fromkeys(new) if not _is_below(path, known)]
    if added:
        with db.transaction():
            db.run_many_atomically(_ADD, ((path, time.time_ns()) for path in added))


def remove_place(db: Database, path: AnyPath) -> bool:
    """Delete a place, but not its imports; return whether it was one."""
    return db.execute_change(_REMOVE, (to_place(path),)) > 0


def find_import_roots(named: Iterable[bytes], usual: Iterable[bytes]) -> ImportRoots:
    """Return the paths of an import: those that were named, and usual places of agents."""
    named = [*named]
    paths = drop_nested([*named, *usual])
    every = (path for path in paths if any(_is_below(each, [path]) for each in named))
    return ImportRoots(paths, frozenset(every))


def drop_nested(roots: Iterable[bytes]) -> list[bytes]:
    """Return paths without those below others of them, so that nothing is scanned twice."""
    out: list[bytes] = []
    for root in sorted(set(roots)):
        if not _is_below(root, out):
            out.append(root)
    return out


def _is_below(path: bytes, places: Sequence[bytes]) -> bool:
    return any(path == place or path.startswith(place.rstrip(b"/") + b"/") for place in places)
