"""The stems of `secret_stems`, seen with numpy: by two bytes in their middle that few words have.

Bytes are looked up two by two, so half as many steps are taken as there are bytes. Where a stem
begins at an odd place, two of its bytes stand together all the same, the next ones. Only around
what few words have is looked at more bytes: six in each direction. On 215 MB of
sessions that took 0.5 s of CPU where a look at all beginnings of stems took 0.8 s.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from talktree.text.numpy_scan import is_among
from talktree.text.secrets.stems import CALL, FOREIGN, PWD, STEMS, Stem

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Flags = NDArray[numpy.bool_]
    Places = NDArray[numpy.intp]
    Pairs = NDArray[numpy.uint16]
    Bits = NDArray[numpy.uint32]
    BothBits = NDArray[numpy.uint64]

_ANY = bytes(range(256))
PIECE = 1 << 17
"""How much is looked at together; even, and so little that it stays near the processor."""
GROUPS = 32
"""How many groups of stems there are at most: each has a bit."""
BEFORE, BEHIND = 2, 6
"""How much around a piece is looked at."""


class _Tables(NamedTuple):
    """What stems two bytes belong to, by how far before or behind their middle they are: in the
    low bits where a stem begins at an even place, in the high ones where at an odd one."""

    middle: BothBits
    after: BothBits
    before: BothBits
    later: BothBits


def find_stems_in_pairs(data: bytes) -> Iterator[tuple[int, int]]:
    """Where stems may begin, in order, and which ones."""
    first = b"\0" * BEFORE
    for at in range(0, len(data), PIECE):
        begin, stop = max(0, at - BEFORE), at + PIECE + BEHIND
        last = b"\n" * max(0, stop - len(data)) if stop > len(data) else b""
        yield from _find_in_piece(
            b"".join((first[: BEFORE - (at - begin)], data[begin:stop], last)), at
        )


def _find_in_piece(piece: bytes, offset: int) -> Iterator[tuple[int, int]]:
    import numpy

    may_be, tables, begins = _make_tables()
    pairs: Pairs = numpy.frombuffer(piece, "<u2", len(piece) // 2)
    middles = numpy.flatnonzero(may_be.take(pairs[BEFORE // 2 : -BEHIND // 2])) + BEFORE // 2
    both = tables.middle.take(pairs.take(middles)) & tables.after.take(pairs.take(middles + 1))
    some = both.nonzero()[0]
    middles = middles.take(some)
    before, later = pairs.take(middles - 1), pairs.take(middles + 2)
    both = both.take(some) & tables.before.take(before) & tables.later.take(later)
    found: list[tuple[Places, Bits]] = []
    for odd in range(2):
        bits = (both >> numpy.uint64(odd * GROUPS)).astype("u4")
        some = bits.nonzero()[0]
        found.append((middles.take(some) * 2 - odd, bits.take(some)))
    places, bits = (numpy.concatenate(each) for each in zip(*found, strict=True))
    _drop_other_words(piece, places, bits)
    some = bits.nonzero()[0]
    places, bits = places[some] + (offset - BEFORE), bits[some]
    hits = sorted(
        (place + begin, kind)
        for place, held in zip(places.tolist(), bits.tolist(), strict=True)
        for begin, kind in begins[held]
    )
    return iter(hits)


def _drop_other_words(piece: bytes, places: Places, bits: Bits) -> None:
    """Take back the bits of groups where none of their words is: together they fit many others."""
    import numpy

    seen = numpy.frombuffer(piece, numpy.uint8)
    for bit, words in _exact_words():
        some = (bits & bit).nonzero()[0]
        if len(some):
            at = places[some]
            four = numpy.stack([seen[at + each] for each in range(4)], axis=1).view("<u4").ravel()
            bits[some[~is_among(four, words)]] &= ~bit


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
def _make_tables() -> tuple[Flags, _Tables, _Begins]:
    """Which two bytes may be in the middle of a stem, and the stems that they and those around them
    belong to: where it is the first two of three rare ones, and where it is the last two."""
    import numpy

    tables = [numpy.zeros((256, 256), "u8") for _ in _Tables._fields]
    for number, alike in enumerate(_group_stems()):
        for stem, odd in product(alike, range(2)):
            bit = numpy.uint64(1 << number + odd * GROUPS)
            for table, place in zip(tables, (0, 2, -2, 4), strict=True):
                first, second = (_byte_at(stem, stem.rare + odd + place + at) for at in range(2))
                if first == second == _ANY:
                    table |= bit
                elif first == _ANY:
                    table[list(second)] |= bit
                else:
                    table[numpy.ix_(list(second), list(first))] |= bit
    flat = _Tables(*(table.reshape(-1) for table in tables))
    return flat.middle != 0, flat, _Begins(tuple(alike[0] for alike in _group_stems()))


@cache
def _exact_words() -> list[tuple[numpy.uint32, Bits]]:
    """The bit of each group of words that have one spelling, and four bytes of each of them."""
    import numpy

    found: list[tuple[numpy.uint32, Bits]] = []
    for number, alike in enumerate(_group_stems()):
        words = {b"".join(stem.bytes[stem.rare : stem.rare + 4]) for stem in alike}
        if alike[0].kind in (CALL, FOREIGN) and all(len(word) == 4 for word in words):
            numbers = numpy.frombuffer(b"".join(sorted(words)), "<u4")
            found.append((numpy.uint32(1 << number), numpy.sort(numbers)))
    return found


def _group_stems() -> list[list[Stem]]:
    """The stems by the bits they have; those that are many of a kind have few of them together."""
    groups: dict[tuple[int, ...], list[Stem]] = {}
    for number, stem in enumerate(STEMS):
        many = stem.kind in (FOREIGN, CALL, PWD)
        known = (stem.kind, stem.begin - stem.rare) if many else (number,)
        groups.setdefault(known, []).append(stem)
    return list(groups.values())


def _byte_at(stem: Stem, place: int) -> bytes:
    return stem.bytes[place] if 0 <= place < len(stem.bytes) else _ANY
