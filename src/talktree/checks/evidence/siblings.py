"""Files beside a source in which messages may be that it names and does not have.

A session that was resumed goes on in another file, and a sub-agent's first line names a message of
the file that started it. Such files are looked through for the wanted ids only, and only if some
are wanted. Links are not followed, and nothing is opened that may hold keys.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from talktree.errors import TalktreeError
from talktree.files import Content, Memory, OnDisk, Source
from talktree.formats import all_formats
from talktree.formats.engine import skim
from talktree.formats.format import Format, Probe

MOST_FILES = 2000
MOST_BYTES = 2 << 30
"""What is looked through at most; whoever has more names the folder as the source."""
MOST_SOUGHT = 16
"""So many ids are looked for in the bytes before any record is read."""


class Siblings:
    """The files around one file."""

    def __init__(self, path: Path, format: Format) -> None:
        self._path = path
        self._format = format
        self._left = MOST_BYTES

    def find(self, ids: Collection[str]) -> Mapping[str, str]:
        """The files that have messages with these ids, by id."""
        wanted, found = set(ids), dict[str, str]()
        for name, content in self._contents() if wanted else ():
            try:
                here = self._ids_in(name, content, wanted)
            except (TalktreeError, OSError):
                # Whatever is wrong with it, it is not the file that was asked about.
                continue
            found |= dict.fromkeys(here, name)
            wanted -= here
            if not wanted:
                break
        return found

    def _contents(self) -> Iterator[tuple[str, Content]]:
        count = 0
        around = self._path.parent
        for folder in self._format.kin(around.resolve().name):
            for path in _regular_files(around / folder, self._path.suffix):
                if path.name == self._path.name and folder == ".":
                    continue
                try:
                    content = OnDisk(path)
                except TalktreeError:
                    continue
                count += 1
                self._left -= content.size
                if count > MOST_FILES or self._left < 0:
                    return
                yield path.name, content

    def _ids_in(self, name: str, content: Content, wanted: Collection[str]) -> set[str]:
        if len(wanted) <= MOST_SOUGHT and not _mentions(content, wanted):
            return set()
        source = Source(name, {name: content}, folder=False)
        if self._format.detect(Probe(source)) is None:
            return set()
        return {line.id for line in skim(source, self._format) if line.id in wanted and line.trait}  # type: ignore[misc]


def siblings_of(source: Source, format: Format) -> Siblings | None:
    """The files around a source that is one file on disk; None for anything else."""
    return None if source.place is None else Siblings(source.place, format)


def _regular_files(folder: Path, suffix: str) -> list[Path]:
    """The files of a folder with a suffix, without links and what may hold keys."""
    try:
        with os.scandir(folder) as entries:
            names = [
                each.name
                for each in entries
                if stat.S_ISREG(each.stat(follow_symlinks=False).st_mode)
            ]
    except OSError:
        return []
    # By their names alone: nothing is opened here.
    stubs = Source(folder.resolve().name, dict.fromkeys(names, Memory(b"")), folder=True)
    secret = {name for format in all_formats() for name in format.withheld(stubs)}
    return [
        folder / name
        for name in sorted(names)
        if name.endswith(suffix) and not name.startswith(".") and name not in secret
    ]


def _mentions(content: Content, ids: Collection[str]) -> bool:
    """Whether any of the ids stands in the bytes; escaped ones are not found, and need not be."""
    sought = [id.encode("utf-8", "surrogatepass") for id in ids]
    longest = max(map(len, sought))
    before = b""
    for block in content.blocks():
        joined = before + block
        if any(each in joined for each in sought):
            return True
        before = joined[-longest:]
    return False
