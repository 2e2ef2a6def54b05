"""Where the backup a snapshot names is, looked up by name; nothing is opened here."""

from __future__ import annotations

from functools import lru_cache

from talktree.files import Source
from talktree.formats.sage.places import BACKUPS, ROOT_NAME, folder_of, name_of


def find_backup(source: Source, session: str, named: str) -> str | None:
    """The file of the source that a snapshot in a session's folder means by a path."""
    return next((path for path in _list_places(session, named) if path in source.files), None)


def is_lost(source: Source, session: str, named: str) -> bool:
    """Whether a backup that was not found should be among the files at hand.

    The document keeps backups in the session's folder. The program keeps them with the project,
    which need not be here; so one of those is lost only if other backups lie where it should be.
    """
    if _normalize_path(named).startswith(f"{BACKUPS}/"):
        return True
    wanted = [path for path in _candidate_paths(session, named) if folder_of(path)]
    return any(list_backups(source, folder_of(folder_of(path))) for path in wanted)


def _normalize_path(named: str) -> str:
    return named.replace("\\", "/").removeprefix("./")


def _candidate_paths(session: str, named: str) -> list[str]:
    """The paths that a snapshot may mean, the likeliest first; none that lead out of the source."""
    plain = _normalize_path(named)
    if plain.startswith("/"):
        return [f"{ROOT_NAME}/{BACKUPS}/{name_of(plain)}"]
    if ".." in plain.split("/"):
        return []
    return [f"{session}/{plain}", plain] if session else [plain]


def _list_places(session: str, named: str) -> list[str]:
    """Those, and the places where backups are kept when a session was copied."""
    kept = f"{BACKUPS}/{name_of(_normalize_path(named))}"
    return [*_candidate_paths(session, named), f"{session}/{kept}" if session else kept, kept]


@lru_cache(maxsize=2)
def _group_by_session(source: Source) -> dict[str, list[str]]:
    """The files right inside each folder of backups, by the folder that holds it."""
    found: dict[str, list[str]] = {}
    for path in source.files:
        folder = folder_of(path)
        if name_of(folder) == BACKUPS:
            found.setdefault(folder_of(folder), []).append(path)
    return found


def list_backups(source: Source, session: str) -> list[str]:
    """The files among the backups of a session."""
    return _group_by_session(source).get(session, [])
