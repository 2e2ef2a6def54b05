"""Splitting a folder into sessions: which file belongs to which, and what is missing.

It also reads what Talktree's own store records about files: contents named by hash, and earlier
states. The store adds `paths` to the specification's snapshots and keeps a log of operations beside
them. Both name contents of `backups/` by SHA-256; here they are only looked up, and only the log is
opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from talktree.files import Source
from talktree.formats.detect_sample import iterate_sample
from talktree.formats.format import BESIDE, Format, SplitSource
from talktree.formats.jsonl_file import LineDialect, LineSheet
from talktree.formats.jsonl_format import HEAD, make_sheet
from talktree.formats.lens import Object
from talktree.formats.nested_file import PieceSheet
from talktree.formats.record_file import Sheet
from talktree.formats.sage.detect import list_other_json
from talktree.formats.sage.detect_kinds import (
    CONTINUES,
    METADATA,
    find_continued_file,
    get_followed_message,
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
    copy_path,
    folder_of,
    is_backup,
    list_log_folders,
    list_lone_metadata,
    list_store_files,
    list_transient_files,
    name_sessions,
    sibling_path,
)
from talktree.formats.sidecar import open_sidecar
from talktree.model.entries import Snapshot
from talktree.model.findings import Finding, make_finding
from talktree.text.json.decode import decode
from talktree.text.json.value import Json


def split_folder(source: Source, format: Format, dialect: LineDialect) -> SplitSource:
    """Return the sessions of a folder; messages before snapshots, and metadata last."""
    names = list(source.files)
    silent = [
        path for path in list_lone_metadata(names) if is_metadata(_read_first_object(source, path))
    ]
    folders = [*list_log_folders(names), *map(folder_of, silent)]
    sheets: list[Sheet] = []
    for folder, title in name_sessions(folders, source.name).items():
        sheets += _make_session_sheets(source, format, dialect, folder=folder, group=title)
    read = {sheet.path for sheet in sheets}
    copies = {path for path in names if path not in read and _is_copied(source, path)}
    sheets += _make_older_sheets(source, format, {sheet.group for sheet in sheets}, read | copies)
    known = {sheet.path for sheet in sheets} | copies
    known.update(list_store_files(names), list_transient_files(names))
    return SplitSource(
        sheets, [path for path in names if path not in known and not is_backup(path)]
    )


def _make_session_sheets(
    source: Source, format: Format, dialect: LineDialect, *, folder: str, group: str
) -> list[Sheet]:
    start = f"{folder}/" if folder else ""
    sheets: list[Sheet] = []
    before = _find_continued_file(source, start + MESSAGES)
    if before is not None:
        content, main = source.files[before], start + MESSAGES
        sheets.append(ContinuedSheet(before, content, format, group=group, main_path=main))
        dialect = ContinuingDialect()
    sheets += [
        _make_line_sheet(source, start + name, format, dialect, group=group)
        for name in (MESSAGES, SNAPSHOTS)
        if start + name in source.files
    ]
    if start + BESIDE in source.files:
        sheets.append(open_sidecar(start + BESIDE, source.files[start + BESIDE], group=group))
    path = start + METADATA
    if path in source.files:
        return [*sheets, MetadataSheet(path, source.files[path], format, group=group)]
    what = f"there is no {METADATA}; Sage does not list such a session"
    _add_finding(sheets[0], make_finding("missing-file", what, path=path))
    return sheets


def _find_continued_file(source: Source, messages: str) -> str | None:
    """Return the older file that a session's messages continue: its copy, or the file itself."""
    name = (
        find_continued_file(_read_first_object(source, messages))
        if messages in source.files
        else None
    )
    folder = folder_of(messages)
    for path in (sibling_path(messages, name), sibling_path(folder, name)) if name else ():
        if path in source.files and is_session(_read_first_object(source, path)):
            return path
    return None


def find_message_before(source: Source, messages: str) -> str | None:
    """Return the message of an older file that the first line of a session follows, or None."""
    if _find_continued_file(source, messages) is None:
        return None
    return get_followed_message(_read_first_object(source, messages).get(CONTINUES))


