"""Conversations in lists and search results, and uploaded files."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Card(Struct, frozen=True, kw_only=True):
    """A conversation in the list."""

    cid: str
    id: str
    title: str
    format: str
    project: str | None
    git_branch: str | None
    path: str
    first: int | None
    last: int | None
    messages: int
    branches: int
    sidechains: int
    errors: int
    size: int
    """Size of the source with all its conversations, in bytes."""
    several: int = 1
    """How many conversations the source holds."""
    state: Literal["here", "gone", "damaged", "unreadable"]
    """`damaged` if a part of the source cannot be read, `unreadable` if nothing can."""
    trouble: str | None = None
    live: bool = False
    """Whether it grew recently."""
    edited: bool = False
    """Whether it has unsaved edits."""
    kept_until: int | None = None
    """When its own program will delete it."""


class Count(Struct, frozen=True):
    """A value to filter by, and how many conversations have it."""

    name: str
    count: int


class CardList(Struct, frozen=True, kw_only=True):
    """A range of the list."""

    total: int
    cards: tuple[Card, ...]
    formats: tuple[Count, ...]
    projects: tuple[Count, ...]


class FailedSource(Struct, frozen=True, kw_only=True):
    """A file that was not imported, or only in part, and why."""

    path: str
    state: Literal["unrecognized", "unreadable", "damaged"]
    reason: str


class Failures(Struct, frozen=True, kw_only=True):
    """Files that are not in the library, or only in part."""

    total: int
    sources: tuple[FailedSource, ...]


class MarkedText(Struct, frozen=True):
    """A span of text, marked or unmarked."""

    text: str
    mark: bool = False


class SearchHit(Struct, frozen=True, kw_only=True):
    """A match of a search."""

    cid: str
    message: str | None
    title: str
    format: str
    project: str | None
    role: str
    kind: str
    time: int | None
    state: str
    """`current`, `abandoned`, `compacted` or `deleted`."""
    excerpt: tuple[MarkedText, ...]


class SearchResults(Struct, frozen=True, kw_only=True):
    """A range of the search results."""

    total: int
    exact: bool
    hits: tuple[SearchHit, ...]


class ImportPlaces(Struct, frozen=True, kw_only=True):
    """What to import: all places so far, or also the known ones of this machine."""

    known: bool = False


class UploadedFindings(Struct, frozen=True, kw_only=True):
    """The findings in an uploaded file."""

    errors: int
    warnings: int
    notes: int
    examples: tuple[str, ...]


class Upload(Struct, frozen=True, kw_only=True):
    """An uploaded file, before anything of it is kept."""

    upload: str
    name: str
    size: int
    format: str | None
    confidence: float
    reason: str
    conversations: int
    messages: int
    findings: UploadedFindings | None
    warnings: tuple[str, ...] = ()
    """For an attachment: why it is suspicious; attaching it must be confirmed then."""


class KeepUpload(Struct, frozen=True, kw_only=True):
    """Keep the upload, as it is or converted."""

    to: str | None = None
