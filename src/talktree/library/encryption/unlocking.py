"""Whether a library is encrypted, and its key: from this process, the agent, or a passphrase file.

A key that was found once is kept by this process, so that the agent is asked once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from talktree.errors import LibraryLocked, Unreadable
from talktree.library.encryption.key_file import LibraryKey, read_key_file
from talktree.library.encryption.state import is_encrypted

PASSPHRASE_FILE = "TALKTREE_PASSPHRASE_FILE"
"""The environment variable that names a file with the passphrase, for scripts."""
_LONGEST = 1 << 16
_keys: dict[str, bytes] = {}
"""By their ids."""


def library_key(root: Path) -> bytes | None:
    """The data key of the library in a folder; None if it is not encrypted."""
    if not is_encrypted(root):
        return None
    about = read_key_file(root)
    found = _keys.get(about.id) or _from_agent(about) or _from_passphrase_file(about)
    if found is None:
        raise LibraryLocked(
            f"{root}: the library is locked", hint="unlock it: talktree library unlock"
        )
    return remember_key(about.id, found)


def remember_key(id: str, key: bytes) -> bytes:
    """Keep a key in this process."""
    _keys[id] = key
    return key


def forget_key(id: str) -> None:
    """Do not keep a key in this process any more."""
    _keys.pop(id, None)


def unwrap(
    about: LibraryKey, *, passphrase: str | None = None, identities: Sequence[Any] = ()
) -> bytes:
    """The data key that a passphrase or an identity opens."""
    from talktree.library.encryption.key_slots import unwrap_age, unwrap_passphrase

    if identities:
        return unwrap_age(about.slots, identities, about.id)
    return unwrap_passphrase(about.slots, passphrase or "", about.id)


def read_passphrase(path: str) -> str:
    """The passphrase in a file, without the end of its line; - is stdin."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(_LONGEST)
        else:
            with open(path, "rb") as file:
                data = file.read(_LONGEST)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}", hint="check the path") from None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise Unreadable(f"{path}: the passphrase is not UTF-8", hint="save it as UTF-8") from None
    return text.removesuffix("\n").removesuffix("\r")


def _from_agent(about: LibraryKey) -> bytes | None:
    from talktree.library.encryption.agent_client import fetch_key
    from talktree.library.encryption.key_slots import key_id

    found = fetch_key(about.id)
    return found if found is not None and key_id(found) == about.id else None


def _from_passphrase_file(about: LibraryKey) -> bytes | None:
    path = os.environ.get(PASSPHRASE_FILE)
    return None if not path or path == "-" else unwrap(about, passphrase=read_passphrase(path))
