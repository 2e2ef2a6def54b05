"""The sources in some paths: each file or folder that is a conversation of its own.

A folder that a format recognises as a whole is one source. Any other folder is walked, and so are
all folders with `each`. Files found on the way may be anything; whether one is a conversation is
decided when it is read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from msgspec import Struct

from talktree.errors import TalktreeError, UsageError
from talktree.files import Content, Source, load, strip_compression_suffix
from talktree.files.source import BATCH_STATE
from talktree.formats.companions import (
    find_companion_paths,
    list_companion_places,
    without_companions,
)
from talktree.formats.detect import FormatGuess, detect
from talktree.formats.format import Format, Probe
from talktree.formats.secrets import without_secrets

OWN = BATCH_STATE
"""The prefix of the names of a batch's own files in the output folder."""

SURE = 0.9
"""A file that its folder's format recognises with this confidence is not offered to other formats,
and another format needs this confidence for a file in the folder."""
MOST_LOOKED_AT = 100
"""Maximum number of files unknown to a format that are offered to the others."""


class Stamp(Struct, frozen=True):
    """The facts that show whether a source has changed since it was seen."""

    size: int = 0
    mtime_ns: int = 0
    files: int = 0


class SourceCandidate(Struct, frozen=True):
    """A file or folder that may be a conversation."""

    source: str
    """Its absolute path."""
    shown: str
    """The path as the user gave it."""
    relative: str
    """Its path relative to what was named, without its extension."""
    asked: bool
    """Whether the user named it; if so, it is an error if no format recognises it."""
    stamp: Stamp
    alone: bool = False
    """Whether it is read without its companion files."""
    without: frozenset[str] = frozenset()
    """Files of a folder that are sources of their own."""


def find_sources(
    paths: Sequence[str], *, each: bool = False, format: str | None = None
) -> list[SourceCandidate]:
    """Return everything in some paths that may be a conversation, in order, without duplicates."""
    if "-" in paths:
        raise UsageError("stdin is one conversation, not many", hint="name it alone")
    paths = paths if each else without_companions(paths)
    inside = {path: _find_sources_in(path, each=each, format=format) for path in paths}
    base = _base_folder(paths, inside)
    out: dict[str, SourceCandidate] = {}
    for path, places in inside.items():
        for place in [_Place(path)] if places is None else places:
            one = _make_candidate(place, base, asked=places is None, alone=each)
            out.setdefault(one.source, one)
    return list(out.values())


class _Place(NamedTuple):
    """A file or folder, without some of its files."""

    path: str
    without: frozenset[str] = frozenset()


def _find_sources_in(path: str, *, each: bool, format: str | None) -> Iterator[_Place] | None:
    """Yield the sources in a folder; None if it is one itself, or a file."""
    if not os.path.isdir(path) or (format is not None and not each):
        return None
    if each:
        return _walk_folder(path, each=True)
    try:
        foreign = find_foreign(load(path))
    except TalktreeError:
        # The error is reported when it is read.
        return None
    if foreign is None:
        return _walk_folder(path, each=False)
    return _split_folder(path, foreign) if foreign else None


def _split_folder(path: str, foreign: set[str]) -> Iterator[_Place]:
    """Yield a folder that is a source, and the files in it that are sources of their own."""
    yield _Place(path, frozenset(foreign))
    for name in sorted(foreign):
        yield _Place(os.path.join(path, name))


def load_candidate(found: SourceCandidate) -> Source:
    """Load what was found, without the files that are sources of their own."""
    source = load(found.source, shown=found.shown)
    return source.without_silently(found.without) if found.without else source


def is_one(source: Source) -> bool:
    """Whether a folder is one source: a conversation, or only conversations of one format."""
    return find_foreign(source) == set()


def find_foreign(source: Source) -> set[str] | None:
    """Return the files at the top of a folder that are sources of their own, of other formats.

    None if no format recognises the folder as a whole, or if it is a general folder: then
    everything that the format finds is in subfolders, beside files of other formats.
    """
    try:
        format = detect(source).format
        split = format.split(without_secrets(source, [format]))
    except TalktreeError:
        return None
    on_top = any("/" not in sheet.path for sheet in split.sheets)
    if not on_top and any(
        _is_conversation(source, path) for path in split.foreign_files[:MOST_LOOKED_AT]
    ):
        return None
    foreign = dict(_find_foreign_files(source, format))
    if len(foreign) < len(source.files):
        return set(foreign)
    # If no file alone has the format that they have together, they are one source, unless each of
    # them alone is one.
    return None if all(other.info.layout == "file" for other in foreign.values()) else set()


