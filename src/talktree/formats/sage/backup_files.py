"""Where the backup of a snapshot is, looked up by name; no file is opened here."""

from __future__ import annotations

from functools import lru_cache

from talktree.files import Source
from talktree.formats.sage.places import BACKUPS, ROOT_NAME, folder_of, name_of


def find_backup(source: Source, session: str, named: str) -> str | None:
    """Return the file of the source that a path in a session's snapshot refers to, or None."""
    return next((path for path in _list_places(session, named) if path in source.files), None)


def is_lost(source: Source, session: str, named: str) -> bool:
    """Whether a backup that was not found should be in the source.

    The specification keeps backups in the session's folder. The program keeps them with the
    project, which need not be in the source; so one of those is lost only if there are other
    backups in its folder.
    """
    if _normalize_path(named).startswith(f"{BACKUPS}/"):
        return True
    wanted = [path for path in _candidate_paths(session, named) if folder_of(path)]
    return any(list_backups(source, folder_of(folder_of(path))) for path in wanted)


def _normalize_path(named: str) -> str:
    return named.replace("\\", "/").removeprefix("./")


def _candidate_paths(session: str, named: str) -> list[str]:
    """Return the paths that a snapshot may mean, the likeliest first, all inside the source."""
    plain = _normalize_path(named)
    if plain.startswith("/"):
        return [f"{ROOT_NAME}/{BACKUPS}/{name_of(plain)}"]
    if ".." in plain.split("/"):
        return []
    return [f"{session}/{plain}", plain] if session else [plain]


def _list_places(session: str, named: str) -> list[str]:
    """Return those, and the places of backups after a session was copied."""
    kept = f"{BACKUPS}/{name_of(_normalize_path(named))}"
    return [*_candidate_paths(session, named), f"{session}/{kept}" if session else kept, kept]


@lru_cache(maxsize=2)
def _group_by_session(source: Source) -> dict[str, list[str]]:
    """Return the files directly in each folder of backups, by its parent folder."""
    found: dict[str, list[str]] = {}
    for path in source.files:
        folder = folder_of(path)
        if name_of(folder) == BACKUPS:
            found.setdefault(folder_of(folder), []).append(path)
    return found


def list_backups(source: Source, session: str) -> list[str]:
    """Return the backup files of a session."""
    return _group_by_session(source).get(session, [])
