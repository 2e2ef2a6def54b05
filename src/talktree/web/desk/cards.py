"""The conversations of the library as cards: chosen, sorted, a stretch at a time."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, cast

from talktree.errors import UsageError
from talktree.library.listing import Kept
from talktree.web.desk.cid import Name
from talktree.web.desk.desk import Desk
from talktree.web.desk.stamp import edits_of
from talktree.web.desk.state import is_live
from talktree.web.desk.talks import all_talks, own_counts
from talktree.web.desk.times import milliseconds
from talktree.web.shapes.library import Card, Count, Listed

MOST_NAMES = 300
SORTS = ("new", "old", "size", "messages", "title")


class Entry(NamedTuple):
    """A conversation that may become a card."""

    kept: Kept
    """Of one of several in a source, with its own title, id and numbers."""
    number: int = 0
    several: int = 1
    """How many conversations its source holds."""


class Wanted(NamedTuple):
    """Which conversations are wanted."""

    format: str = ""
    project: str = ""
    text: str = ""


def listed(desk: Desk, wanted: Wanted, sort: str, start: int, limit: int) -> Listed:
    """A stretch of the list, and by what it can be narrowed down."""
    if sort not in SORTS:
        raise UsageError(f"no order {sort[:40]}", hint=f"one of {', '.join(SORTS)}")
    said = [each for each in _entries(desk) if _says(each.kept, wanted.text.casefold())]
    formats = Counter(e.kept.format for e in said if _fits(e, project=wanted.project))
    projects = Counter(
        e.kept.project for e in said if e.kept.project and _fits(e, format=wanted.format)
    )
    found = [e for e in said if _fits(e, format=wanted.format, project=wanted.project)]
    found.sort(key=_orders[sort])
    return Listed(
        total=len(found),
        cards=tuple(card(desk, each) for each in _own(desk, found[start : start + limit])),
        formats=_counts(formats.most_common(MOST_NAMES)),
        projects=_counts(projects.most_common(MOST_NAMES)),
    )


def _counts(found: Iterable[tuple[str | None, int]]) -> tuple[Count, ...]:
    return tuple(Count(name or "", count) for name, count in found)


def _entries(desk: Desk) -> Iterator[Entry]:
    library = desk.library()
    several = all_talks(library.db)
    for kept in library.conversations():
        talks = several.get(kept.source)
        if talks is None:
            yield Entry(kept)
            continue
        for number, talk in enumerate(talks):
            own = kept._replace(
                id=talk.native,
                title=talk.title or kept.title,
                first=talk.first if talk.first is not None else kept.first,
                last=talk.last if talk.last is not None else kept.last,
                messages=talk.messages,
                branches=talk.branches,
            )
            yield Entry(own, number, len(talks))


def _own(desk: Desk, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Those of several in a source with failures and sub-agents of their own, not of all."""
    db, known = desk.library().db, dict[int, Sequence[tuple[int, int]]]()
    for entry in entries:
        source = entry.kept.source
        if entry.several == 1:
            yield entry
            continue
        if source not in known:
            known[source] = own_counts(db, source)
        errors, sidechains = known[source][entry.number]
        yield entry._replace(kept=entry.kept._replace(errors=errors, sidechains=sidechains))


def _says(kept: Kept, text: str) -> bool:
    if not text:
        return True
    told = (kept.title, kept.project, kept.id, os.fsdecode(kept.path))
    return any(text in each.casefold() for each in told if each)


def _fits(entry: Entry, *, format: str = "", project: str = "") -> bool:
    kept = entry.kept
    return (not format or kept.format == format) and (not project or kept.project == project)


_orders: dict[str, Callable[[Entry], Any]] = {
    "new": lambda e: (e.kept.last is None, -(e.kept.last or 0), -e.kept.source, e.number),
    "old": lambda e: (e.kept.first is None, e.kept.first or 0, e.kept.source, e.number),
    "size": lambda e: (-e.kept.size, e.kept.source, e.number),
    "messages": lambda e: (-e.kept.messages, e.kept.source, e.number),
    "title": lambda e: (not e.kept.title, (e.kept.title or "").casefold(), e.kept.source, e.number),
}


def card(desk: Desk, entry: Entry) -> Card:
    """A conversation in the list."""
    kept, db = entry.kept, desk.library().db
    return Card(
        cid=str(Name(kept.source, entry.number)),
        id=kept.id,
        title=kept.title or kept.id,
        format=kept.format,
        project=kept.project,
        git_branch=kept.branch,
        path=os.fsdecode(kept.path),
        first=milliseconds(kept.first),
        last=milliseconds(kept.last),
        messages=kept.messages,
        branches=kept.branches,
        sidechains=kept.sidechains,
        errors=kept.errors,
        size=kept.size,
        several=entry.several,
        state=cast(Literal["here", "gone", "unreadable"], _state(kept)),
        trouble=kept.trouble,
        live=is_live(db, kept.source),
        edited=not edits_of(db, kept.source).is_saved,
        kept_until=milliseconds(kept.kept_until),
    )


def _state(kept: Kept) -> str:
    if kept.trouble is not None and kept.state == "here":
        return "unreadable"
    return kept.state if kept.state in ("here", "gone") else "unreadable"
