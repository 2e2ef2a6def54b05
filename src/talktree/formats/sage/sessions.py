"""A folder taken apart into sessions: which file is whose, and what is missing.

What Talktree's own store says of files: contents named by their hash, and states before.

The store adds `paths` to the document's snapshots and keeps a log of operations beside them. Both
name contents of `backups/` by SHA-256; here they are only looked up, nothing is opened but the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from talktree.files import Source
from talktree.formats.detect_sample import sample
from talktree.formats.format import BESIDE, Format, Split
from talktree.formats.jsonl_file import LineDialect, LineSheet
from talktree.formats.jsonl_format import HEAD, sheet_for
from talktree.formats.lens import Object
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
from talktree.formats.sage.parse import (
    ContinuedSheet,
    ContinuingDialect,
    MetadataSheet,
    SessionSheet,
)
from talktree.formats.sage.places import (
    BACKUPS,
    MESSAGES,
    OPERATIONS_LOG,
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
from talktree.formats.sidecar import kept_sheet
from talktree.model.entries import Snapshot
from talktree.model.findings import Finding, finding
from talktree.text.json.decode import decode
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


PATHS = "paths"
SEEN = "seen"
LEFT = "left"
SIDES = ("before", "after")


def backup_named(session: str, hash: str) -> str:
    """The file that holds the content with this hash, if the store keeps it."""
    path = f"{BACKUPS}/{hash}.backup"
    return f"{session}/{path}" if session else path


def named_contents(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """The contents a snapshot names beyond its backups, each with the way to where it does."""
    held = snapshot.extra.get("snapshot")
    if not isinstance(held, dict):
        return
    for name, states in _items(held.get(PATHS)):
        for side in SIDES:
            for hash in _hashes(states.get(side)):
                yield hash, f"snapshot/{PATHS}/{name}/{side}"
    for name, state in _items(held.get(SEEN)):
        for hash in _hashes(state):
            yield hash, f"snapshot/{SEEN}/{name}"


def knows_before(snapshot: Snapshot, path: str) -> bool:
    """Whether a snapshot has the earlier state of a file, whatever it was."""
    held = snapshot.extra.get("snapshot")
    paths = held.get(PATHS) if isinstance(held, dict) else None
    states = paths.get(path.replace("%", "%25")) if isinstance(paths, dict) else None
    before = states.get("before") if isinstance(states, dict) else None
    return isinstance(before, dict) and before.get("kind") in ("file", "link", "folder", "absent")


def operations(source: Source, session: str) -> Iterator[tuple[int, Object]]:
    """The operations of a session, each with its line; what is no operation is passed over."""
    content = source.files.get(f"{session}/{OPERATIONS_LOG}" if session else OPERATIONS_LOG)
    if content is None:
        return
    for number, raw in enumerate(content.lines(), 1):
        value, _, usable = decode(raw)
        if usable and isinstance(value, dict):
            yield number, value


def contents_of_operations(lines: Iterable[tuple[int, Object]]) -> Iterator[str]:
    """The contents that moves name: what was there before them, what they wrote, what they left."""
    for _, value in lines:
        for _, states in _items(value.get(PATHS)):
            for side in SIDES:
                yield from _hashes(states.get(side))
        for _, state in _items(value.get(LEFT)):
            yield from _hashes(state)


def _items(value: Json) -> Iterator[tuple[str, Object]]:
    for name, item in value.items() if isinstance(value, dict) else ():
        if isinstance(item, dict):
            yield name, item


def _hashes(state: Json) -> Iterator[str]:
    """The contents a state needs: the pieces of a file that is kept in pieces, else its own."""
    if not isinstance(state, dict) or state.get("kind") != "file":
        return
    chunks = state.get("chunks")
    for each in chunks if isinstance(chunks, list) and chunks else [state.get("hash")]:
        if isinstance(each, str):
            yield each
