"""The key file of a library: its data key in slots, stored twice, replaced as a whole.

`library.key` and `library.key.copy` hold the same, so one damaged sector loses nothing. Both are
useless without the passphrase or the identity of a slot.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec
from msgspec import Struct

from talktree.errors import NotSaved, Unreadable
from talktree.files.durable import create_whole, write_all
from talktree.library.encryption.key_slots import Slot
from talktree.library.encryption.state import KEY_COPY, KEY_FILE

_VERSION = 1
_LONGEST = 1 << 20
_ABOUT = "talktree library key"


class LibraryKey(Struct, frozen=True):
    """The contents of a key file."""

    id: str
    """The id of the data key."""
    slots: tuple[Slot, ...]
    about: str = _ABOUT
    version: int = _VERSION


class _Checked(Struct, frozen=True):
    """A key file on the disk: the text of a `LibraryKey`, and its hash."""

    key: LibraryKey
    checksum: str


def read_key_file(root: Path) -> LibraryKey:
    """Return the key file of a library, or its copy if the file itself is damaged."""
    both = {name: _read(root / name) for name in (KEY_FILE, KEY_COPY)}
    usable = [found for found in both.values() if isinstance(found, LibraryKey)]
    if len({found.id for found in usable}) > 1:
        raise Unreadable(
            f"{root}: {KEY_FILE} and {KEY_COPY} are of two libraries",
            hint="move the one away that is not of this library",
        )
    if usable:
        return usable[0]
    problems = [f"{name}: {found}" for name, found in both.items()]
    raise Unreadable(
        f"{root}: the key file and its copy cannot be used ({'; '.join(problems)})",
        hint=f"put a copy of {KEY_FILE} back; without one, nothing can decrypt this library",
    )


def write_key_file(root: Path, key: LibraryKey) -> None:
    """Replace the key file and its copy, one after the other, each as a whole."""
    data = _encode(key)
    for name in (KEY_FILE, KEY_COPY):
        _write(root, name, data)


def repair_key_file(root: Path) -> bool:
    """Restore a damaged or missing key file or copy from the other one; return whether it was."""
    key = read_key_file(root)
    wrong = [name for name in (KEY_FILE, KEY_COPY) if _read(root / name) != key]
    for name in wrong:
        _write(root, name, _encode(key))
    return bool(wrong)


def remove_key_file(root: Path) -> None:
    """Remove the key file and its copy."""
    for name in (KEY_FILE, KEY_COPY):
        (root / name).unlink(missing_ok=True)


def _read(path: Path) -> LibraryKey | str:
    """Return the contents of a key file, or why it cannot be used."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LONGEST)
    except OSError as error:
        return error.strerror or "cannot be read"
    try:
        found = msgspec.json.decode(data, type=_Checked)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return "damaged"
    if found.checksum != _checksum(found.key):
        return "damaged"
    if found.key.version > _VERSION:
        return "made by a newer version of talktree"
    return found.key


def _encode(key: LibraryKey) -> bytes:
    return msgspec.json.format(msgspec.json.encode(_Checked(key, _checksum(key)))) + b"\n"


def _checksum(key: LibraryKey) -> str:
    return hashlib.sha256(msgspec.json.encode(key)).hexdigest()


def _write(root: Path, name: str, data: bytes) -> None:
    try:
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            create_whole(folder, name.encode(), lambda fd: write_all(fd, data))
        finally:
            os.close(folder)
    except OSError as error:
        raise NotSaved(
            f"{root / name}: {error.strerror or error}", hint="make room, or check its permissions"
        ) from None
