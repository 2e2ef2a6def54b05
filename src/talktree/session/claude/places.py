"""Paths of a Claude Code session: the folder of its copies, and where its files are written.

The paths in a session come from another program, and perhaps from another machine. They are only
used as names inside a chosen folder.
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from talktree.errors import PathEscapes
from talktree.files.sandbox import check_path

OUTSIDE = "outside"
"""The folder for files from outside the session's folder, by their whole path."""
HISTORY = "file-history"
GUARDED = frozenset({".git", ".hg", ".svn", ".jj"})
"""Folders of version control: version control may run files in them."""
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_SESSION = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")


def relocate_path(name: str, started: str | None) -> bytes:
    """Return the path of a file inside the chosen folder.

    `started` is the folder the session was started in; files below it keep their relative path.
    """
    windows = bool(_WINDOWS.match(name) or (started and _WINDOWS.match(started)))
    kind = ntpath if windows else posixpath
    whole = kind.isabs(name) or bool(kind.splitdrive(name)[0])
    parts = _split_path(name, windows=windows)
    if whole or ".." in parts:
        parts = _make_relative(name, started, windows=windows)
    if any(part.casefold().rstrip(". ") in GUARDED for part in parts):
        raise PathEscapes(
            "it belongs to version control", hint="such files are never written; use git itself"
        )
    return check_path("/".join(parts).encode("utf-8", "surrogatepass"))


def _make_relative(name: str, started: str | None, *, windows: bool) -> list[str]:
    kind = ntpath if windows else posixpath
    if started is None and not kind.isabs(name):
        raise PathEscapes("it leaves a folder nobody knows", hint="the session names no folder")
    target = _split_path(kind.normpath(kind.join(started or "", name)), windows=windows)
    base = _split_path(kind.normpath(started), windows=windows) if started else []
    if base and target[: len(base)] == base:
        return target[len(base) :]
    return [OUTSIDE, *target] if target else []


def _split_path(path: str, *, windows: bool) -> list[str]:
    """Return the names in a path; a drive is one of them, without its colon."""
    plain = path.replace("\\", "/").replace(":", "") if windows else path
    return [part for part in plain.split("/") if part not in ("", ".")]


def find_history_folder(file: Path, sessions: Iterable[str]) -> Path | None:
    """Return the folder of a session's copies: near its file, else in Claude Code's own folder."""
    named = [each for each in sessions if _SESSION.fullmatch(each)]
    for home in _find_homes(file):
        for session in named:
            folder = home / HISTORY / session
            if folder.is_dir() and not folder.is_symlink():
                return folder
    return None


def _find_homes(file: Path) -> Iterator[Path]:
    yield from list(Path(os.path.abspath(file)).parents)[:3]
    configured = os.environ.get("CLAUDE_CONFIG_DIR")
    if configured:
        yield Path(configured)
    try:
        yield Path.home() / ".claude"
    except RuntimeError:
        return
