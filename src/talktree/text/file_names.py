"""Unsafe file names and paths."""

from __future__ import annotations

import re

_DRIVE = re.compile(r"[A-Za-z]:(?:[\\/]|\Z)")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.[^\\/]*)?", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SYSTEM = re.compile(
    r"/(?:etc|bin|sbin|lib|lib64|usr/(?:bin|sbin|lib|lib64)|boot|dev|proc|sys|root/\.ssh)/"
    r"|[a-z]:[\\/](?:windows|program files)",
    re.IGNORECASE,
)
_RUN_LATER = re.compile(r"(?:^|[\\/])(?:\.ssh[\\/]|\.git[\\/]hooks[\\/])")
MADE_UP = "attachment"


def is_path_traversal(path: str) -> bool:
    """Whether a path leads out of its starting folder."""
    depth = 0
    for step in re.split(r"[\\/]", path):
        if step == "..":
            depth -= 1
            if depth < 0:
                return True
        elif step not in ("", "."):
            depth += 1
    return False


def check_name(name: str) -> str | None:
    """Return why a name must not be used for a file as it is; None if it may."""
    if _CONTROL.search(name):
        return "control characters"
    if name.startswith(("/", "\\", "~/")) or _DRIVE.match(name):
        return "an absolute path"
    if is_path_traversal(name):
        return "a way out of its folder"
    if _DEVICE.fullmatch(_last_piece(name)):
        return "the name of a device"
    return None


def check_path(path: str) -> str | None:
    """Return why nothing should be restored at a path; None if it may be. Absolute paths are
    normal."""
    if "\0" in path:
        return "holds a NUL character"
    if ".." in path and is_path_traversal(path.lstrip("/\\")):
        return "leads out of the folder it starts from"
    if path.startswith("\\\\") or (
        "." not in _last_piece(path) and _DEVICE.fullmatch(_last_piece(path))
    ):
        return "names another computer or a device"
    if _SYSTEM.match(path):
        return "belongs to the system"
    if _RUN_LATER.search(path):
        return "names a file that other programs trust or run"
    return None


def sanitize_name(name: str) -> str:
    """Return the last component of a name without forbidden characters."""
    bare = _CONTROL.sub("", _last_piece(name)).strip()
    if bare in ("", ".", "..") or _DRIVE.match(bare):
        return MADE_UP
    return f"_{bare}" if _DEVICE.fullmatch(bare) else bare


def _last_piece(path: str) -> str:
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1]


LONGEST_NAME = 100
_UNPLAIN = re.compile(r"[^\w.+ ()-]+")


def to_portable_name(name: str, *, otherwise: str = MADE_UP) -> str:
    """Return a short name that every file system accepts: letters, digits, a few signs, no leading
    dot."""
    bare = _UNPLAIN.sub("_", sanitize_name(name)).strip(" ._")
    stem, dot, ending = bare.rpartition(".")
    if not stem or len(ending) > 12:
        stem, dot, ending = bare, "", ""
    short = stem.encode()[: LONGEST_NAME - len(ending)].decode("utf-8", "ignore").rstrip(" .")
    return sanitize_name(short + dot + ending) if short else otherwise
