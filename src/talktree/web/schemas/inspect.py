"""Data about a conversation: files, tasks, tokens."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from talktree.web.schemas.transcript import TokenUsage


class FileTouch(Struct, frozen=True, kw_only=True):
    """One change of a file."""

    message: str
    number: int | None
    """The row it belongs to."""
    kind: Literal["created", "modified", "deleted", "read", "unknown"]
    time: int | None
    added: int | None = None
    removed: int | None = None


class FileItem(Struct, frozen=True, kw_only=True):
    """A file that was worked on."""

    path: str
    kind: Literal["created", "modified", "deleted", "read", "unknown"]
    touches: tuple[FileTouch, ...]
    known: bool
    """Whether contents are available, from snapshots or from the calls themselves."""
    warning: str = ""
    """A missing backup or a hash that differs."""


class Files(Struct, frozen=True, kw_only=True):
    """The files of a branch."""

    stamp: str
    files: tuple[FileItem, ...]
    total: int


class FileDiff(Struct, frozen=True, kw_only=True):
    """How a file changed between two points."""

    path: str
    since: str | None
    until: str | None
    state: Literal["text", "same", "binary", "missing", "created", "deleted"]
    html: str
    added: int
    removed: int
    hunks: int
    note: str = ""


class TodoItem(Struct, frozen=True, kw_only=True):
    """A task."""

    content: str
    status: str
    active: str = ""


class TodoStep(Struct, frozen=True, kw_only=True):
    """A change of the task list."""

    message: str
    number: int | None
    time: int | None
    done: int
    total: int


class Todos(Struct, frozen=True, kw_only=True):
    """The task list at a message, and its history."""

    at: str | None
    items: tuple[TodoItem, ...]
    steps: tuple[TodoStep, ...]


class UsagePoint(Struct, frozen=True, kw_only=True):
    """Some rows of a branch, aggregated."""

    start: int
    """The first row."""
    time: int | None
    tokens: TokenUsage
    seconds: float | None
    """The longest duration of a reply among them."""
    cost: float | None = None


class UsageCount(Struct, frozen=True, kw_only=True):
    """A value and its number of occurrences."""

    name: str
    count: int
    failures: int = 0
    seconds: float | None = None
    tokens: int = 0
    cost: float | None = None


class MeasuredWords(Struct, frozen=True, kw_only=True):
    """Recorded words about messages: tags, topics, languages."""

    name: str
    title: str
    """Its display name."""
    values: tuple[UsageCount, ...]
    """Most frequent first."""
    distinct: int
    """How many different values there are."""


class MeasuredNumbers(Struct, frozen=True, kw_only=True):
    """Recorded numbers about messages."""

    name: str
    title: str
    """Its display name."""
    count: int
    median: float
    p90: float
    max: float


class UsageCompaction(Struct, frozen=True, kw_only=True):
    """A compaction or restoration of a branch, or its beginning."""

    row: int
    kind: Literal["compacting", "compacted", "restoring", "restored"]
    detail: str
    """Its numbers in words."""
    messages_before: int | None = None
    messages_after: int | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    ratio: float | None = None


class UsageOver(Struct, frozen=True, kw_only=True):
    """The usage of a branch, in at most 400 points."""

    totals: TokenUsage
    cost: float | None
    points: tuple[UsagePoint, ...]
    tools: tuple[UsageCount, ...]
    models: tuple[UsageCount, ...]
    topics: tuple[UsageCount, ...]
    sentiment: tuple[tuple[int, float], ...]
    """Row and value, if the format records it."""
    seconds_median: float | None
    seconds_p90: float | None
    words: tuple[MeasuredWords, ...] = ()
    numbers: tuple[MeasuredNumbers, ...] = ()
    compactions: tuple[UsageCompaction, ...] = ()
    """The first 200 of them."""


class DayUsage(Struct, frozen=True, kw_only=True):
    """The usage of one day in all conversations."""

    day: str
    messages: int
    tokens: TokenUsage
    cost: float | None = None


class UsageStatistics(Struct, frozen=True, kw_only=True):
    """The usage of all conversations together."""

    conversations: int
    messages: int
    tokens: TokenUsage
    cost: float | None
    days: tuple[DayUsage, ...]
    models: tuple[UsageCount, ...]
    tools: tuple[UsageCount, ...]
    projects: tuple[UsageCount, ...]
    hours: tuple[int, ...]
    """Messages by hour of the week, Monday first, 168 of them; empty if not known."""
    words: tuple[MeasuredWords, ...] = ()
    numbers: tuple[MeasuredNumbers, ...] = ()
