"""The table `[redaction]`: words and patterns that exports replace in addition to secrets."""

from __future__ import annotations

from typing import NamedTuple

from talktree.errors import UsageError
from talktree.settings.config import REDACTION, read_config

WORDS, PATTERNS = "words", "patterns"


class RedactionSettings(NamedTuple):
    """The settings for replacements in addition to secrets."""

    words: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    """Regular expressions."""


def redaction_settings() -> RedactionSettings:
    """Return the settings for redaction from the user's own configuration, or the defaults."""
    config = read_config()
    own = config.table(REDACTION, (WORDS, PATTERNS))
    words, patterns = (
        _parse_texts(own.get(name, []), name, config.path) for name in (WORDS, PATTERNS)
    )
    return RedactionSettings(words, patterns)


def _parse_texts(value: object, name: str, path: str) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(each, str) and each.strip() for each in value):
        return tuple(value)
    raise UsageError(f"{path}: {REDACTION}.{name} is not a list of texts", hint=f'{name} = ["…"]')