def _is_copied(source: Source, path: str) -> bool:
    """Whether a folder with its name has a copy of an older file."""
    copy = copy_path(path)
    if copy not in source.files or source.files[copy].size != source.files[path].size:
        return False
    return source.files[copy].read() == source.files[path].read()


def _make_line_sheet(
    source: Source, path: str, format: Format, dialect: LineDialect, *, group: str
) -> Sheet:
    """Return the lines of a session; an older session file under their name is read as such."""
    content = source.files[path]
    if is_session(_read_first_object(source, path)):
        return SessionSheet(path, content, format, group=group)
    return make_sheet(path, content, format, dialect, group=group)


def _add_finding(sheet: Sheet, found: Finding) -> None:
    match sheet:
        case LineSheet():
            sheet.damage.append(found)
        case PieceSheet():
            sheet.findings.append(found)
        case _:
            pass


def _make_older_sheets(
    source: Source, format: Format, taken: set[str], known: set[str]
) -> list[Sheet]:
    sheets: list[Sheet] = []
    for path in list_other_json(list(source.files)):
        if path not in known and is_session(_read_first_object(source, path)):
            stem = path.removesuffix(".json")
            short = stem.rpartition("/")[2]
            group = stem if short in taken else short
            taken.add(group)
            sheets.append(SessionSheet(path, source.files[path], format, group=group))
    return sheets


def _read_first_object(source: Source, path: str) -> dict[str, Json]:
    return next(iterate_sample(source.files[path].read(0, HEAD), most=1), {})


PATHS = "paths"
SEEN = "seen"
LEFT = "left"
SIDES = ("before", "after")


def get_backup_path(session: str, hash: str) -> str:
    """Return the file with the content of this hash, if the store keeps it."""
    path = f"{BACKUPS}/{hash}.backup"
    return f"{session}/{path}" if session else path


def find_named_contents(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Yield the contents that a snapshot names beyond its backups, with their paths in it."""
    held = snapshot.extra.get("snapshot")
    if not isinstance(held, dict):
        return
    for name, states in _iterate_objects(held.get(PATHS)):
        for side in SIDES:
            for hash in _iterate_hashes(states.get(side)):
                yield hash, f"snapshot/{PATHS}/{name}/{side}"
    for name, state in _iterate_objects(held.get(SEEN)):
        for hash in _iterate_hashes(state):
            yield hash, f"snapshot/{SEEN}/{name}"


def has_earlier_state(snapshot: Snapshot, path: str) -> bool:
    """Whether a snapshot has the earlier state of a file, of any kind."""
    held = snapshot.extra.get("snapshot")
    paths = held.get(PATHS) if isinstance(held, dict) else None
    states = paths.get(path.replace("%", "%25")) if isinstance(paths, dict) else None
    before = states.get("before") if isinstance(states, dict) else None
    return isinstance(before, dict) and before.get("kind") in ("file", "link", "folder", "absent")


def iterate_operations(source: Source, session: str) -> Iterator[tuple[int, Object]]:
    """Yield the operations of a session with their lines; other values are skipped."""
    content = source.files.get(f"{session}/{OPERATIONS_LOG}" if session else OPERATIONS_LOG)
    if content is None:
        return
    for number, raw in enumerate(content.lines(), 1):
        value, _, usable = decode(raw)
        if usable and isinstance(value, dict):
            yield number, value


def iterate_operation_contents(lines: Iterable[tuple[int, Object]]) -> Iterator[str]:
    """Yield the contents that moves name: those before them, those they wrote, those after."""
    for _, value in lines:
        for _, states in _iterate_objects(value.get(PATHS)):
            for side in SIDES:
                yield from _iterate_hashes(states.get(side))
        for _, state in _iterate_objects(value.get(LEFT)):
            yield from _iterate_hashes(state)


def _iterate_objects(value: Json) -> Iterator[tuple[str, Object]]:
    for name, item in value.items() if isinstance(value, dict) else ():
        if isinstance(item, dict):
            yield name, item


def _iterate_hashes(state: Json) -> Iterator[str]:
    """Yield the contents that a state needs: the chunks of a file kept in chunks, else its own."""
    if not isinstance(state, dict) or state.get("kind") != "file":
        return
    chunks = state.get("chunks")
    for each in chunks if isinstance(chunks, list) and chunks else [state.get("hash")]:
        if isinstance(each, str):
            yield each
