"""Where Sage keeps its sessions: one folder for each session, many of them in `.sage/sessions`.

Beside the sessions are the program's settings with the keys of paid services. Those files are
detected by their names alone and never opened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from talktree.formats.sage.detect_kinds import METADATA

MESSAGES = "messages.jsonl"
SNAPSHOTS = "snapshots.jsonl"
BACKUPS = "backups"
OPERATIONS_LOG = "operations.jsonl"
LOCK = "lock"
QUARANTINE = "quarantine"
ERASURE = ("erasure", ".unfinished-erasure")
"""Folders with the new files of an interrupted erasure."""
UNFINISHED = ".unfinished-"
"""Prefix of the names of files that are still being written."""
CACHE = "cache"
"""Files that Talktree's own store keeps in addition to the specification's."""
ROOT_NAME = ".sage"
LINES = (MESSAGES, SNAPSHOTS)
"""The files that hold the lines of a session."""
HOME_FILES = (*LINES, METADATA)
"""The files that are directly in the folder of a session."""
_SETTINGS = frozenset({"config", "credentials", "settings", "sage_config"})
_SETTINGS_ENDINGS = ("json", "toml", "yaml", "yml")


def folder_of(path: str) -> str:
    """Return the folder of a file; empty for the top folder."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """Return the name of a file without its folder."""
    return path.rpartition("/")[2]


def sibling_path(path: str, name: str) -> str:
    """Return another file in the same folder."""
    folder = folder_of(path)
    return f"{folder}/{name}" if folder else name


def copy_path(path: str) -> str:
    """Return where a session that continues an older file has a copy of that file."""
    stem = path.removesuffix(".json")
    return f"{stem}/{name_of(path)}"


def is_backup(path: str) -> bool:
    """Whether a file is the earlier content of one of the user's files."""
    return BACKUPS in path.split("/")[:-1]


def find_path_owner(path: str, conversations: Mapping[str, Sequence[str]]) -> str | None:
    """Return the session of a file without messages: a backup, its log, its older file."""
    homes: dict[str, str] = {}
    for session, paths in conversations.items():
        if copy_path(path) in paths:
            return session
        homes |= {folder_of(each): session for each in paths if name_of(each) in HOME_FILES}
    if name_of(path) == OPERATIONS_LOG:
        return homes.get(folder_of(path))
    steps = path.split("/")
    above = ("/".join(steps[:at]) for at, step in enumerate(steps[:-1]) if step == BACKUPS)
    return next((homes[folder] for folder in above if folder in homes), None)


def list_store_files(names: Iterable[str]) -> list[str]:
    """Return Talktree's own files in the folders of sessions, beyond the specification's."""
    names = list(names)
    sessions = set(_list_session_folders(names))
    return [
        path
        for path in names
        if (
            (name_of(path) in (OPERATIONS_LOG, LOCK) or name_of(path).startswith(UNFINISHED))
            and folder_of(path) in sessions
        )
        or (
            name_of(folder_of(path)) in (QUARANTINE, *ERASURE)
            and folder_of(folder_of(path)) in sessions
        )
    ]


def list_transient_files(names: Iterable[str]) -> list[str]:
    """Return the locks of sessions, and temporary files beside the folder `sessions`: caches."""
    names = list(names)
    sessions = _list_session_folders(names)
    around = [folder_of(folder) for folder in sessions if folder_of(folder)]
    caches = {sibling_path(folder, name) for folder in around for name in (CACHE, ERASURE[0])}
    locks = {f"{folder}/{LOCK}" if folder else LOCK for folder in sessions}
    return [
        path
        for path in names
        if path in locks
        or folder_of(path) in caches
        or (name_of(path).startswith(UNFINISHED) and folder_of(path) in sessions)
    ]


def _list_session_folders(names: list[str]) -> list[str]:
    """Return the folders of sessions, including those without messages."""
    return [*list_log_folders(names), *map(folder_of, list_lone_metadata(names))]


def list_log_folders(names: Iterable[str]) -> list[str]:
    """Return the folders that hold a session's lines."""
    found = {
        folder_of(path): None
        for path in names
        if path.endswith(LINES)
        and name_of(path) in LINES
        and not is_backup(path)
        and name_of(folder_of(path)) not in ERASURE
    }
    return list(found)


def list_lone_metadata(names: Iterable[str]) -> list[str]:
    """Return metadata.json files in folders without lines: sessions without messages."""
    names = list(names)
    sessions = set(list_log_folders(names))
    return [
        path
        for path in names
        if path.endswith(METADATA)
        and name_of(path) == METADATA
        and folder_of(path) not in sessions
        and not is_backup(path)
        and name_of(folder_of(path)) not in ERASURE
    ]


def name_sessions(folders: Iterable[str], root: str) -> Mapping[str, str]:
    """Return names for sessions: the folder's name, or its path if several share the name."""
    short = {folder: name_of(folder) or root for folder in folders}
    counts = Counter(short.values())
    return {
        folder: name if counts[name] == 1 or not folder else folder
        for folder, name in short.items()
    }


def list_secret_files(names: Iterable[str], root: str) -> list[str]:
    """Return the files with settings and keys: those of a `.sage` folder and around sessions."""
    names = list(names)
    around = {""} if root == ROOT_NAME else set()
    for folder in list_log_folders(names):
        around.update(_iterate_parent_folders(folder))
    return [path for path in names if _has_settings(path, around)]


def _iterate_parent_folders(folder: str) -> Iterable[str]:
    yield folder
    while folder:
        folder = folder_of(folder)
        yield folder


def _has_settings(path: str, around: set[str]) -> bool:
    if not path.endswith(_SETTINGS_ENDINGS):
        return False
    stem, _, ending = name_of(path).partition(".")
    if stem not in _SETTINGS or ending.rpartition(".")[2] not in _SETTINGS_ENDINGS:
        return False
    folder = folder_of(path)
    return stem == "sage_config" or folder in around or name_of(folder) == ROOT_NAME


def find_places(home: Path, here: Path) -> Iterator[Path]:
    """Yield the folders of sessions in the working folder and in the home."""
    yield here / ".sage" / "sessions"
    yield home / ".sage" / "sessions"
