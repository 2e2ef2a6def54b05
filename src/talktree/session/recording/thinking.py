"""The requested thinking: a level, and the phrases in the prompt that requested it.

Which phrase means which level is a setting (`thinking.phrases` under `talktree` in config.json). Of
overlapping phrases the longest counts; of several levels the highest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from msgspec.structs import replace

from talktree.errors import UsageError
from talktree.model.message import ThinkingLevel, ThinkingSetting

if TYPE_CHECKING:
    from talktree.session.index.index import SessionIndex

Level: TypeAlias = ThinkingLevel
LEVELS: tuple[Level, ...] = ("none", "low", "medium", "high")
Asked: TypeAlias = ThinkingSetting | Mapping[str, Any] | Level | bool | None
"""A setting, its members, a level, False for disabled, or None and True for the prompt's words."""
PHRASES: Mapping[str, Level] = {
    "think": "low",
    "think about it": "medium",
    "think hard": "medium",
    "think deeply": "medium",
    "think more": "medium",
    "megathink": "medium",
    "think harder": "high",
    "think very hard": "high",
    "think really hard": "high",
    "ultrathink": "high",
}
"""The default phrases."""
DISABLED = ThinkingSetting(level="none", disabled=True)


def parse_phrases(value: object) -> Mapping[str, Level]:
    """Return the phrases in the settings; invalid ones are ignored."""
    if not isinstance(value, Mapping):
        return PHRASES
    return {
        phrase: cast(Level, level)
        for phrase, level in value.items()
        if isinstance(phrase, str) and phrase.strip() and level in LEVELS
    }


def find_triggered_thinking(
    text: str, phrases: Mapping[str, Level] = PHRASES
) -> ThinkingSetting | None:
    """Return the thinking that a prompt's own words request; None if there is none."""
    pattern = _compile_pattern(tuple(phrases))
    if pattern is None or pattern.search(text) is None:
        return None
    found = {" ".join(match.group().lower().split()): None for match in pattern.finditer(text)}
    meant = {" ".join(phrase.lower().split()): level for phrase, level in phrases.items()}
    level = max((meant[phrase] for phrase in found), key=LEVELS.index)
    return ThinkingSetting(level=level, triggers=tuple(found))


@lru_cache(maxsize=16)
def _compile_pattern(phrases: tuple[str, ...]) -> re.Pattern[str] | None:
    if not phrases:
        return None
    words = sorted((phrase.split() for phrase in phrases), key=lambda each: -len(" ".join(each)))
    choices = "|".join(r"\s+".join(map(re.escape, each)) for each in words)
    return re.compile(rf"(?<!\w)(?:{choices})(?!\w)", re.IGNORECASE)


def choose_setting(
    asked: Asked, text: str = "", phrases: Mapping[str, Level] = PHRASES
) -> ThinkingSetting | None:
    """Return the thinking to record: the caller's, else that of the words."""
    match asked:
        case None | True:
            return find_triggered_thinking(text, phrases)
        case False:
            return DISABLED
        case ThinkingSetting():
            return _check_setting(asked)
        case str():
            found = find_triggered_thinking(text, phrases)
            return _check_setting(
                ThinkingSetting(level=asked, triggers=found.triggers if found else ())
            )
        case Mapping():
            return _check_setting(_parse_setting(asked))


def find_effective_setting(index: SessionIndex, leaf: str | None, usual: Level) -> ThinkingSetting:
    """Return the thinking of the last prompt up from a message, else the usual level.

    A prompt for which it is disabled gets none, whatever level is recorded as well.
    """
    nodes = [] if leaf is None else index.chain(leaf)
    prompt = next((each for each in reversed(nodes) if each.type == "user"), None)
    asked = None if prompt is None else index.message(prompt).thinking
    if asked is None:
        return ThinkingSetting(level=usual)
    if asked.disabled:
        return replace(asked, level="none")
    return asked if asked.level in LEVELS else replace(asked, level=usual)


def _parse_setting(members: Mapping[str, Any]) -> ThinkingSetting:
    unknown = set(members) - {"level", "disabled", "triggers"}
    if unknown:
        raise UsageError(
            f"a thinking setting has no {', '.join(sorted(unknown))}",
            hint="it has level, disabled and triggers",
        )
    disabled = bool(members.get("disabled", False))
    level = members.get("level") or ("none" if disabled else "medium")
    return ThinkingSetting(
        level=level, disabled=disabled, triggers=tuple(map(str, members.get("triggers", ())))
    )


def _check_setting(asked: ThinkingSetting) -> ThinkingSetting:
    if asked.level is None:
        return replace(asked, level="none" if asked.disabled else "medium")
    if asked.level not in LEVELS:
        raise UsageError(
            f"{asked.level!r} is no level of thinking", hint=f"one of {', '.join(LEVELS)}"
        )
    return asked
