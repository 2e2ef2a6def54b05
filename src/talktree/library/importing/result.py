"""The result of an import.

These are plain classes: an import that finds nothing new should not load anything else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from talktree.errors import Failure


class FailedPath(NamedTuple):
    """A path that could not be imported, and why."""

    raw_path: bytes
    failure: Failure

    @property
    def path(self) -> Path:
        """The file or folder."""
        return Path(os.fsdecode(self.raw_path))


DAMAGED = "damaged"
"""The kind of failure of a file of which only a part can be read."""


def without_path(message: str, path: bytes) -> str:
    """Return a message about a source without the path that it begins with."""
    shown = os.fsdecode(path)
    for name in (shown, os.path.basename(shown)):
        message = message.removeprefix(f"{name}: ")
    return message


class SkippedFile(NamedTuple):
    """A file that is not a conversation, or that is not read, and why."""

    raw_path: bytes
    why: str

    @property
    def path(self) -> Path:
        """The file or folder."""
        return Path(os.fsdecode(self.raw_path))


class Oversized(NamedTuple):
    """A source with attachments over the limit; all of it was imported."""

    raw_path: bytes
    attachments: int

    @property
    def path(self) -> Path:
        """The file or folder."""
        return Path(os.fsdecode(self.raw_path))


class ImportResult:
    """The result of an import; its numbers count sources unless they say otherwise."""

    def __init__(self, *, failed: Iterable[FailedPath] = (), **counts: int) -> None:
        self.failed = list(failed)
        self.skipped: list[SkippedFile] = []
        """Files read now that are not conversations, or are not imported."""
        self.incomplete: list[FailedPath] = []
        """Sources that were imported, but not all of them: damaged, or changed meanwhile."""
        self.oversized: list[Oversized] = []
        """Sources read now with attachments over the limit."""
        self.scrubbed: set[bytes] = set()
        """Files with scrubbed secrets; they were imported with those masked."""
        self.tombstones: set[int] = set()
        """The numbers of forgotten conversations whose files were skipped."""
        for name, count in counts.items():
            setattr(self, name, count)

    seen: int = 0
    unchanged: int = 0
    new: int = 0
    grown: int = 0
    replaced: int = 0
    moved: int = 0
    gone: int = 0
    back: int = 0
    """Sources that were gone and are back, unchanged."""
    completed: int = 0
    """Sources that an earlier import had archived but not indexed."""
    passed_over: int = 0
    """Files that are not conversations."""
    untold: int = 0
    """Lines that are too long to extract; they are archived, but not searched or counted."""
    files_opened: int = 0
    bytes_read: int = 0
    records: int = 0
    """Records that were parsed."""
    pieces: int = 0

    @property
    def forgotten(self) -> int:
        """How many forgotten conversations were skipped."""
        return len(self.tombstones)

    def count_damaged(self) -> int:
        """Return how many sources were imported although they are damaged."""
        return sum(each.failure.kind == DAMAGED for each in self.incomplete)

    @property
    def changed(self) -> bool:
        """Whether the library changed."""
        return bool(
            self.new
            or self.grown
            or self.replaced
            or self.moved
            or self.gone
            or self.back
            or self.completed
        )


class ImportProgress(NamedTuple):
    """The progress of an import; reported once for each source that changed."""

    source: bytes
    sources_done: int
    sources: int
    bytes_done: int
    bytes: int
    what: str
    """The outcome of the source: new, grown, replaced, moved, gone, back, completed or failed."""
    size: int
    """How many bytes of it were read now."""


Tell = Callable[[ImportProgress], None]
Pulse = Callable[[int, int], None]
"""Called often, with the bytes read so far and the total; it may raise."""
