"""The conversations that the files of a folder belong to."""

from __future__ import annotations

from collections.abc import Mapping

from talktree.files import Content
from talktree.formats.engine import DocumentOrigin
from talktree.formats.format import Format, SplitSource
from talktree.formats.migration import BESIDE_WAS


def group_files_by_conversation(
    files: Mapping[str, Content], split: SplitSource, format: Format
) -> dict[str, list[str]]:
    """Return the files of each conversation by its group: those with messages first."""
    groups: dict[str, list[str]] = {}
    for sheet in split.sheets:
        groups.setdefault(sheet.group, []).append(sheet.path)
    read = {path for paths in groups.values() for path in paths}
    main = {group: tuple(paths) for group, paths in groups.items()}
    for path in files:
        if path not in read:
            owner = format.find_owner(path, main)
            if owner is not None:
                groups[owner].append(path)
    return groups


def find_conversation_files(origin: DocumentOrigin) -> set[str]:
    """Return the files of a source that belong to a conversation in it."""
    split = SplitSource(origin.sheets, origin.foreign_files)
    groups = group_files_by_conversation(origin.source.files, split, origin.format)
    owned = {path for paths in groups.values() for path in paths}
    owned.update(path for path in origin.foreign_files if path.rpartition("/")[2] == BESIDE_WAS)
    return owned
