"""Replacement targets in addition to secrets: the user's words and patterns, and personal data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from talktree.errors import UsageError
from talktree.home import config_file
from talktree.text.personal_data import find_personal_data
from talktree.text.safe_patterns import UnsafePattern, UserPattern, compile_pattern
from talktree.text.secrets.patterns import KIND_COUNT
from talktree.text.word_pattern import WordPattern

WORD = "word"
"""The kind of a user's word in its placeholder."""
PII = "pii"
"""The option for personal data instead of a word."""
_PLACED = re.compile(r"\[redacted: [^\[\]]{1,80}\]")

PROTECTED = frozenset(
    [
        "role",
        "type",
        "id",
        "uuid",
        "parentUuid",
        "sessionId",
        "parent",
        "parentId",
        "parent_id",
        "leafUuid",
        "leaf",
        "timestamp",
        "time",
        "version",
        "format",
        "tool_use_id",
        "toolUseId",
        "toolUseID",
        "tool_call_id",
        "call_id",
        "callId",
        "requestId",
        "media_type",
        "mimeType",
        "part",
        "kind",
        "status",
        "stop_reason",
        "model",
        "subtype",
        "userType",
        "level",
        "object",
        "messageId",
        "message_id",
        "current_node",
        "conversation_id",
        "conversationId",
        "signature",
        "entrypoint",
        "isSidechain",
        "operation",
        "tool",
        "created_at",
        "updated_at",
        "createdAt",
        "updatedAt",
        "schema",
        "encoding",
        "checksum",
        "sha256",
        "hash",
    ]
)
"""Structural members of formats: the user's words are not searched in their values."""


class RedactionMatch(NamedTuple):
    """A match to be replaced, and its place."""

    start: int
    stop: int
    what: str


class RedactionTargets:
    """Words, patterns and personal data to look for."""

    def __init__(
        self, words: Iterable[str] = (), patterns: Iterable[str] = (), *, personal: bool = False
    ) -> None:
        self.words = tuple(dict.fromkeys(word for word in words if word.strip()))
        self.personal = personal
        self.patterns = tuple(_compile_pattern(pattern) for pattern in patterns)
        self._words = WordPattern(self.words) if self.words else None

    def __bool__(self) -> bool:
        return bool(self.words or self.patterns or self.personal)

    def find(self, text: str) -> Iterator[RedactionMatch]:
        """Yield what is to be replaced in a text, in order; existing placeholders are skipped."""
        found: list[RedactionMatch] = []
        if self._words is not None:
            found += [RedactionMatch(*span, WORD) for span in self._words.find_matches(text)]
        for pattern in self.patterns:
            found += _find_pattern_matches(pattern, text)
        if self.personal:
            found += [RedactionMatch(*each) for each in find_personal_data(text)]
        if not found:
            return
        placed = [each.span() for each in _PLACED.finditer(text)]
        at = 0
        for each in sorted(found, key=lambda one: (one.start, -one.stop)):
            if each.start >= at and not _is_inside(each, placed):
                yield each
                at = each.stop

    def describe(self) -> str:
        """Return a description of what was searched."""
        parts = [f"{KIND_COUNT} kinds of keys, tokens and passwords"]
        for count, one, several in (
            (len(self.words), "word", "words"),
            (len(self.patterns), "pattern", "patterns"),
        ):
            if count:
                parts.append(f"{count} {one if count == 1 else several}")
        parts.append("personal data" if self.personal else "not for personal data (--redact pii)")
        return ", ".join(parts)


def _is_inside(target: RedactionMatch, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= target.start < stop for start, stop in spans)


def _find_pattern_matches(pattern: UserPattern, text: str) -> list[RedactionMatch]:
    try:
        return [RedactionMatch(*span, "pattern") for span in pattern.find_matches(text)]
    except UnsafePattern as error:
        raise UsageError(
            f"{config_file()}: redaction pattern {pattern.pattern.pattern!r}: {error}",
            hint="use a simpler one",
        ) from None


def _compile_pattern(pattern: str) -> UserPattern:
    try:
        return compile_pattern(pattern)
    except UnsafePattern as error:
        raise UsageError(
            f"{config_file()}: redaction pattern {pattern!r}: {error}",
            hint="write a regular expression of Python without (…+)+",
        ) from None
