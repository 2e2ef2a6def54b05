"""A folder taken apart into sessions: which file is whose, and what is missing."""

from __future__ import annotations

from talktree.files import Source
from talktree.formats.base import BESIDE, Format, Split
from talktree.formats.json_lines import HEAD, sheet_for
from talktree.formats.kept_lines import kept_sheet
from talktree.formats.line_sheet import LineDialect, LineSheet
from talktree.formats.piece_sheet import PieceSheet
from talktree.formats.sage.kinds import METADATA, is_metadata, is_session
from talktree.formats.sage.layout import (
    MESSAGES,
    SNAPSHOTS,
    fleeting,
    folder_of,
    is_backup,
    lone_metadata,
    session_folders,
    store_files,
    titled,
)
from talktree.formats.sage.recognise import other_json
from talktree.formats.sage.sheets import MetadataSheet, SessionSheet
from talktree.formats.sample import sample
from talktree.formats.sheets import Sheet
from talktree.model.findings import Finding, finding
from talktree.text.json_value import Json


def split_folder(source: Source, format: Format, dialect: LineDialect) -> Split:
    """The sessions of a folder; messages before snapshots, and metadata last."""
    names = list(source.files)
    silent = [path for path in lone_metadata(names) if is_metadata(_first(source, path))]
    folders = [*session_folders(names), *map(folder_of, silent)]
    sheets: list[Sheet] = []
    for folder, title in titled(folders, source.name).items():
        sheets += _session(source, format, dialect, folder=folder, group=title)
    sheets += _older(source, format, taken={sheet.group for sheet in sheets})
    known = {sheet.path for sheet in sheets}.union(store_files(names), fleeting(names))
    return Split(sheets, [path for path in names if path not in known and not is_backup(path)])


def _session(
    source: Source, format: Format, dialect: LineDialect, *, folder: str, group: str
) -> list[Sheet]:
    start = f"{folder}/" if folder else ""
    sheets: list[Sheet] = [
        _line_sheet(source, start + name, format, dialect, group=group)
        for name in (MESSAGES, SNAPSHOTS)
        if start + name in source.files
    ]
    if start + BESIDE in source.files:
        sheets.append(kept_sheet(start + BESIDE, source.files[start + BESIDE], group=group))
    path = start + METADATA
    if path in source.files:
        return [*sheets, MetadataSheet(path, source.files[path], format, group=group)]
    what = f"there is no {METADATA}; Sage does not list such a session"
    _tell(sheets[0], finding("missing-file", what, path=path))
    return sheets


def _line_sheet(
    source: Source, path: str, format: Format, dialect: LineDialect, *, group: str
) -> Sheet:
    """The lines of a session; an older session file under their name is read as what it is."""
    content = source.files[path]
    if is_session(_first(source, path)):
        return SessionSheet(path, content, format, group=group)
    return sheet_for(path, content, format, dialect, group=group)


def _tell(sheet: Sheet, found: Finding) -> None:
    match sheet:
        case LineSheet():
            sheet.damage.append(found)
        case PieceSheet():
            sheet.findings.append(found)
        case _:
            pass


def _older(source: Source, format: Format, *, taken: set[str]) -> list[Sheet]:
    sheets: list[Sheet] = []
    for path in other_json(list(source.files)):
        if is_session(_first(source, path)):
            stem = path.removesuffix(".json")
            short = stem.rpartition("/")[2]
            group = stem if short in taken else short
            taken.add(group)
            sheets.append(SessionSheet(path, source.files[path], format, group=group))
    return sheets


def _first(source: Source, path: str) -> dict[str, Json]:
    return next(sample(source.files[path].read(0, HEAD), most=1), {})
