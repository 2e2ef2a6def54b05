"""The stems of `secret_stems`, seen with numpy: by two bytes in their middle that few words have.

Bytes are looked up two by two, so half as many steps are taken as there are bytes. Where a stem
begins at an odd place, two of its bytes stand together all the same, the next ones. Only around
what few words have is looked at more bytes: six in each direction. On 215 MB of
sessions that took 0.5 s of CPU where a look at all beginnings of stems took 0.8 s.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from talktree.text.secret_stems import CALL, FOREIGN, OPTION, STEMS, Stem

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from talktree.text.lanes import Flags, Places

    Pairs = NDArray[numpy.uint16]
    Bits = NDArray[numpy.uint32]

_ANY = bytes(range(256))
PIECE = 1 << 18
"""How much is looked at together; even, and so little that it stays near the processor."""
BEFORE, BEHIND = 2, 6
"""How much around a piece is looked at."""


class _Tables(NamedTuple):
    """What stems two bytes belong to, by how far before or behind their middle they are."""

    middle: Bits
    after: Bits
    before: Bits
    later: Bits


def stems_in_pairs(data: bytes) -> Iterator[tuple[int, int]]:
    """Where stems may begin, in order, and which ones."""
    first = b"\0" * BEFORE
    for at in range(0, len(data), PIECE):
        begin, stop = max(0, at - BEFORE), at + PIECE + BEHIND
        last = b"\n" * max(0, stop - len(data)) if stop > len(data) else b""
        yield from _in_piece(b"".join((first[: BEFORE - (at - begin)], data[begin:stop], last)), at)


def _in_piece(piece: bytes, offset: int) -> Iterator[tuple[int, int]]:
    import numpy

    may_be, both, begins = _tables()
    pairs: Pairs = numpy.frombuffer(piece, "<u2", len(piece) // 2)
    middles = numpy.flatnonzero(may_be.take(pairs[BEFORE // 2 : -BEHIND // 2])) + BEFORE // 2
    found: list[tuple[Places, Bits]] = []
    middle, after = pairs[middles], pairs[middles + 1]
    for odd, tables in enumerate(both):
        bits = tables.middle[middle] & tables.after[after]
        some = bits.nonzero()[0]
        places = middles[some]
        bits = bits[some] & tables.before[pairs[places - 1]] & tables.later[pairs[places + 2]]
        some = bits.nonzero()[0]
        found.append((places[some] * 2 - odd + (offset - BEFORE), bits[some]))
    places, bits = (numpy.concatenate(each) for each in zip(*found, strict=True))
    hits = sorted(
        (place + begin, kind)
        for place, held in zip(places.tolist(), bits.tolist(), strict=True)
        for begin, kind in begins[held]
    )
    return iter(hits)


class _Begins(dict[int, list[tuple[int, int]]]):
    """Where the stems of some bits begin, seen from where they are rare, and of which kind."""

    def __init__(self, stems: tuple[Stem, ...]) -> None:
        super().__init__()
        self._stems = stems

    def __missing__(self, bits: int) -> list[tuple[int, int]]:
        known = self[bits] = [
            (stem.begin - stem.rare, stem.kind)
            for number, stem in enumerate(self._stems)
            if bits >> number & 1
        ]
        return known


@cache
def _tables() -> tuple[Flags, tuple[_Tables, _Tables], _Begins]:
    """Which two bytes may be in the middle of a stem, and the stems that they and those around them
    belong to: where it is the first two of three rare ones, and where it is the last two."""
    import numpy

    both = []
    for odd in range(2):
        tables = [numpy.zeros((256, 256), "u4") for _ in _Tables._fields]
        for number, alike in enumerate(_groups()):
            for stem in alike:
                for table, place in zip(tables, (0, 2, -2, 4), strict=True):
                    first, second = (_at(stem, stem.rare + odd + place + at) for at in range(2))
                    table[numpy.ix_(list(second), list(first))] |= 1 << number
        both.append(_Tables(*(table.reshape(-1) for table in tables)))
    even, odd_ones = both
    begins = _Begins(tuple(alike[0] for alike in _groups()))
    return (even.middle | odd_ones.middle) != 0, (even, odd_ones), begins


def _groups() -> list[list[Stem]]:
    """The stems by the bits they have; the many names of other languages have two together, and
    so have the words of calls."""
    groups: dict[tuple[int, ...], list[Stem]] = {}
    for number, stem in enumerate(STEMS):
        many = stem.kind in (FOREIGN, CALL, OPTION)
        known = (stem.kind, stem.begin - stem.rare) if many else (number,)
        groups.setdefault(known, []).append(stem)
    return list(groups.values())


def _at(stem: Stem, place: int) -> bytes:
    return stem.bytes[place] if 0 <= place < len(stem.bytes) else _ANY
