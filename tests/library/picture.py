"""Everything that a library reports about its sources, except what may differ between equal ones.

Two libraries have the same picture if listing, searching, counting and restoring cannot distinguish
them: row ids and times of imports are left out, and paths identify sources.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec

from talktree.library.extract.facts import Heading, SearchPiece
from talktree.library.library import Library

Picture = dict[bytes, dict[str, Any]]

_SOURCES = """
SELECT s.id, s.path, s.format, s.lines, s.trouble, s.native, s.title, p.text, b.text, s.first,
  s.last, s.messages, s.branches, s.sidechains, s.errors, s.size, s.archived, s.heading, s.shape,
  s.parent, s.state, s.indexed
FROM sources s LEFT JOIN names p ON p.id = s.project LEFT JOIN names b ON b.id = s.branch
"""
_REPLIES = """
SELECT r.source, r.key, r.at, r.time, m.text, p.text, r.input, r.output, r.cache_read,
  r.cache_write, r.cache_write_hour
FROM replies r LEFT JOIN names m ON m.id = r.model LEFT JOIN names p ON p.id = r.project
"""
_CALLS = """
SELECT c.source, c.key, c.at, c.time, t.text, c.reply, c.state, c.took
FROM calls c LEFT JOIN names t ON t.id = c.tool
"""
_MEASURES = """
SELECT m.source, m.time, n.text, m.value FROM measures m JOIN names n ON n.id = m.name
"""
_ROLES = """
SELECT r.source, n.text, r.messages FROM roles r JOIN names n ON n.id = r.role
"""
_FILES = """
SELECT f.source, f.path, f.state, f.generation FROM files f WHERE f.generation IS NOT NULL
"""


def picture(library: Library, *, words: tuple[str, ...] = ()) -> Picture:
    """Return the report of each source, by its path."""
    db = library.db
    tables: dict[str, dict[int, list[Any]]] = {}
    for name, sql in (
        ("replies", _REPLIES),
        ("calls", _CALLS),
        ("measures", _MEASURES),
        ("roles", _ROLES),
    ):
        tables[name] = _by_source(db.read(sql))
    documents: dict[int, list[Any]] = defaultdict(list)
    if library.has_fulltext():
        for place, kind in library.fulltext.documents():
            documents[place.source].append((place.at, place.part, kind))
    found: dict[int, list[Any]] = defaultdict(list)
    for word in words:
        for hit in library.search(word, limit=None):
            found[hit.source].append((word, hit.at, hit.part, hit.kind, hit.state, hit.excerpt))
    kept: dict[int, dict[bytes, bytes]] = defaultdict(dict)
    for source, path, state, generation in db.read(_FILES):
        if state == "here":
            kept[source][path] = b"".join(library.archive.read(generation, verify=True))
    out: Picture = {}
    for id, path, *reported, heading, shape, parent, state, indexed in db.read(_SOURCES):
        assert indexed == reported[-1], "what is archived is indexed"
        out[path] = {
            "told": reported,
            "heading": msgspec.msgpack.decode(heading, type=Heading) if heading else None,
            "shape": bytes(shape or b""),
            "parent": parent,
            "state": state,
            "documents": sorted(documents.pop(id, [])),
            "found": sorted(found[id]),
            "files": kept[id],
            **{name: sorted(rows.get(id, []), key=repr) for name, rows in tables.items()},
        }
    assert not documents, "documents of no source"
    return out


def here(pictured: Picture) -> Picture:
    """Return the sources whose files still exist."""
    return {path: reported for path, reported in pictured.items() if reported["state"] == "here"}


def sums(library: Library) -> tuple[list[Any], list[Any]]:
    """Return the stored totals."""
    return (
        sorted(library.db.read("SELECT * FROM spent"), key=repr),
        sorted(library.db.read("SELECT * FROM used"), key=repr),
    )


def sums_anew(library: Library) -> tuple[list[Any], list[Any]]:
    """Return the same totals, computed now; nothing is written."""
    from talktree.library.stats.totals import TotalsUpdate

    class _Undo(Exception):
        pass

    made: tuple[list[Any], list[Any]] = ([], [])
    try:
        with library.db.transaction():
            TotalsUpdate(library.db).recompute_totals()
            made = sums(library)
            raise _Undo
    except _Undo:
        return made


def _by_source(rows: list[tuple[Any, ...]]) -> dict[int, list[Any]]:
    out: dict[int, list[Any]] = defaultdict(list)
    for source, *rest in rows:
        out[source].append(tuple(rest))
    return out


__all__ = ["Picture", "SearchPiece", "here", "picture", "sums", "sums_anew"]
