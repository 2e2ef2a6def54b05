"""The user's own settings: `config.toml`, the one place for limits and for the virus scanner.

A scanner is a command, so it is never taken from a file beside the conversations: the sender of
a folder would otherwise choose what runs when you check it. A misspelt name is an error,
because a setting that does nothing is worse than none.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from talktree.errors import Unreadable, UsageError
from talktree.home import config_file

TABLE = "attachments"
REDACTION = "redaction"
WORDS, PATTERNS = "words", "patterns"
MAX_SIZE, SCAN_COMMAND, SCAN_TIMEOUT = "max-size", "scan-command", "scan-timeout"
KNOWN = (MAX_SIZE, SCAN_COMMAND, SCAN_TIMEOUT)
PLACEHOLDER = "{path}"
DEFAULT_SIZE = 10_000_000
LONGEST_WAIT = 3600
_SIZE = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,3}))? ?([kmgKMG]i?)?(?:[bB]|bytes?)?", re.ASCII)
_UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "ki": 1024, "mi": 1024**2, "gi": 1024**3}


class AttachmentSettings(NamedTuple):
    """What holds for attachments everywhere: checking, editing, importing, the studio."""

    max_size: int = DEFAULT_SIZE
    """How many bytes one may have."""
    scan_command: tuple[str, ...] = ()
    """The words of the external scanner's command; empty if there is none."""
    scan_timeout: float = 60.0
    """Seconds that the scanner may take for one attachment."""


class RedactionSettings(NamedTuple):
    """What exports replace besides secrets."""

    words: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    """Regular expressions."""


def attachment_settings() -> AttachmentSettings:
    """The settings for attachments from the user's own configuration, or the defaults."""
    return _settings()[0]


def redaction_settings() -> RedactionSettings:
    """The settings for redaction from the user's own configuration, or the defaults."""
    return _settings()[1]


def _settings() -> tuple[AttachmentSettings, RedactionSettings]:
    path = config_file()
    try:
        about = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return AttachmentSettings(), RedactionSettings()
    except OSError as error:
        raise Unreadable(
            f"{path}: {error.strerror or error}", hint="check its permissions"
        ) from None
    return _read(str(path), about.st_mtime_ns, about.st_size, about.st_mode, about.st_uid)


@lru_cache(maxsize=4)
def _read(
    shown: str, changed: int, size: int, mode: int, owner: int
) -> tuple[AttachmentSettings, RedactionSettings]:
    """The settings in a file; what is known of it besides says whether it was read before."""
    import tomllib  # only for those who have a configuration

    try:
        table = tomllib.loads(Path(shown).read_text("utf-8"))
    except OSError as error:
        raise Unreadable(
            f"{shown}: {error.strerror or error}", hint="check its permissions"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{shown}: not TOML: {error}", hint="fix it, or remove it") from None
    for name in table:
        if name not in (TABLE, REDACTION):
            raise UsageError(
                f"{shown}: unknown setting {name}", hint=f"write [{TABLE}] or [{REDACTION}]"
            )
    own = table.get(TABLE, {})
    if not isinstance(own, dict):
        raise UsageError(f"{shown}: {TABLE} is not a table", hint=f"write [{TABLE}]")
    for name in own:
        if name not in KNOWN:
            raise UsageError(
                f"{shown}: unknown setting {TABLE}.{name}", hint=f"one of {', '.join(KNOWN)}"
            )
    command = _command(own.get(SCAN_COMMAND, ""), shown)
    if command:
        _refuse_foreign(shown, mode, owner)
    redaction = _redaction(table.get(REDACTION, {}), shown)
    attachments = AttachmentSettings(
        max_size=_bytes(own.get(MAX_SIZE, DEFAULT_SIZE), shown),
        scan_command=command,
        scan_timeout=_seconds(own.get(SCAN_TIMEOUT, 60), shown),
    )
    return attachments, redaction


def _redaction(own: object, path: str) -> RedactionSettings:
    if not isinstance(own, dict):
        raise UsageError(f"{path}: {REDACTION} is not a table", hint=f"write [{REDACTION}]")
    for name in own:
        if name not in (WORDS, PATTERNS):
            raise UsageError(
                f"{path}: unknown setting {REDACTION}.{name}", hint=f"one of {WORDS}, {PATTERNS}"
            )
    words, patterns = (_texts(own.get(name, []), name, path) for name in (WORDS, PATTERNS))
    return RedactionSettings(words, patterns)


def _texts(value: object, name: str, path: str) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(each, str) and each.strip() for each in value):
        return tuple(value)
    raise UsageError(f"{path}: {REDACTION}.{name} is not a list of texts", hint=f'{name} = ["…"]')


def _bytes(value: object, path: str) -> int:
    """A size in bytes from a number, or from a text such as `10 MB`."""
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    found = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is not None:
        whole, part, unit = found.groups()
        size = int(float(f"{whole}.{part or 0}") * _UNITS[(unit or "").lower()])
        if size > 0:
            return size
    raise UsageError(
        f"{path}: {TABLE}.{MAX_SIZE} is not a size: {value!r}", hint='like 10000000 or "10 MB"'
    )


def _seconds(value: object, path: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= LONGEST_WAIT:
        return float(value)
    raise UsageError(
        f"{path}: {TABLE}.{SCAN_TIMEOUT} is not a number of seconds: {value!r}",
        hint=f"a number up to {LONGEST_WAIT}",
    )


def _command(value: object, path: str) -> tuple[str, ...]:
    """The words of a command; the path of the file to scan must be one of them."""
    hint = f'like "clamdscan --no-summary {PLACEHOLDER}"'
    if not isinstance(value, str):
        raise UsageError(f"{path}: {TABLE}.{SCAN_COMMAND} is not a text", hint=hint)
    try:
        words = tuple(shlex.split(value))
    except ValueError as error:
        raise UsageError(f"{path}: {TABLE}.{SCAN_COMMAND}: {error}", hint=hint) from None
    if words and not any(PLACEHOLDER in word for word in words[1:]):
        raise UsageError(f"{path}: {TABLE}.{SCAN_COMMAND} has no {PLACEHOLDER}", hint=hint)
    return words


def _refuse_foreign(path: str, mode: int, owner: int) -> None:
    """Raise if another user could have written the command that would run."""
    if not hasattr(os, "geteuid"):
        return
    if owner not in (os.geteuid(), 0) or mode & stat.S_IWOTH:
        raise UsageError(
            f"{path}: {TABLE}.{SCAN_COMMAND} is not used, because others can change this file",
            hint="own it, and take write permission from others: chmod o-w",
        )
