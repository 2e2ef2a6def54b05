"""Sources that hold several conversations: what the library tells of each of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from talktree.library.reading.runs import judged
from talktree.library.reading.shape import Shape
from talktree.library.reading.told import ERROR, Heading, Talk

if TYPE_CHECKING:
    from talktree.library.database.connection import Database

_HEADINGS = "SELECT id, heading FROM sources WHERE lines = 0 AND heading IS NOT NULL"
_HEADING = "SELECT heading FROM sources WHERE id = ? AND lines = 0"

_SHAPE = "SELECT shape FROM sources WHERE id = ?"
_FAILED = bytes(bool(byte & ERROR) for byte in range(256))


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


def own_counts(db: Database, source: int) -> list[tuple[int, int]]:
    """How many failures and sub-agents each of the conversations of a source has."""
    talks, row = talks_of(db, source), db.one(_SHAPE, (source,))
    if row is None or row[0] is None:
        return [(0, 0)] * len(talks)
    shape = Shape.unpack(row[0])
    begins = [bisect_left(shape.at, talk.at) for talk in talks]
    parents, failed = shape.whole_parents(), shape.bits.translate(_FAILED)
    return [
        (
            failed.count(1, start, stop),
            judged(parents, shape, start, stop).sidechains,
        )
        for start, stop in pairwise([*begins, len(shape)])
    ]


def span_of(db: Database, source: int, number: int) -> tuple[int, int | None]:
    """From which record to which one a conversation of a source goes; to None for the last."""
    talks = talks_of(db, source)
    last = number + 1 >= len(talks)
    return (talks[number].at if talks else 0), (None if last else talks[number + 1].at)
