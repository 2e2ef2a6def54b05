"""The conversations of the library as cards: filtered, sorted, one page at a time.

A card shows what the library knows of a source without reading it: size, age and cost.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from talktree.errors import UsageError
from talktree.library.info import NotImported, find_not_imported
from talktree.library.listing import LibraryEntry
from talktree.library.sources.changes import UNREADABLE
from talktree.web.documents.cache import DocumentCache, read_edit_history
from talktree.web.documents.ids import ConversationName
from talktree.web.documents.row_list import to_milliseconds
from talktree.web.schemas.library import Card, CardList, Count, FailedSource, Failures
from talktree.web.schemas.transcript import TokenUsage

if TYPE_CHECKING:
    from talktree.library.database.connection import Database


LIVELY = 120 * 1_000_000_000
"""Nanoseconds after its last change for which a growing source is considered active."""
_MODIFIED = "SELECT max(modified) FROM files WHERE source = ? AND state = 'here'"
_LAST_MESSAGE = "SELECT last FROM sources WHERE id = ?"
_GREW = """
SELECT 1 FROM files JOIN versions ON versions.generation = files.generation
WHERE files.source = ? AND files.state = 'here'
GROUP BY versions.generation HAVING count(*) > 1 LIMIT 1
"""
_TOKENS = """
SELECT coalesce(sum(input), 0), coalesce(sum(output), 0), coalesce(sum(cache_read), 0),
  coalesce(sum(cache_write), 0)
FROM replies WHERE source = ?1 AND at >= ?2 AND (?3 IS NULL OR at < ?3)
"""


def is_live(db: Database, source: int) -> bool:
    """Whether a source grew recently.

    A copied file is new as well, but it does not grow: its messages are old, and it was never
    shorter.
    """
    (modified,) = db.read_one(_MODIFIED, (source,)) or (None,)
    if modified is None or time.time_ns() - modified >= LIVELY:
        return False
    (last,) = db.read_one(_LAST_MESSAGE, (source,)) or (None,)
    is_new = last is not None and abs(modified - last) < LIVELY
    return is_new or db.read_one(_GREW, (source,)) is not None


def count_tokens(db: Database, source: int, span: tuple[int, int | None]) -> TokenUsage:
    """Return the cost of a source's replies between two records."""
    row = db.read_one(_TOKENS, (source, *span))
    assert row is not None
    return TokenUsage(input=row[0], output=row[1], cache_read=row[2], cache_write=row[3])


MOST_NAMES = 300
SORTS = ("new", "old", "size", "messages", "title")


class CardFilter(NamedTuple):
    """Which conversations to list."""

    format: str = ""
    project: str = ""
    text: str = ""


def list_cards(
    cache: DocumentCache, wanted: CardFilter, sort: str, start: int, limit: int
) -> CardList:
    """Return a page of the list, and the values it can be filtered by."""
    if sort not in SORTS:
        raise UsageError(f"no order {sort[:40]}", hint=f"one of {', '.join(SORTS)}")
    every = cache.get_library().conversations()
    said = [each for each in every if _has_text(each, wanted.text.casefold())]
    formats = Counter(e.format for e in said if _is_match(e, project=wanted.project))
    projects = Counter(e.project for e in said if e.project and _is_match(e, format=wanted.format))
    found = [e for e in said if _is_match(e, format=wanted.format, project=wanted.project)]
    found.sort(key=_orders[sort])
    return CardList(
        total=len(found),
        cards=tuple(make_card(cache, each) for each in found[start : start + limit]),
        formats=_to_counts(formats.most_common(MOST_NAMES)),
        projects=_to_counts(projects.most_common(MOST_NAMES)),
    )


def _to_counts(found: Iterable[tuple[str | None, int]]) -> tuple[Count, ...]:
    return tuple(Count(name or "", count) for name, count in found)


def _has_text(kept: LibraryEntry, text: str) -> bool:
    if not text:
        return True
    details = (kept.title, kept.project, kept.id, os.fsdecode(kept.raw_path))
    return any(text in each.casefold() for each in details if each)


def _is_match(kept: LibraryEntry, *, format: str = "", project: str = "") -> bool:
    return (not format or kept.format == format) and (not project or kept.project == project)


_orders: dict[str, Callable[[LibraryEntry], Any]] = {
    "new": lambda e: (e.last_ns is None, -(e.last_ns or 0), -e.source, e.number),
    "old": lambda e: (e.first_ns is None, e.first_ns or 0, e.source, e.number),
    "size": lambda e: (-e.size, e.source, e.number),
    "messages": lambda e: (-e.messages, e.source, e.number),
    "title": lambda e: (not e.title, (e.title or "").casefold(), e.source, e.number),
}


def make_card(cache: DocumentCache, kept: LibraryEntry) -> Card:
    """Return the card of a conversation."""
    db = cache.get_library().db
    return Card(
        cid=str(ConversationName(kept.source, kept.number)),
        id=kept.id,
        title=kept.title or kept.id,
        format=kept.format,
        project=kept.project,
        git_branch=kept.branch,
        path=os.fsdecode(kept.raw_path),
        first=to_milliseconds(kept.first_ns),
        last=to_milliseconds(kept.last_ns),
        messages=kept.messages,
        branches=kept.branches,
        sidechains=kept.sidechains,
        errors=kept.errors,
        size=kept.size,
        several=kept.several,
        state=_find_state(kept),
        trouble=kept.trouble,
        live=is_live(db, kept.source),
        edited=not read_edit_history(db, kept.source).is_saved,
        kept_until=to_milliseconds(kept.kept_until_ns),
    )


def _find_state(kept: LibraryEntry) -> Literal["here", "gone", "damaged", "unreadable"]:
    if kept.state == "gone":
        return "gone"
    if kept.trouble is None and kept.state == "here":
        return "here"
    return "damaged" if kept.messages else "unreadable"


def list_failed_sources(cache: DocumentCache, most: int) -> Failures:
    """Return files that were not imported, or only in part; unreadable ones first."""
    not_imported, damaged = find_not_imported(cache.get_library().db)
    found = [
        *(
            _to_failed_source(each, "unreadable")
            for each in not_imported
            if each.state == UNREADABLE
        ),
        *(_to_failed_source(each, "damaged") for each in damaged),
        *(
            _to_failed_source(each, "unrecognized")
            for each in not_imported
            if each.state != UNREADABLE
        ),
    ]
    return Failures(total=len(found), sources=tuple(found[:most]))


def _to_failed_source(
    each: NotImported, state: Literal["unrecognized", "unreadable", "damaged"]
) -> FailedSource:
    return FailedSource(path=os.fsdecode(each.path), state=state, reason=each.why)
