"""The sources in some paths: each file or folder that is a conversation of its own.

A folder that a format recognises as a whole is one source. Any other is walked, and so are all if
each file is wanted alone. Files found on the way may be anything; whether one is a conversation is
seen when its turn comes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct

from talktree.errors import TalktreeError, UsageError
from talktree.files import Content, Source, bare_name, load
from talktree.files.source import BATCH_STATE
from talktree.formats.companions import (
    companion_paths,
    places_of_companions,
    without_companions,
)
from talktree.formats.detect import detect
from talktree.formats.secrets import without_secrets

OWN = BATCH_STATE
"""What the names of a batch's own files in the output folder begin with."""

MOST_LOOKED_AT = 100
"""How many files that a format does not know are tried with the others."""


class Stamp(Struct, frozen=True):
    """What tells that a source is still the one that was seen."""

    size: int = 0
    mtime_ns: int = 0
    files: int = 0


class Found(Struct, frozen=True):
    """A file or folder that may be a conversation."""

    source: str
    """Its absolute path."""
    shown: str
    """The path as the person knows it."""
    relative: str
    """Where it lies below what was asked for, without its ending."""
    asked: bool
    """Whether it was named; then it is a failure if no format recognises it."""
    stamp: Stamp
    alone: bool = False
    """Whether it is read without its companion files."""


def found(paths: Sequence[str], *, each: bool = False, format: str | None = None) -> list[Found]:
    """Everything in some paths that may be a conversation, in order and once."""
    if "-" in paths:
        raise UsageError("stdin is one conversation, not many", hint="name it alone")
    paths = paths if each else without_companions(paths)
    walked = {
        path: os.path.isdir(path) and (each or (format is None and not is_recognised(Path(path))))
        for path in paths
    }
    base = _base(paths, walked)
    out: dict[str, Found] = {}
    for path, walks in walked.items():
        inside = _walked(path, each=each) if walks else [path]
        for shown in inside:
            one = _found(shown, base, asked=not walks, alone=each)
            out.setdefault(one.source, one)
    return list(out.values())


def is_recognised(path: Path) -> bool:
    """Whether a folder is one source: a conversation, or several of one format."""
    try:
        source = load(path)
    except TalktreeError:
        # Its turn will tell why it cannot be read.
        return True
    return is_one(source)


def is_one(source: Source) -> bool:
    """Whether a format recognises a folder as a whole, and it is no mere place for many things.

    It is such a place if all the format finds lies in folders inside, beside what others know.
    """
    try:
        format = detect(source).format
        split = format.split(without_secrets(source, [format]))
    except TalktreeError:
        return False
    if any("/" not in sheet.path for sheet in split.sheets):
        return True
    return not any(_is_conversation(source, path) for path in split.strangers[:MOST_LOOKED_AT])


def _is_conversation(source: Source, path: str) -> bool:
    name = path.rpartition("/")[2]
    try:
        detect(Source(name, {name: source.files[path]}, folder=False))
    except TalktreeError:
        return False
    return True


def _base(paths: Sequence[str], walked: Mapping[str, bool]) -> str:
    """The folder that names are relative to."""
    if len(paths) == 1 and walked[paths[0]]:
        return os.path.abspath(paths[0])
    there = [path for path in paths if os.path.exists(path)] or paths
    return os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in there])


def _found(path: str, base: str, *, asked: bool, alone: bool) -> Found:
    source = os.path.abspath(path)
    relative = PurePosixPath(os.path.relpath(source, base))
    if not os.path.isdir(source):
        relative = relative.with_name(PurePosixPath(bare_name(relative.name)).stem)
    stamp = stamp_of(source, *(() if alone else places_of_companions(source)))
    return Found(source, path, str(relative), asked, stamp, alone)


def _walked(root: str, *, each: bool) -> Iterator[str]:
    """The files below a folder; unless each is wanted, folders of one format in their place."""
    pending: list[tuple[str, Mapping[str, Content]]] = [(root, load(root).files)]
    while pending:
        here, files = pending.pop()
        if not each:
            belonging = companion_paths(files)
            files = {path: content for path, content in files.items() if path not in belonging}
        folders: dict[str, dict[str, Content]] = {}
        for path, content in files.items():
            top, deeper, rest = path.partition("/")
            if top.startswith(OWN):
                continue
            if deeper:
                folders.setdefault(top, {})[rest] = content
            else:
                yield os.path.join(here, path)
        for name, inside in reversed(folders.items()):
            if not each and is_one(Source(name, inside, folder=True)):
                yield os.path.join(here, name)
            else:
                pending.append((os.path.join(here, name), inside))


def stamp_of(*paths: str) -> Stamp:
    """The size, the newest time and the number of files; all 0 for what cannot be looked at."""
    try:
        seen = []
        for path in map(os.path.realpath, paths):
            seen.append(os.stat(path))
            for here, folders, files in os.walk(path):
                seen += [os.lstat(os.path.join(here, name)) for name in (*folders, *files)]
    except OSError:
        return Stamp()
    sizes = [each.st_size for each in seen if not stat.S_ISDIR(each.st_mode)]
    return Stamp(sum(sizes), max(each.st_mtime_ns for each in seen), len(sizes))
