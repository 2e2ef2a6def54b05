"""Keyed hashes of paths, ids and secrets: they can be compared, but reveal nothing."""

from __future__ import annotations

import os
from pathlib import Path

from talktree.errors import NotSaved, Unreadable

NAME = "forget.key"
_SIZE = 32
_HASH_SIZE = 16


class KeyedHash:
    """The hashes of one library, made with its own random key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def hash_value(self, kind: str, value: bytes) -> bytes:
        """Return the hash of a value; values of different kinds have different hashes."""
        from hashlib import blake2b  # slow to load, and most imports do not need it

        return blake2b(
            value, key=self._key, digest_size=_HASH_SIZE, person=kind.encode()[:16]
        ).digest()

    def multiplier(self) -> int:
        """Return an odd 64-bit number that is specific to this library."""
        from hashlib import blake2b

        made = blake2b(b"", key=self._key, digest_size=8, person=b"multiplier").digest()
        return int.from_bytes(made, "big") | 1


def keyed_hash(root: Path, *, make: bool) -> KeyedHash | None:
    """Return the hashes of the library in a folder; None without a key, unless `make` is set."""
    path = root / NAME
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        return KeyedHash(_make_key(path)) if make else None
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}", hint="check the rights of the file") from None
    if len(key) != _SIZE:
        raise Unreadable(
            f"{path}: this is not the key of a library",
            hint="put a copy of it back; without it forgotten conversations are not recognised",
        )
    return KeyedHash(key)


def _make_key(path: Path) -> bytes:
    """Create a key, which is on the disk before anything is hashed with it."""
    key = os.urandom(_SIZE)
    draft = path.with_name(f".{NAME}.{os.getpid()}")
    try:
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.write(file, key)
            os.fsync(file)
        finally:
            os.close(file)
        os.replace(draft, path)
    except OSError as error:
        raise NotSaved(f"{path}: {error.strerror}", hint="make room on the disk") from None
    return key
