"""A folder taken apart into sessions: which file is whose, and what is missing."""

from __future__ import annotations

from talktree.files import Source
from talktree.formats.detect_sample import sample
from talktree.formats.format import BESIDE, Format, Split
from talktree.formats.jsonl_format import HEAD, sheet_for
from talktree.formats.line_sheet import LineDialect, LineSheet
from talktree.formats.nested_file import PieceSheet
from talktree.formats.record_file import Sheet
from talktree.formats.sage.detect import other_json
from talktree.formats.sage.detect_kinds import (
    CONTINUES,
    METADATA,
    continued_file,
    followed_message,
    is_metadata,
    is_session,
)
from talktree.formats.sage.dialect import ContinuingDialect
from talktree.formats.sage.layout import (
    MESSAGES,
    SNAPSHOTS,
    beside,
    copy_path,
    fleeting,
    folder_of,
    is_backup,
    lone_metadata,
    session_folders,
    store_files,
    titled,
)
from talktree.formats.sage.sheets import ContinuedSheet, MetadataSheet, SessionSheet
from talktree.formats.sidecar import kept_sheet
from talktree.model.findings import Finding, finding
from talktree.text.json.value import Json


def split_folder(source: Source, format: Format, dialect: LineDialect) -> Split:
    """The sessions of a folder; messages before snapshots, and metadata last."""
    names = list(source.files)
    silent = [path for path in lone_metadata(names) if is_metadata(_first(source, path))]
    folders = [*session_folders(names), *map(folder_of, silent)]
    sheets: list[Sheet] = []
    for folder, title in titled(folders, source.name).items():
        sheets += _session(source, format, dialect, folder=folder, group=title)
    read = {sheet.path for sheet in sheets}
    copies = {path for path in names if path not in read and _is_copied(source, path)}
    sheets += _older(source, format, {sheet.group for sheet in sheets}, read | copies)
    known = {sheet.path for sheet in sheets} | copies
    known.update(store_files(names), fleeting(names))
    return Split(sheets, [path for path in names if path not in known and not is_backup(path)])


def _session(
    source: Source, format: Format, dialect: LineDialect, *, folder: str, group: str
) -> list[Sheet]:
    start = f"{folder}/" if folder else ""
    sheets: list[Sheet] = []
    before = _continued(source, start + MESSAGES)
    if before is not None:
        content, main = source.files[before], start + MESSAGES
        sheets.append(ContinuedSheet(before, content, format, group=group, main_path=main))
        dialect = ContinuingDialect()
    sheets += [
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


def _continued(source: Source, messages: str) -> str | None:
    """The older file that the messages of a session continue: a copy of it, or the file itself."""
    name = continued_file(_first(source, messages)) if messages in source.files else None
    folder = folder_of(messages)
    for path in (beside(messages, name), beside(folder, name)) if name else ():
        if path in source.files and is_session(_first(source, path)):
            return path
    return None


def message_before(source: Source, messages: str) -> str | None:
    """The message of an older file that the first line of a session follows."""
    if _continued(source, messages) is None:
        return None
    return followed_message(_first(source, messages).get(CONTINUES))


def _is_copied(source: Source, path: str) -> bool:
    """Whether a folder with its name has a copy of an older file."""
    copy = copy_path(path)
    if copy not in source.files or source.files[copy].size != source.files[path].size:
        return False
    return source.files[copy].read() == source.files[path].read()


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


def _older(source: Source, format: Format, taken: set[str], known: set[str]) -> list[Sheet]:
    sheets: list[Sheet] = []
    for path in other_json(list(source.files)):
        if path not in known and is_session(_first(source, path)):
            stem = path.removesuffix(".json")
            short = stem.rpartition("/")[2]
            group = stem if short in taken else short
            taken.add(group)
            sheets.append(SessionSheet(path, source.files[path], format, group=group))
    return sheets


def _first(source: Source, path: str) -> dict[str, Json]:
    return next(sample(source.files[path].read(0, HEAD), most=1), {})