def _find_foreign_files(source: Source, format: Format) -> Iterator[tuple[str, Format]]:
    """Yield files at the top of a folder that are conversations of other formats.

    A file that is part of a conversation in several files is skipped.
    """
    alone, foreign_files = _find_standalone_files(source, format)
    for path, content in source.files.items():
        if "/" in path or path not in alone:
            continue
        single = Source(path, {path: content}, folder=False)
        own = format.detect(Probe(single))
        if own is not None and own.confidence >= SURE:
            if path in foreign_files and _is_detected(single, format):
                # It is a conversation, but its name is not one that the format has in folders.
                yield path, format
            continue
        other = _try_detect(single)
        # A part of another format's folder, such as its metadata, is not a source of its own.
        if other is not None and other.confidence >= SURE and other.format is not format:
            yield path, other.format


def _find_standalone_files(source: Source, format: Format) -> tuple[set[str], set[str]]:
    """Return the files that are a whole conversation or part of none, and the latter separately."""
    try:
        split = format.split(without_secrets(source, [format]))
    except TalktreeError:
        return set(), set()
    groups: dict[str, list[str]] = {}
    for sheet in split.sheets:
        groups.setdefault(getattr(sheet, "group", sheet.path), []).append(sheet.path)
    lone = {paths[0] for paths in groups.values() if len(paths) == 1}
    return lone.union(split.foreign_files), set(split.foreign_files)


def _is_detected(source: Source, format: Format) -> bool:
    found = _try_detect(source)
    return found is not None and found.format is format


def _try_detect(source: Source) -> FormatGuess | None:
    try:
        return detect(source)
    except TalktreeError:
        return None


def _is_conversation(source: Source, path: str) -> bool:
    name = path.rpartition("/")[2]
    try:
        detect(Source(name, {name: source.files[path]}, folder=False))
    except TalktreeError:
        return False
    return True


def _base_folder(paths: Sequence[str], inside: Mapping[str, object]) -> str:
    """Return the folder that names are relative to."""
    if len(paths) == 1 and inside[paths[0]] is not None:
        return os.path.abspath(paths[0])
    there = [path for path in paths if os.path.exists(path)] or paths
    return os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in there])


def _make_candidate(place: _Place, base: str, *, asked: bool, alone: bool) -> SourceCandidate:
    path = place.path
    source = os.path.abspath(path)
    relative = PurePosixPath(os.path.relpath(source, base))
    if str(relative) == ".":
        relative = PurePosixPath(os.path.basename(source))
    if not os.path.isdir(source):
        relative = relative.with_name(PurePosixPath(strip_compression_suffix(relative.name)).stem)
    stamp = compute_stamp(source, *(() if alone else list_companion_places(source)))
    return SourceCandidate(source, path, str(relative), asked, stamp, alone, place.without)


def _walk_folder(root: str, *, each: bool) -> Iterator[_Place]:
    """Yield the files below a folder; unless `each` is set, folders of one format as a whole."""
    pending: list[tuple[str, Mapping[str, Content]]] = [(root, load(root).files)]
    while pending:
        here, files = pending.pop()
        if not each:
            belonging = find_companion_paths(files)
            files = {path: content for path, content in files.items() if path not in belonging}
        folders: dict[str, dict[str, Content]] = {}
        for path, content in files.items():
            top, deeper, rest = path.partition("/")
            if top.startswith(OWN):
                continue
            if deeper:
                folders.setdefault(top, {})[rest] = content
            else:
                yield _Place(os.path.join(here, path))
        for name, inside in reversed(folders.items()):
            folder = os.path.join(here, name)
            foreign = None if each else find_foreign(Source(name, inside, folder=True))
            if foreign is None:
                pending.append((folder, inside))
            else:
                yield from _split_folder(folder, foreign)


def compute_stamp(*paths: str) -> Stamp:
    """Return the size, the newest time and the number of files; all 0 if they cannot be read."""
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
