"""Whether a library is encrypted, without loading the encryption modules."""

from __future__ import annotations

import os
from pathlib import Path

DATABASE = "library.sqlite"
KEY_FILE, KEY_COPY = "library.key", "library.key.copy"
ENCRYPTING, DECRYPTING = "encrypting", "decrypting"
"""The folders in which the new library is built."""
JOURNAL = "library.sqlite-journal"
"""A file that SQLite leaves if it is killed while it leaves the write-ahead log."""
OLD_DATABASE = "library.sqlite.old"
"""The second name of a replaced database, until it is erased."""
_PLAIN = b"SQLite format 3\0"


def is_encrypted(root: Path) -> bool:
    """Whether the library in a folder is encrypted, or will be when it is created.

    The database decides: a plain one always begins with the same bytes. Replacing that one file
    turns encryption on and off.
    """
    # Without a key file, it is a new or a damaged database.
    start = _read_start(root)
    return start is not None and start != _PLAIN and has_key_file(root)


def lacks_key_file(root: Path) -> bool:
    """Whether the database in a folder is not a plain one, and no key file is there to open it."""
    return _read_start(root) not in (None, b"", _PLAIN) and not has_key_file(root)


def _read_start(root: Path) -> bytes | None:
    """Return the first bytes of the database: empty without a file, None if it cannot be read."""
    try:
        with open(root / DATABASE, "rb", buffering=0) as file:
            return file.read(len(_PLAIN))
    except FileNotFoundError:
        return b""
    except OSError:
        return None


def has_key_file(root: Path) -> bool:
    """Whether a library folder has a key file, whatever its state."""
    return any(os.path.lexists(root / name) for name in (KEY_FILE, KEY_COPY))


def has_leftovers(root: Path) -> bool:
    """Whether a switch of encryption is running or was interrupted."""
    names = (ENCRYPTING, DECRYPTING, OLD_DATABASE, JOURNAL)
    return any(os.path.lexists(root / name) for name in names)
