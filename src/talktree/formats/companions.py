"""Companion files: files that belong to another file, such as the sub-agents of a session.

A format defines where they are: in folders named after the file, or beside it under names of their
own and with contents that name the file. They are read, converted and restored together with it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Protocol

from talktree.errors import TalktreeError, Unreadable
from talktree.files import Content, OnDisk, Source, load, stem_of
from talktree.files.source import MOST_FILES, load_companions, natural_sort_key
from talktree.formats import all_formats
from talktree.formats.detect import detect
from talktree.formats.format import Format

SETTLED = 2 * 10**9
"""Nanoseconds after a change in which a folder may change again unnoticed."""


class FolderView(Protocol):
    """The folder that a file is in. All paths are relative to it."""

    def list_names(self) -> Iterable[str]:
        """Return the names of the regular files in it."""

    def list_files_below(self, folder: str) -> Sequence[str]:
        """Return the paths of all regular files below one of its folders."""

    def read_content(self, path: str) -> Content:
        """Return the content of a file."""


class FolderCompanions:
    """The files of one folder that may be companions of a file beside them."""

    def __init__(self, format: Format, around: FolderView) -> None:
        self._rules = format.companions
        self._around = around

    def find_companions(self, name: str, content: Content) -> Iterator[str]:
        """Yield those that belong to a file."""
        for alias in self._rules.find_aliases(name, content) if self._owners else ():
            if alias == stem_of(name) or alias not in self._stems:
                yield from (each for each in self._owners.get(alias, ()) if each != name)

    @cached_property
    def names(self) -> list[str]:
        """All of them."""
        pattern = self._rules.names
        found = [] if pattern is None else filter(pattern.fullmatch, self._around.list_names())
        return sorted(found, key=natural_sort_key)

    @cached_property
    def _owners(self) -> dict[str, list[str]]:
        """All of them by the stem or alias of the file that they name."""
        owners: dict[str, list[str]] = {}
        for each in self.names:
            try:
                owner = self._rules.find_owner(each, self._around.read_content(each))
            except TalktreeError:
                continue  # it was removed, or it cannot be read
            if owner is not None:
                owners.setdefault(owner, []).append(each)
        return owners

    @cached_property
    def _stems(self) -> set[str]:
        """The stems of all other files."""
        mine = set(self.names)
        return {stem_of(each) for each in self._around.list_names() if each not in mine}


class Companions:
    """The companion files of the files of one format in one folder."""

    def __init__(
        self, format: Format, around: FolderView, siblings: FolderCompanions | None = None
    ) -> None:
        self._rules = format.companions
        self._around = around
        self._siblings = siblings or FolderCompanions(format, around)

    def find_companions(self, name: str, content: Content) -> dict[str, Content]:
        """Return the companion files of a file, by their paths."""
        paths: list[str] = []
        for folder in self._rules.list_folders(name):
            paths += self._around.list_files_below(folder)
        paths += self._siblings.find_companions(name, content)
        if len(paths) > MOST_FILES:
            raise Unreadable(
                f"{name}: more than {MOST_FILES} files belong to it", hint="move some of them away"
            )
        return {path: self._around.read_content(path) for path in dict.fromkeys(paths)}

    def can_have_companions(self, name: str) -> bool:
        """Whether a file may have companion files, judged by names only."""
        if any(self._around.list_files_below(folder) for folder in self._rules.list_folders(name)):
            return True
        names = self._siblings.names
        return bool(names) and name not in names


class FolderOnDisk(FolderView):
    """A folder on disk."""

    def __init__(self, path: Path, shown: str | None = None) -> None:
        """Open a folder; `shown` is its path as the user gave it, for messages."""
        self._path = path
        self._shown = str(path) if shown is None else shown
        self.skipped: list[str] = []
        """Links and special files among the companions."""

    def list_names(self) -> Iterable[str]:
        try:
            with os.scandir(self._path) as entries:
                return [each.name for each in entries if each.is_file(follow_symlinks=False)]
        except OSError:
            return []

    def list_files_below(self, folder: str) -> Sequence[str]:
        files, skipped = load_companions(self._path, folder)
        self.skipped += skipped
        return files

    def read_content(self, path: str) -> Content:
        return OnDisk(self._path / path, shown=os.path.join(self._shown, path))


class FolderOfSource(FolderView):
    """A folder whose files are already loaded."""

    def __init__(self, files: Mapping[str, Content]) -> None:
        self._files = files
        self._tops: dict[str, list[str]] = {}
        for path in files:
            top, inside, _ = path.partition("/")
            self._tops.setdefault(top if inside else "", []).append(path)

    def list_names(self) -> Iterable[str]:
        return self._tops.get("", [])

    def list_files_below(self, folder: str) -> Sequence[str]:
        inside = self._tops.get(folder.partition("/")[0], [])
        return [path for path in inside if path.startswith(f"{folder}/")]

    def read_content(self, path: str) -> Content:
        return self._files[path]


def with_companions(source: Source, format: Format) -> Source:
    """Return a source that is one file on disk, together with its companion files."""
    if source.place is None or source.folder:
        return source
    # A link to a file represents that file, so the companions are beside the file itself.
    path, folder = source.place, os.path.dirname(source.shown)
    if path.is_symlink():
        path = Path(os.path.realpath(path))
        folder = str(path.parent)
    (content,) = source.files.values()
    around = FolderOnDisk(path.parent, folder)
    siblings = _load_siblings(str(path.parent), _folder_state(path.parent), format)
    found = Companions(format, around, siblings).find_companions(path.name, content)
    if not found:
        return source
    return Source(
        path.name,
        {path.name: content, **found},
        folder=True,
        skipped=(*source.skipped, *around.skipped),
        withheld=source.withheld,
        place=source.place,
        shown=source.shown,
    )


def are_companion_paths(format: Format, name: str, paths: Iterable[str]) -> bool:
    """Whether all paths are where a format has the companion files of a file."""
    folders = tuple(f"{folder}/" for folder in format.companions.list_folders(name))
    pattern = format.companions.names
    return all(
        path.startswith(folders) or (pattern is not None and pattern.fullmatch(path))
        for path in paths
    )


def find_companion_paths(files: Mapping[str, Content]) -> set[str]:
    """Return the files of a folder that are companions of a file directly in it."""
    around = FolderOfSource(files)
    found: set[str] = set()
    known = {each.info.slug: Companions(each, around) for each in all_formats()}
    for name in around.list_names():
        if any(each.can_have_companions(name) for each in known.values()):
            format = _format_of(name, files[name])
            if format is not None and known[format].can_have_companions(name):
                found |= known[format].find_companions(name, files[name]).keys()
    return found


def _format_of(name: str, content: Content) -> str | None:
    try:
        return detect(Source(name, {name: content}, folder=False)).format.info.slug
    except TalktreeError:
        return None


def list_companion_places(path: str) -> list[str]:
    """Return files and folders on disk that may hold companions of a file, judged by names only."""
    if os.path.isdir(path):
        return []
    file = Path(os.path.realpath(path))
    folder, name, state = file.parent, file.name, _folder_state(file.parent)
    places: set[str] = set()
    for format in all_formats():
        places.update(format.companions.list_folders(name))
        if format.companions.names is not None:
            places.update(_load_siblings(str(folder), state, format).names)
    places.discard(name)
    return [str(folder / each) for each in sorted(places) if os.path.exists(folder / each)]


@lru_cache(maxsize=8)
def _load_siblings(folder: str, _state: int, format: Format) -> FolderCompanions:
    """Return the siblings in a folder on disk, which are the same for each of its files."""
    return FolderCompanions(format, FolderOnDisk(Path(folder)))


def _folder_state(folder: Path) -> int:
    """Return a number that changes when a file is added to a folder or removed from it."""
    try:
        changed = folder.stat().st_mtime_ns
    except OSError:
        return 0
    now = time.time_ns()
    # File times are coarse: a second change may have the same time as the first.
    return changed if now - changed > SETTLED else now


def without_companions(paths: Sequence[str]) -> list[str]:
    """Return paths without duplicates and without those that are read together with another."""
    full = {path: os.path.abspath(path) for path in paths}
    folders: dict[str, dict[str, Content]] = {}
    for path in full.values():
        if os.path.isfile(path):
            folders.setdefault(os.path.dirname(path), {})
    inside = {path: _list_files_at(path, folders) for path in full.values()}
    for each in inside.values():
        for file in each:
            for folder in _iterate_parent_folders(file):
                if folder in folders:
                    folders[folder][os.path.relpath(file, folder)] = OnDisk(Path(file))
    belonging = {
        os.path.join(folder, path)
        for folder, files in folders.items()
        for path in find_companion_paths(files)
    }
    return [path for path in full if not inside[full[path]] or inside[full[path]] - belonging]


def _list_files_at(path: str, folders: Collection[str]) -> set[str]:
    """Return a file, or the files below a folder that may be companions of a file beside it."""
    if os.path.isfile(path):
        return {path}
    if os.path.dirname(path) not in folders or not os.path.isdir(path):
        return set()
    try:
        return {os.path.join(path, each) for each in load(Path(path)).files}
    except TalktreeError:
        return set()


def _iterate_parent_folders(path: str) -> Iterator[str]:
    while (folder := os.path.dirname(path)) != path:
        yield folder
        path = folder
