"""The table `[attachments]`: the maximum size of attachments, and the virus scanner.

A scanner is a command, so it is never read from a file next to the conversations: otherwise the
sender of a folder would choose what runs when you check it.
"""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

from talktree.errors import UsageError
from talktree.settings.config import ATTACHMENTS, ConfigFile, read_config

MAX_SIZE, SCAN_COMMAND, SCAN_TIMEOUT = "max-size", "scan-command", "scan-timeout"
KNOWN = (MAX_SIZE, SCAN_COMMAND, SCAN_TIMEOUT)
PLACEHOLDER = "{path}"
DEFAULT_SIZE = 10_000_000
LONGEST_WAIT = 3600
_SIZE = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,3}))? ?([kmgKMG]i?)?(?:[bB]|bytes?)?", re.ASCII)
_UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "ki": 1024, "mi": 1024**2, "gi": 1024**3}


class AttachmentSettings(NamedTuple):
    """The settings for attachments in checking, editing, importing and the studio."""

    max_size: int = DEFAULT_SIZE
    """Maximum bytes of an attachment."""
    scan_command: tuple[str, ...] = ()
    """The words of the external scanner's command; empty if there is none."""
    scan_timeout: float = 60.0
    """Maximum seconds that the scanner may take for one attachment."""


def attachment_settings() -> AttachmentSettings:
    """Return the settings for attachments from the user's own configuration, or the defaults."""
    config = read_config()
    own = config.table(ATTACHMENTS, KNOWN)
    command = _parse_command(own.get(SCAN_COMMAND, ""), config.path)
    if command:
        _refuse_foreign(config)
    return AttachmentSettings(
        max_size=_parse_size(own.get(MAX_SIZE, DEFAULT_SIZE), config.path),
        scan_command=command,
        scan_timeout=_parse_seconds(own.get(SCAN_TIMEOUT, 60), config.path),
    )


def _parse_size(value: object, path: str) -> int:
    """Return a size in bytes from a number, or from a text such as `10 MB`."""
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    found = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is not None:
        whole, part, unit = found.groups()
        size = int(float(f"{whole}.{part or 0}") * _UNITS[(unit or "").lower()])
        if size > 0:
            return size
    raise UsageError(
        f"{path}: {ATTACHMENTS}.{MAX_SIZE} is not a size: {value!r}",
        hint='like 10000000 or "10 MB"',
    )


def _parse_seconds(value: object, path: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= LONGEST_WAIT:
        return float(value)
    raise UsageError(
        f"{path}: {ATTACHMENTS}.{SCAN_TIMEOUT} is not a number of seconds: {value!r}",
        hint=f"a number up to {LONGEST_WAIT}",
    )


def _parse_command(value: object, path: str) -> tuple[str, ...]:
    """Return the words of a command; the path of the file to scan must be one of them."""
    hint = f'like "clamdscan --no-summary {PLACEHOLDER}"'
    if not isinstance(value, str):
        raise UsageError(f"{path}: {ATTACHMENTS}.{SCAN_COMMAND} is not a text", hint=hint)
    try:
        words = tuple(shlex.split(value))
    except ValueError as error:
        raise UsageError(f"{path}: {ATTACHMENTS}.{SCAN_COMMAND}: {error}", hint=hint) from None
    if words and not any(PLACEHOLDER in word for word in words[1:]):
        raise UsageError(f"{path}: {ATTACHMENTS}.{SCAN_COMMAND} has no {PLACEHOLDER}", hint=hint)
    return words


def _refuse_foreign(config: ConfigFile) -> None:
    """Raise if another user could have written the command that would run."""
    if config.is_changeable_by_others():
        raise UsageError(
            f"{config.path}: {ATTACHMENTS}.{SCAN_COMMAND} is not used, because others can change "
            "this file",
            hint="own it, and take write permission from others: chmod o-w",
        )
