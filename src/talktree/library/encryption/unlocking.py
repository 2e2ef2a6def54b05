"""Whether a library is encrypted, and its key: from this process, the agent, or a passphrase file.

A key is cached in this process, so the agent is asked only once.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from talktree.errors import LibraryLocked, NotSaved, TalktreeError, Unreadable, UsageError, WrongKey
from talktree.home import data_home
from talktree.library.encryption.key_file import LibraryKey, read_key_file
from talktree.library.encryption.state import DATABASE, is_encrypted

PASSPHRASE_FILE = "TALKTREE_PASSPHRASE_FILE"
"""The environment variable that names a file with the passphrase, for scripts."""
_LONGEST = 1 << 16
_keys: dict[str, bytes] = {}
"""Keys by their ids."""


def find_library_key(root: Path) -> bytes | None:
    """Return the data key of the library in a folder; None if it is not encrypted."""
    if not is_encrypted(root):
        return None
    about = read_key_file(root)
    found = (
        _keys.get(about.id)
        or _fetch_key_from_agent(about)
        or _unwrap_with_passphrase_file(root, about)
    )
    if found is None:
        raise LibraryLocked(f"{root}: the library is locked", hint=_unlock_hint(root))
    return remember_key(about.id, found)


def _unlock_hint(root: Path) -> str:
    """Return the command that unlocks a library; those in the data folder share one key."""
    is_other = not Path(os.path.abspath(root)).is_relative_to(os.path.abspath(data_home()))
    other = f" --library {shlex.quote(str(root))}" if is_other else ""
    return f"unlock it: talktree library unlock{other}"


def remember_key(id: str, key: bytes) -> bytes:
    """Cache a key in this process."""
    _keys[id] = key
    return key


def forget_key(id: str) -> None:
    """Remove a key from the cache of this process."""
    _keys.pop(id, None)


def unwrap_library_key(
    root: Path,
    about: LibraryKey,
    *,
    passphrase: str | None = None,
    identities: Sequence[Any] = (),
) -> bytes:
    """Return the data key of the library in a folder, unwrapped by a passphrase or an identity."""
    from talktree.library.encryption.key_slots import unwrap_age, unwrap_passphrase

    try:
        if identities:
            key = unwrap_age(about.slots, identities, about.id)
        else:
            key = unwrap_passphrase(about.slots, passphrase or "", about.id)
    except WrongKey as error:
        raise WrongKey(f"{root}: {error.message}", hint=error.hint) from None
    _verify_key(root, key)
    return key


def _verify_key(root: Path, key: bytes) -> None:
    """Raise an error if a key from the key file does not open the database next to it."""
    from talktree.library.database.cipher import derive_database_key
    from talktree.library.database.connection import Database

    path = root / DATABASE
    if path.exists():
        try:
            with Database(path, write=False, key=derive_database_key(key)) as database:
                database.read("SELECT count(*) FROM sqlite_master")
        except NotSaved:
            pass  # SQLite needs room for its log even to read: a full disk says nothing of the key.


def read_passphrase(path: str) -> str:
    """Read the passphrase from a file of one line, without the line end; - is stdin."""
    try:
        if path == "-":
            if sys.stdin is None:
                raise Unreadable("stdin is closed", hint="pipe the passphrase into the command")
            data = sys.stdin.buffer.read(_LONGEST + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(_LONGEST + 1)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}", hint="check the path") from None
    try:
        # Windows editors add a byte order mark and other line ends.
        text = data.decode("utf-8-sig").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise Unreadable(f"{path}: the passphrase is not UTF-8", hint="save it as UTF-8") from None
    name = "stdin" if path == "-" else path
    if not text:
        raise UsageError(f"{name}: the passphrase is empty", hint="use a file with one line")
    if "\n" in text or "\r" in text or len(data) > _LONGEST:
        raise UsageError(
            f"{name}: more than one line, or too long for a passphrase",
            hint="use a file with the passphrase and nothing else; for stdin: | head -n 1",
        )
    return text


def _fetch_key_from_agent(about: LibraryKey) -> bytes | None:
    from talktree.library.encryption.agent_client import fetch_key
    from talktree.library.encryption.key_slots import key_id

    found = fetch_key(about.id)
    return found if found is not None and key_id(found) == about.id else None


def _unwrap_with_passphrase_file(root: Path, about: LibraryKey) -> bytes | None:
    path = os.environ.get(PASSPHRASE_FILE)
    if not path or path == "-":
        return None
    try:
        passphrase = read_passphrase(path)
    except TalktreeError as error:
        error.hint = f"{error.hint} in {PASSPHRASE_FILE}"
        raise
    return unwrap_library_key(root, about, passphrase=passphrase)
