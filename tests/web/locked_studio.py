"""A home whose library is encrypted, and studios of it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from talktree.library.encryption.key_file import LibraryKey, write_key_file
from talktree.library.encryption.key_slots import (
    generate_key,
    key_id,
    make_age_slot,
    make_passphrase_slot,
)
from talktree.library.encryption.unlocking import forget_key, remember_key
from talktree.library.library import Library

PASSPHRASE = "seven plain words öf a test"


class EncryptedHome(NamedTuple):
    """The folder of the home, and the id of its key."""

    folder: Path
    id: str

    @property
    def root(self) -> Path:
        return self.folder / "library"


def encrypted_home(folder: Path, source: Path, recipient: object = None) -> EncryptedHome:
    """Import a folder to a library that is encrypted from the start, and lock it."""
    key = generate_key()
    home = EncryptedHome(folder, key_id(key))
    slots = (make_passphrase_slot(key, PASSPHRASE),)
    more = () if recipient is None else (make_age_slot(key, [recipient]),)
    home.root.mkdir(parents=True, mode=0o700)
    write_key_file(home.root, LibraryKey(home.id, (*slots, *more)))
    remember_key(home.id, key)
    try:
        with Library.open(home.root, write=True) as library:
            library.import_([source])
    finally:
        forget_key(home.id)
    return home
