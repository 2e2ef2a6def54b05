"""Filters for statistics: a time range, a project, a model, a format."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from talktree.library.database.connection import Database

DAY = 86_400 * 10**9
_NAMES = "SELECT id, text FROM names"
_SOURCES = (
    "SELECT id, path, format, native, title, project, parent, first, last, messages, branches,"
    " sidechains, errors FROM sources"
)


class Filters(Struct, frozen=True, kw_only=True):
    """The filters of statistics; None means everything."""

    since: int | None = None
    """Nanoseconds since 1970."""
    until: int | None = None
    """The end, exclusive, in nanoseconds since 1970."""
    project: str | None = None
    """Part of a project's path, in any case."""
    model: str | None = None
    """Part of a model's name, in any case."""
    format: str | None = None
    """The name of a format."""

    @property
    def is_timed(self) -> bool:
        """Whether only a time range is counted."""
        return self.since is not None or self.until is not None


class SourceInfo(Struct, frozen=True):
    """The facts of a source in the library."""

    id: int
    path: bytes
    format: str
    native: str | None
    title: str | None
    project: str | None
    parent: str | None
    """The session that started it, or that it is a copy of."""
    first: int | None
    last: int | None
    messages: int
    branches: int
    sidechains: int
    errors: int

    @property
    def session(self) -> str:
        """The session it is part of; a source without an id is identified by its path.

        A sub-agent is part of the session that started it. It has a short id of its own, while a
        copy has an id like a session.
        """
        native = self.native or self.path.decode("utf-8", "backslashreplace")
        if self.parent is not None and len(native) < len(self.parent):
            return self.parent
        return native


class FilteredSources:
    """The names and sources of a library, and which of them match the filters."""

    def __init__(self, db: Database, filters: Filters) -> None:
        self.filters = filters
        self.names: dict[int | None, str] = dict(db.read(_NAMES))
        self.models = _find_names_with(self.names, filters.model)
        self.projects = _find_names_with(self.names, filters.project)
        self.sources: dict[int, SourceInfo] = {}
        """Sources of the right format, by their numbers."""
        wanted = _find_slug(filters.format)
        for id, path, format, native, title, project, *counts in db.read(_SOURCES):
            if wanted in (None, format):
                place = self.names.get(project)
                self.sources[id] = SourceInfo(id, path, format, native, title, place, *counts)

    def has_reply(self, source: int, model: int | None, project: int | None) -> bool:
        """Whether a reply is counted."""
        return (
            source in self.sources
            and (self.models is None or model in self.models)
            and (self.projects is None or project in self.projects)
        )

    def has_source(self, source: int) -> bool:
        """Whether a source has the right format and project."""
        wanted = self.filters.project
        found = self.sources.get(source)
        return found is not None and (
            wanted is None or wanted.casefold() in (found.project or "").casefold()
        )

    def has_time(self, time: int | None) -> bool:
        """Whether a time is counted; an unknown one is if there is no time filter."""
        filters = self.filters
        if time is None:
            return not filters.is_timed
        return (filters.since is None or time >= filters.since) and (
            filters.until is None or time < filters.until
        )


def _find_slug(format: str | None) -> str | None:
    """Return the slug of a format, from a slug or an alias."""
    if format is None:
        return None
    from talktree.formats import resolve_alias  # usually all formats are counted

    return resolve_alias(format)


def _find_names_with(names: Mapping[int | None, str], wanted: str | None) -> set[int | None] | None:
    """Return the numbers of the names that contain a text, or None for all."""
    if wanted is None:
        return None
    return {number for number, text in names.items() if wanted.casefold() in text.casefold()}
