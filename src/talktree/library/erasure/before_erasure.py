"""Restoring everything that forgetting some conversations would erase.

That is more than their newest files: all versions, sub-agents, other companion files, copies in
other places, unsaved edits and the names of branches.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from talktree.errors import NotFound
from talktree.files.outputs import exists_error
from talktree.files.sandbox import Anchor
from talktree.library.archive.restore import restore_file, restore_source
from talktree.library.archive.source_versions import ArchivedFile, list_versions
from talktree.library.erasure.copy_finder import CopyFinder
from talktree.library.erasure.forget import ForgetGroup, find_group

if TYPE_CHECKING:
    from talktree.library.library import Library

WORK_FILE = "edits-and-names.json"
"""Unsaved edits, and the names of branches."""
_PATH = "SELECT path FROM sources WHERE id = ?"
_EDITS = "SELECT value FROM operations WHERE source = ? ORDER BY id"
_NAMES = "SELECT conversation, leaf, name FROM branch_names WHERE source = ? ORDER BY time"
_FILE_VERSIONS = """
SELECT f.path, g.id, v.length, v.modified FROM files AS f
JOIN generations AS g ON g.file = f.id JOIN versions AS v ON v.generation = g.id
WHERE f.id = ? ORDER BY v.seen, g.number, v.length
"""


def find_groups(library: Library, sources: Iterable[int]) -> list[ForgetGroup]:
    """Return conversations, each with everything that is forgotten with it."""
    copies = CopyFinder(library)
    return [find_group(library, source, copies) for source in sources]


def restore_groups(
    library: Library, groups: Iterable[ForgetGroup], into: Path, prefix: str = ""
) -> list[Path]:
    """Write all files of some groups below a folder, each version in a folder of its own."""
    groups = list(groups)
    written: list[Path] = []
    for source in dict.fromkeys(each for group in groups for each in group.sources):
        for version in list_versions(library.db, source):
            folder = into / f"{prefix}{source}-{version.number}"
            try:
                written += restore_source(library, source, folder, version.number)
            except NotFound:
                continue  # it was seen, but no content is stored
        written += _write_unsaved_work(library, source, into / f"{prefix}{source}-edits")
    for file in dict.fromkeys(each for group in groups for each in group.files):
        for number, kept in enumerate(_file_versions(library, file), 1):
            with Anchor(into / f"{prefix}file-{file}-{number}", create=True) as anchor:
                name = os.path.basename(kept.path)
                restore_file(library.archive, kept, anchor, name)
                written.append(anchor.path / os.fsdecode(name))
    return written


def _file_versions(library: Library, file: int) -> Iterator[ArchivedFile]:
    for path, generation, length, modified in library.db.read(_FILE_VERSIONS, (file,)):
        yield ArchivedFile(bytes(path), int(generation), int(length), int(modified))


def _write_unsaved_work(library: Library, source: int, folder: Path) -> list[Path]:
    """Write the unsaved edits and branch names of a source, if there are any."""
    edits = [json.loads(value) for (value,) in library.db.read(_EDITS, (source,))]
    names = [
        {"conversation": conversation, "message": leaf, "name": name}
        for conversation, leaf, name in library.db.read(_NAMES, (source,))
    ]
    row = library.db.read_one(_PATH, (source,))
    if row is None or not (edits or names):
        return []
    work = {"path": os.fsdecode(bytes(row[0])), "edits": edits, "branch_names": names}
    with Anchor(folder, create=True) as anchor:
        path = anchor.path / WORK_FILE
        try:
            path.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            raise exists_error(path) from None
        path.write_text(json.dumps(work, indent=2) + "\n")
    return [path]
