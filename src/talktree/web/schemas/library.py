"""Conversations as they are listed and found, and files that are brought in."""

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
    """Of the source, with all conversations in it."""
    several: int = 1
    """How many conversations the source holds."""
    state: Literal["here", "gone", "damaged", "unreadable"]
    """`damaged` if a part of the source cannot be read, `unreadable` if nothing can."""
    trouble: str | None = None
    live: bool = False
    """Whether it grew a short while ago."""
    edited: bool = False
    """Whether it has edits that are not saved."""
    kept_until: int | None = None
    """When its own program deletes it."""


class Count(Struct, frozen=True):
    """A value to filter by, and how many have it."""

    name: str
    count: int


class CardList(Struct, frozen=True, kw_only=True):
    """A stretch of the list."""

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
    """Files of which the library has nothing, or not all."""

    total: int
    sources: tuple[FailedSource, ...]


class MarkedText(Struct, frozen=True):
    """A stretch of text, marked or not."""

    text: str
    mark: bool = False


class SearchHit(Struct, frozen=True, kw_only=True):
    """A place where what was asked for is said."""

    cid: str
    message: str | None
    title: str
    format: str
    project: str | None
    role: str
    kind: str
    time: int | None
    state: str
    """current, abandoned, compacted, or deleted."""
    excerpt: tuple[MarkedText, ...]


class SearchResults(Struct, frozen=True, kw_only=True):
    """A stretch of what was found."""

    total: int
    exact: bool
    hits: tuple[SearchHit, ...]


class ImportPlaces(Struct, frozen=True, kw_only=True):
    """What is to be taken in: all places so far, or also the known ones of this machine."""

    known: bool = False


class UploadedFindings(Struct, frozen=True, kw_only=True):
    """How sound a file is that was brought in."""

    errors: int
    warnings: int
    notes: int
    examples: tuple[str, ...]


class Upload(Struct, frozen=True, kw_only=True):
    """A file that was brought in, before anything is kept of it."""

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
    """Of a file to attach: why it is suspicious; attaching it must be confirmed then."""


class KeepUpload(Struct, frozen=True, kw_only=True):
    """Keep it, as it is or converted."""

    to: str | None = None
