"""The table `[encryption]`: when an unlocked library is locked again."""

from __future__ import annotations

import re
from typing import NamedTuple

from talktree.errors import UsageError
from talktree.settings.config import ENCRYPTION, read_config

UNLOCK_TIMEOUT = "unlock-timeout"
DEFAULT_IDLE = 30 * 60.0
LONGEST_IDLE = 7 * 24 * 3600.0
_TIME = re.compile(r"([0-9]{1,9})([smhd])?", re.ASCII)
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


class EncryptionSettings(NamedTuple):
    """The settings for encrypted libraries."""

    idle: float = DEFAULT_IDLE
    """Seconds without use after which a library is locked."""


def encryption_settings() -> EncryptionSettings:
    """Return the settings for encrypted libraries from the user's settings, or the defaults."""
    config = read_config()
    value = config.table(ENCRYPTION, (UNLOCK_TIMEOUT,)).get(UNLOCK_TIMEOUT, DEFAULT_IDLE)
    idle = parse_seconds(value)
    if idle is None:
        raise UsageError(
            f"{config.path}: {ENCRYPTION}.{UNLOCK_TIMEOUT} is not a time: {value!r}",
            hint='like "30m" or "8h", up to a week',
        )
    return EncryptionSettings(idle)


def parse_seconds(value: object) -> float | None:
    """Return seconds from a number, or from a text such as `30m`; None if it is neither."""
    if isinstance(value, str):
        found = _TIME.fullmatch(value.strip())
        value = None if found is None else float(found[1]) * _UNITS[found[2] or "s"]
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= LONGEST_IDLE:
        return float(value)
    return None
