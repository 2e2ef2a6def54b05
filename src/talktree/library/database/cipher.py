"""The cipher of an encrypted database: SQLCipher, with the key as it is and no passphrase.

SQLCipher is SQLite with AES-256 and a keyed hash (HMAC-SHA512) for each page. Its Python module has
the interface of `sqlite3`. It is loaded only for libraries that are encrypted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from talktree.errors import MissingExtra

if TYPE_CHECKING:
    import sqlite3

CIPHER_PAGE = 8192
"""Bytes of a page, which SQLCipher has to know before it can read one."""


def load_cipher_module() -> Any:  # noqa: ANN401
    """The module that opens encrypted databases."""
    try:
        from sqlcipher3 import dbapi2  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("an encrypted library", "encryption") from None
    return dbapi2


def derive_database_key(key: bytes | None, purpose: str = "database") -> bytes | None:
    """The key of one database of a library, made of the library's data key."""
    return None if key is None else _digest(key, f"talktree {purpose}")


def format_cipher_key(key: bytes) -> str:
    """A key as SQLCipher takes it: its digits, and those of a salt.

    The salt is made from the key. Otherwise it would be in the first 16 bytes of the file alone,
    and without them nothing could be read.
    """
    salt = _digest(key, "talktree database salt")[:16]
    return f"x'{key.hex()}{salt.hex()}'"


def _digest(key: bytes, purpose: str) -> bytes:
    import hmac  # only encrypted libraries need it

    return hmac.digest(key, purpose.encode(), "sha256")


def use_key(connection: sqlite3.Connection, key: bytes) -> None:
    """Have a new connection read and write with a key."""
    silence_stderr(connection)
    connection.execute(f'PRAGMA key = "{format_cipher_key(key)}"')
    connection.execute(f"PRAGMA cipher_page_size = {CIPHER_PAGE}")
    # Whatever has to be put aside stays in memory, never in a file.
    connection.execute("PRAGMA temp_store = MEMORY")


def silence_stderr(connection: sqlite3.Connection) -> None:
    """Have SQLCipher report errors to its caller alone, and not on stderr as well."""
    connection.execute("PRAGMA cipher_log_level = NONE")


def find_damaged_pages(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the pages of an encrypted file: those whose keyed hash does not fit."""
    return [str(row[0]) for row in connection.execute("PRAGMA cipher_integrity_check")]
