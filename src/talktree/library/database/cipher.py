"""The cipher of an encrypted database: SQLCipher with a raw key, without a passphrase.

SQLCipher is SQLite with AES-256 and a keyed hash (HMAC-SHA512) for each page. Its Python module has
the interface of `sqlite3`. It is loaded only for encrypted libraries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from talktree.errors import MissingExtra

if TYPE_CHECKING:
    import sqlite3

CIPHER_PAGE = 8192
"""Bytes of a page; SQLCipher needs it before it can read one."""


def load_cipher_module() -> Any:  # noqa: ANN401
    """Import the module that opens encrypted databases."""
    try:
        from sqlcipher3 import dbapi2  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("an encrypted library", "encryption") from None
    return dbapi2


def derive_database_key(key: bytes | None, purpose: str = "database") -> bytes | None:
    """Derive the key of one database from the library's data key."""
    return None if key is None else _digest(key, f"talktree {purpose}")


def format_cipher_key(key: bytes) -> str:
    """Format a key for SQLCipher: its hexadecimal digits, and those of a salt.

    The salt is derived from the key. Otherwise it would be only in the first 16 bytes of the file,
    and damage there would make everything unreadable.
    """
    salt = _digest(key, "talktree database salt")[:16]
    return f"x'{key.hex()}{salt.hex()}'"


def _digest(key: bytes, purpose: str) -> bytes:
    import hmac  # only encrypted libraries need it

    return hmac.digest(key, purpose.encode(), "sha256")


def use_key(connection: sqlite3.Connection, key: bytes) -> None:
    """Make a new connection use a key."""
    silence_stderr(connection)
    connection.execute(f'PRAGMA key = "{format_cipher_key(key)}"')
    connection.execute(f"PRAGMA cipher_page_size = {CIPHER_PAGE}")
    # Temporary data stays in memory, never in a file.
    connection.execute("PRAGMA temp_store = MEMORY")


def silence_stderr(connection: sqlite3.Connection) -> None:
    """Make SQLCipher report errors only to its caller, and not on stderr as well."""
    connection.execute("PRAGMA cipher_log_level = NONE")


def find_damaged_pages(connection: sqlite3.Connection) -> list[str]:
    """Return the damaged pages of an encrypted file: those whose keyed hash does not match."""
    return [str(row[0]) for row in connection.execute("PRAGMA cipher_integrity_check")]
