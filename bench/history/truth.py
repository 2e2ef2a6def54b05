"""The exact cost of a generated history: each API message once."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct, field


class Sum(Struct):
    """Tokens, and the number of API messages."""

    messages: int = 0
    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0

    def add(self, usage: dict[str, int]) -> None:
        """Add an API message."""
        self.messages += 1
        self.input += usage["input_tokens"]
        self.output += usage["output_tokens"]
        self.cache_write += usage["cache_creation_input_tokens"]
        self.cache_read += usage["cache_read_input_tokens"]


class Truth(Struct):
    """All known values that a reader can be checked against."""

    size: int = 0
    files: int = 0
    lines: int = 0
    """Lines of all files, copies included."""
    total: Sum = field(default_factory=Sum)
    days: dict[str, Sum] = field(default_factory=dict)
    """Sums by the day, in UTC, of the first line that has the whole price."""
    models: dict[str, Sum] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)
    rare: str = ""
    """A word that occurs in one message of one file."""
    rare_file: str = ""

    def spend(self, model: str, day: str, usage: dict[str, int]) -> None:
        """Add an API message."""
        for book in (
            self.total,
            self.days.setdefault(day, Sum()),
            self.models.setdefault(model, Sum()),
        ):
            book.add(usage)

    def used(self, tool: str, *, error: bool) -> None:
        """Add a tool call."""
        for book, count in ((self.calls, 1), (self.failures, int(error))):
            book[tool] = book.get(tool, 0) + count

    def wrote(self, data: bytes) -> None:
        """Add a file."""
        self.size += len(data)
        self.files += 1
        self.lines += data.count(b"\n")

    def save(self, path: Path) -> None:
        """Save it next to the corpus."""
        path.write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=1))


def load(path: Path) -> Truth:
    """Load what was saved."""
    return msgspec.json.decode(path.read_bytes(), type=Truth)
