"""Finishing a switch of encryption, interrupted or not.

The database file decides whether a library is encrypted. So everything else in its folder can be
finished from any state: a library that was built but not switched to is removed, one that was
switched to gets its full text, and the old files are erased.
"""

from __future__ import annotations

import os
from pathlib import Path

from talktree.errors import TalktreeError
from talktree.library.database.cipher import derive_database_key
from talktree.library.database.connection import Database
from talktree.library.encryption.file_erasure import erase_file, erase_folder
from talktree.library.encryption.key_file import remove_key_file
from talktree.library.encryption.state import (
    DATABASE,
    DECRYPTING,
    ENCRYPTING,
    JOURNAL,
    OLD_DATABASE,
    is_encrypted,
)
from talktree.library.encryption.unlocking import find_library_key
from talktree.library.fulltext.location import FOLDER
from talktree.library.importing.lock import WriterLock


def finish_interrupted_switch(root: Path, *, recover: bool = True) -> None:
    """Finish what an interrupted switch has left, unless the switch is running.

    Recovering the database requires its key; the rest does not.
    """
    lock = WriterLock(root)
    try:
        if not lock.try_acquire():
            return
    except TalktreeError:
        return  # the folder is not writable
    try:
        finish_switch(root)
        if recover and (root / JOURNAL).exists():
            _roll_back_database(root)
    finally:
        lock.release()


def _roll_back_database(root: Path) -> None:
    """Let SQLite roll back what was not completed, which requires a writable connection."""
    key = find_library_key(root)
    Database(root / DATABASE, write=True, key=derive_database_key(key)).close()


def finish_switch(root: Path) -> None:
    """Make the folder of a library match its database; the caller holds the lock."""
    encrypted = is_encrypted(root)
    done = root / (ENCRYPTING if encrypted else DECRYPTING)
    if (done / FOLDER).is_dir():
        erase_folder(root / FOLDER)
        os.rename(done / FOLDER, root / FOLDER)
    _erase_old_database(root, encrypted=encrypted)
    if not encrypted and (root / DATABASE).exists():
        remove_key_file(root)
    for name in (ENCRYPTING, DECRYPTING):
        erase_folder(root / name)


def _erase_old_database(root: Path, *, encrypted: bool) -> None:
    """Remove the replaced database; a plain one is overwritten first."""
    old = root / OLD_DATABASE
    try:
        same = os.path.samefile(old, root / DATABASE)
    except OSError:
        same = False
    if same or not encrypted:
        # Before the switch this is another name of the database itself.
        old.unlink(missing_ok=True)
    else:
        erase_file(old)
