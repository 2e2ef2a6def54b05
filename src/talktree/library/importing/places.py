"""Places: the paths that `import` without arguments and `watch` look at again."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from talktree.errors import NotFound
from talktree.library.database.connection import Database

_ALL = "SELECT path FROM places ORDER BY id"
_ADD = "INSERT INTO places (path, added) VALUES (?, ?) ON CONFLICT (path) DO NOTHING"
_REMOVE = "DELETE FROM places WHERE path = ?"

AnyPath = str | bytes | Path


class ImportRoots(NamedTuple):
    """The paths of one import, none below another."""

    paths: list[bytes]
    every: frozenset[bytes]
    """Those below which all files are looked at, whatever their names are."""


def places(db: Database) -> list[bytes]:
    """All places, in the order in which they were given."""
    return [row[0] for row in db.read(_ALL)]


def place_of(path: AnyPath) -> bytes:
    """A path as places, sources and files have it: absolute, in bytes."""
    return os.path.abspath(os.fsencode(path))


def existing(paths: Iterable[AnyPath]) -> list[bytes]:
    """Paths as places; an error for one at which nothing is."""
    found = []
    for path in paths:
        place = place_of(path)
        if not os.path.exists(place):
            raise NotFound(
                f"{os.fsdecode(os.fsencode(path))}: no such file or folder",
                hint="check the spelling",
            )
        found.append(place)
    return found


def add_places(db: Database, new: Sequence[bytes]) -> None:
    """Remember paths as places; those below a place that is known add nothing."""
    known = places(db)
    added = [path for path in dict.fromkeys(new) if not _is_below(path, known)]
    if added:
        with db.transaction():
            db.many(_ADD, ((path, time.time_ns()) for path in added))


def remove_place(db: Database, path: AnyPath) -> bool:
    """Forget a place, not what was taken in from it; whether it was one."""
    return db.changed(_REMOVE, (place_of(path),)) > 0


def import_roots(named: Iterable[bytes], usual: Iterable[bytes]) -> ImportRoots:
    """The paths of an import: some that were named, and usual places of agents."""
    named = [*named]
    paths = apart([*named, *usual])
    every = (path for path in paths if any(_is_below(each, [path]) for each in named))
    return ImportRoots(paths, frozenset(every))


def apart(roots: Iterable[bytes]) -> list[bytes]:
    """Paths without those that lie below others of them, so that nothing is walked twice."""
    out: list[bytes] = []
    for root in sorted(set(roots)):
        if not _is_below(root, out):
            out.append(root)
    return out


def _is_below(path: bytes, places: Sequence[bytes]) -> bool:
    return any(path == place or path.startswith(place.rstrip(b"/") + b"/") for place in places)
