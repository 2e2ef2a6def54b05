"""The content of a made history: recorded by the writer, known without any reader."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Line = dict[str, Any]


@dataclass(frozen=True)
class Tokens:
    """The total cost of API messages in tokens."""

    input: int = 1
    output: int = 10
    cache_write: int = 100
    cache_read: int = 1000

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.input + other.input,
            self.output + other.output,
            self.cache_write + other.cache_write,
            self.cache_read + other.cache_read,
        )


NONE = Tokens(0, 0, 0, 0)


@dataclass(frozen=True)
class Spent:
    """One API message: counted once, however many lines and files repeat it."""

    model: str
    day: str
    cwd: str
    tokens: Tokens


@dataclass(frozen=True)
class Said:
    """One line that is a message of the conversation, as it was written first."""

    uuid: str
    kind: str
    """prompt, text, thinking, call, result, system or summary."""
    text: str
    """The words to be found; for a call its input as JSON."""
    session: str
    time: str
    tool: str | None = None
    error: bool = False
    sidechain: bool = False
    before_compaction: bool = False


@dataclass
class Truth:
    """The content of the written files; copies of a line count once."""

    said: dict[str, Said] = field(default_factory=dict)
    spent: dict[str, Spent] = field(default_factory=dict)
    """By message id."""
    calls: Counter[str] = field(default_factory=Counter)
    """By tool."""
    failures: Counter[str] = field(default_factory=Counter)
    todos: dict[str, list[Line]] = field(default_factory=dict)
    """The final tasks of each session."""
    titles: dict[str, str] = field(default_factory=dict)
    """By session."""
    sessions: set[str] = field(default_factory=set)
    files: list[Path] = field(default_factory=list)
    lines: int = 0
    """Lines in all files together, copies included."""

    @property
    def tokens(self) -> Tokens:
        """The cost of all API messages."""
        return sum((spent.tokens for spent in self.spent.values()), NONE)

    def by(self, name: str) -> dict[str, Tokens]:
        """Return their cost by model, day or cwd."""
        found: dict[str, Tokens] = {}
        for spent in self.spent.values():
            key = getattr(spent, name)
            found[key] = found.get(key, NONE) + spent.tokens
        return found

    def holding(self, word: str) -> set[str]:
        """Return the uuids of the messages that contain a word, in any case."""
        return {said.uuid for said in self.said.values() if word.lower() in said.text.lower()}
