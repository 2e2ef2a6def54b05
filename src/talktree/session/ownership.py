"""The mark by which this machine recognizes its own sessions.

A key in this user's data folder makes an HMAC over the session's id, its workspace and the folder
it is in. A session without a mark, or with one of another place, was brought from elsewhere, or
went away and came back: its snapshots may name any path and claim anything, so they are not
restored to the recorded workspace.
"""

from __future__ import annotations

import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from talktree.errors import Unreadable
from talktree.files.private import make_private
from talktree.home import HOME, data_home

__all__ = ["HOME", "Identity", "WorkspaceIdentity", "data_home", "is_own", "make_mark"]

KEY_NAME = "session-key"
KEY_LENGTH = 32


class WorkspaceIdentity(NamedTuple):
    """A workspace: its path, and the identity of the folder."""

    path: bytes
    device: int
    inode: int


Identity = tuple[int, int]
"""The device and the inode of the folder that a session is in."""


def make_mark(id: str, place: WorkspaceIdentity, folder: Identity) -> str | None:
    """Return the mark of a session of this machine; None where no key can be stored."""
    key = _read_key(make=True)
    return None if key is None else _sign(key, id, place, folder)


def is_own(id: str, place: WorkspaceIdentity, folder: Identity, claimed: object) -> bool:
    """Whether this machine made the mark."""
    key = _read_key(make=False)
    if key is None or not isinstance(claimed, str) or not claimed.isascii():
        return False
    return hmac.compare_digest(_sign(key, id, place, folder), claimed)


def _sign(key: bytes, id: str, place: WorkspaceIdentity, folder: Identity) -> str:
    numbers = b"%d %d %d %d" % (place.device, place.inode, *folder)
    parts = (b"talktree session", id.encode(), place.path, numbers)
    return hmac.new(key, b"\0".join(parts), "sha256").hexdigest()


def _read_key(*, make: bool) -> bytes | None:
    path = data_home() / KEY_NAME
    for _ in range(2):
        try:
            text = path.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            if not make or not _create_key(path):
                return None
            continue
        except (OSError, UnicodeDecodeError):
            return None
        return _decode_key(text, path)
    return None


def _decode_key(text: str, path: Path) -> bytes:
    with suppress(ValueError):
        key = bytes.fromhex(text)
        if len(key) == KEY_LENGTH:
            return key
    raise Unreadable(
        f"{path}: this is not the key of this machine's sessions",
        hint="put back the key it was, or remove it: then older sessions count as brought along",
    )


def _create_key(path: Path) -> bool:
    """Write a new key atomically; another process may have been quicker."""
    try:
        make_private(path.parent)
        fresh = path.with_name(f".{KEY_NAME}.{secrets.token_hex(8)}")
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(secrets.token_hex(KEY_LENGTH).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(fresh, path)
        finally:
            fresh.unlink()
        return True
    except OSError:
        return False
