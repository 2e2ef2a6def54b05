"""Passphrases for commands: from a file, stdin or a terminal; never from arguments."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from talktree.cli import params
from talktree.errors import UsageError
from talktree.library.encryption.unlocking import PASSPHRASE_FILE, read_passphrase

from_file = click.option(
    "--passphrase-file",
    metavar="FILE",
    type=params.PATH,
    help=f"Read the passphrase from this file, - is stdin; else ${PASSPHRASE_FILE}, else ask.",
)
identity = click.option(
    "--identity",
    metavar="FILE",
    type=params.PATH,
    help="Use the age identities in this file instead of a passphrase.",
)


def read_named_passphrase(path: str | None) -> str | None:
    """Return the passphrase from a file; None if no file is named."""
    path = path or os.environ.get(PASSPHRASE_FILE) or None
    if path is None or _is_terminal(path):
        # Typed text must not be shown.
        return None
    return read_passphrase(path)


def get_passphrase(path: str | None, question: str = "Passphrase") -> str:
    """Return the passphrase of the library."""
    found = read_named_passphrase(path)
    return _prompt_passphrase(question, repeat=False) if found is None else found


def get_new_passphrase(path: str | None, question: str = "New passphrase") -> str:
    """Return a new passphrase; at a terminal it is typed twice."""
    found = read_passphrase(path) if path and not _is_terminal(path) else None
    found = _prompt_passphrase(question, repeat=True) if found is None else found
    if not found:
        raise UsageError("the passphrase is empty", hint="choose one of several words")
    return found


def load_identities(path: str | None) -> list[Any]:
    """Return the identities in a file."""
    if path is None:
        return []
    from talktree.files.age import read_identities

    return read_identities(path)


def _is_terminal(path: str) -> bool:
    return path == "-" and sys.stdin is not None and sys.stdin.isatty()


def _prompt_passphrase(question: str, *, repeat: bool) -> str:
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(
            "cannot ask for the passphrase: stdin is not a terminal",
            hint="use --passphrase-file FILE, or - for stdin",
        )
    from getpass import getpass

    found = getpass(f"{question}: ")
    if repeat and getpass(f"{question} again: ") != found:
        raise UsageError("the passphrases differ", hint="try again")
    return found
