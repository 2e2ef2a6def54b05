"""Sources that hold several conversations: what the library tells of each of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from talktree.library.reading.told import Heading, Talk

if TYPE_CHECKING:
    from talktree.library.database.connection import Database

_HEADINGS = "SELECT id, heading FROM sources WHERE lines = 0 AND heading IS NOT NULL"
_HEADING = "SELECT heading FROM sources WHERE id = ? AND lines = 0"


class _Talks(msgspec.Struct):
    """All of a heading that is needed here."""

    talks: tuple[Talk, ...] = ()


_decode = msgspec.msgpack.Decoder(_Talks).decode
assert "talks" in Heading.__struct_fields__


def all_talks(db: Database) -> dict[int, Sequence[Talk]]:
    """The conversations of all sources that hold several."""
    found: dict[int, Sequence[Talk]] = {}
    for source, heading in db.rows(_HEADINGS):
        talks = _decode(heading).talks
        if len(talks) > 1:
            found[source] = talks
    return found


def talks_of(db: Database, source: int) -> Sequence[Talk]:
    """The conversations of a source; nothing if it holds but one."""
    row = db.one(_HEADING, (source,))
    return _decode(row[0]).talks if row and row[0] else ()


def number_at(talks: Sequence[Talk], at: int) -> int:
    """Which conversation a record belongs to."""
    return max(0, bisect_right(talks, at, key=lambda talk: talk.at) - 1)
