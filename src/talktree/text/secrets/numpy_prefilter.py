"""Finds long runs that may be secrets with numpy, discarding nearly all others together.

The rest is checked more closely by `prefilter`, which would discard the others too.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from talktree.text.char_classes import LONG
from talktree.text.numpy_scan import (
    as_numbers,
    find_long_runs,
    find_runs_and_dashes,
    is_among,
    is_running,
)
from talktree.text.secrets.glued import BY_TAIL, SURE, TAIL
from talktree.text.secrets.patterns import BETWEEN, ENDS, STARTS
from talktree.text.secrets.prefilter import (
    BASE64,
    BY_LEAD,
    CLOSER,
    DASH,
    DOPPLER_BODY,
    DOT,
    LEAD,
    NOTHING,
    PLUS,
    SENDGRID,
    SLASH,
    STARTS_OF_STARTS,
    TELLING,
    UNDERSCORE,
    WITH_DOT,
    compute_hint,
)

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from talktree.text.numpy_scan import Bytes, Flags, Places

    Keys = NDArray[numpy.integer[Any]]


_ENDINGS = (3, 4, 6)
"""How many of the last bytes of a prefix are compared: the largest that it has."""
LONGEST_JOINT = 64
"""Dashes and underscores that are skipped before a key; runs with more are searched."""
NEAR = 24
"""How far before a run its context is searched; names of folders are shorter."""


class _Tables(NamedTuple):
    """Lookup tables by bytes, or by several consecutive ones."""

    before: NDArray[numpy.uint8]
    """The hint of the two bytes before a run."""
    starts: Flags
    """Whether the first two bytes make a closer check necessary."""
    known: Flags
    """Whether the first four bytes may start a known key."""
    between: Flags
    """What may be between a name and its value."""
    ends: Flags
    """Whether three letters may end the name of a secret."""
    dotted: Flags
    """Whether three characters before a dot may end a known prefix."""
    base64: Flags
    """The bytes of base64."""


def find_telling_runs(data: bytes) -> list[int]:
    """Return where long runs start, except those that are certainly not secrets."""
    return _select_telling(data, find_long_runs(data))


def find_telling_runs_inside(data: bytes) -> tuple[list[int], list[int]]:
    """Return the same, and the dashes inside runs that may end the prefix of a key."""
    import numpy

    starts, dashes = find_runs_and_dashes(data)
    dashes = dashes[dashes >= TAIL]
    seen = as_numbers(data)
    inside = dashes[_make_tails().take(_read_two_bytes(seen, dashes - TAIL))]
    before = numpy.maximum(inside - TAIL - 1, 0)
    inside = inside[_make_before_tails().take(_read_two_bytes(seen, before)) | (inside == TAIL)]
    inside = inside[_flag_key_beginnings(seen, inside)]
    return _select_telling(data, starts), inside.tolist()


def _flag_key_beginnings(seen: Bytes, dashes: Places) -> Flags:
    """Whether the characters up to a dash may end the prefix of a key, and not just a word."""
    import numpy

    may_end = dashes < max(_ENDINGS)
    number = numpy.zeros(len(dashes), "u8")
    for shorter, size in pairwise((0, *_ENDINGS)):
        for at in range(shorter, size):
            number |= seen.take(dashes - at).astype("u8") << numpy.uint64(8 * at)
        ends = is_among(number, _make_beginnings(size))
        if size < SURE:
            before = seen[dashes - size]
            ends &= ((before | 0x20) - 0x61 >= 26) & (before - 0x30 >= 10)
        may_end |= ends
    return may_end


@cache
def _make_beginnings(size: int) -> Keys:
    """Return the last bytes of the prefixes that are compared in this size."""
    import numpy

    begins = {begin for alike in BY_TAIL.values() for begin, _ in alike}
    fitting = {begin for begin in begins if max(e for e in _ENDINGS if e <= len(begin)) == size}
    numbers = sorted({int.from_bytes(begin[-size:], "big") for begin in fitting})
    return numpy.array(numbers, "u8")


def _select_telling(data: bytes, starts: Places) -> list[int]:
    import numpy

    seen = as_numbers(data)
    near = int(numpy.searchsorted(starts, LEAD))
    far = starts[near:]
    joined = _find_joined_keys(seen, far)
    tables = _make_tables()
    hints, begins = (
        tables.before.take(_read_two_bytes(seen, far - 2)),
        tables.starts.take(_read_two_bytes(seen, far)),
    )
    hinted = numpy.flatnonzero((hints != NOTHING) | begins)
    far, hints, begins = far.take(hinted), hints.take(hinted), begins.take(hinted)
    closer, before = hints == CLOSER, seen.take(far - 1)
    path, dot = closer & ((before == SLASH) | (before == PLUS)), closer & (before == DOT)
    kept = tables.known.take(_read_four_bytes(seen, far)) | (closer & ~path & ~dot)
    for some, look in (
        ((hints == BY_LEAD) | (begins & ~closer), _is_named),
        (path, _is_no_path),
        (dot, _is_behind_dot),
    ):
        which = numpy.flatnonzero(some & ~kept)
        if len(which):
            kept[which] = look(seen, far.take(which))
    telling = far[kept]
    if len(joined):
        telling = numpy.union1d(telling, joined)
    return [*starts[:near].tolist(), *telling.tolist()]


def _find_joined_keys(seen: Bytes, starts: Places) -> Places:
    """Return the runs that start with dashes or underscores and go on as a known key does.

    Removed lines of a diff start with a dash.
    """
    runs = starts[_is_joiner(seen, starts)]
    keys = runs
    for _ in range(LONGEST_JOINT):
        joint = _is_joiner(seen, keys)
        if not joint.any():
            break
        keys = keys + joint
    fits = keys + 3 < len(seen)
    runs, keys = runs[fits], keys[fits]
    known = _make_tables().known.take(_read_four_bytes(seen, keys))
    return runs[known | _is_joiner(seen, keys)]


def _is_joiner(seen: Bytes, places: Places) -> Flags:
    """Whether there is a dash or an underscore at places in the text."""
    found = seen.take(places, mode="clip")
    inside = places < len(seen)
    joiners: Flags = ((found == DASH) | (found == UNDERSCORE)) & inside
    return joiners


def _read_two_bytes(seen: Bytes, places: Places) -> Keys:
    """Return two bytes as one number."""
    return (seen.take(places).astype("u2") << 8) | seen.take(places + 1)


def _read_three_bytes(seen: Bytes, places: Places) -> Keys:
    """Return three characters as one number, case-insensitive, with few collisions."""
    one, two, three = (seen.take(places + at) & 0x1F for at in range(3))
    return (one.astype("u2") << 10) | (two.astype("u2") << 5) | three


def _read_four_bytes(seen: Bytes, places: Places) -> Keys:
    """Return four characters as one number, likewise."""
    return (_read_three_bytes(seen, places).astype("u4") << 5) | (seen.take(places + 3) & 0x1F)


def _is_named(seen: Bytes, starts: Places) -> Flags:
    """Whether the name of a secret may end before a run, apart from the text between them."""
    tables = _make_tables()
    last = starts - 1
    for _ in range(LEAD - 3):
        last = last - tables.between.take(seen.take(last))
    return tables.between.take(seen.take(last)) | tables.ends.take(
        _read_three_bytes(seen, last - 2)
    )


def _is_no_path(seen: Bytes, starts: Places) -> Flags:
    """Whether a run after a slash may be more than a file name: part of long or named base64, or of
    the address of a webhook."""
    tables = _make_tables()
    # Before the last slash of a webhook there is a capital or a digit.
    earlier = seen[starts - 2]
    kept = is_running(earlier) & (earlier < 0x5B)
    # Offsets before the start of the text have no name, whatever the lookup returns.
    last = starts - 1
    for _ in range(NEAR):
        last = last - tables.base64.take(seen.take(last))
    kept |= tables.base64.take(seen.take(last))
    kept |= _is_named(seen, last + 1)
    return kept


def _is_behind_dot(seen: Bytes, starts: Places) -> Flags:
    """Whether the text before a dot indicates a secret, or may, because long text follows."""
    import numpy

    before = starts - 4
    known = _make_tables().dotted.take(_read_three_bytes(seen, before))
    known |= (seen[before + 1] == SENDGRID[0]) & (seen[before + 2] == SENDGRID[1])
    known |= (seen[before + 2] == ord("s")) & ~is_running(seen[before + 1])
    rest = starts[:, None] + numpy.arange(LONG, DOPPLER_BODY)
    return known | is_running(seen[numpy.minimum(rest, len(seen) - 1)]).all(axis=1)


@cache
def _make_tails() -> Flags:
    return _make_flag_table(16, [tail[0] << 8 | tail[1] for tail in BY_TAIL])


@cache
def _make_before_tails() -> Flags:
    """Return the same for the byte before such a tail and the first one of it."""
    begins = [begin for alike in BY_TAIL.values() for begin, _ in alike]
    short = {begin[0] for begin in begins if len(begin) < SURE}
    long = [begin[-4] << 8 | begin[-3] for begin in begins if len(begin) >= SURE]
    return _make_flag_table(
        16, [*long, *(before << 8 | first for first in short for before in range(256))]
    )


@cache
def _make_tables() -> _Tables:
    import numpy

    before = numpy.full(1 << 16, NOTHING, numpy.uint8)
    for last in TELLING:
        before[last::256] = [compute_hint(bytes((each, last)) + b"  ") for each in range(256)]
    behind_dashes = [bytes((dash, each)) for dash in b"-_" for each in range(256)]
    starts = as_numbers(b"".join((*STARTS_OF_STARTS, *behind_dashes)))
    fourth = [bytes((each,)) for each in range(32)]
    begun = [
        start[:3] + each
        for start in STARTS
        for each in (fourth if len(start) < 4 else [start[3:4]])
    ]
    known, ends = as_numbers(b"".join(begun)), as_numbers(b"".join(ENDS))
    dotted = as_numbers(b"".join(name[-4:-1] for name in WITH_DOT if name != SENDGRID))
    return _Tables(
        before=before,
        starts=_make_flag_table(16, _read_two_bytes(starts, numpy.arange(0, len(starts), 2))),
        known=_make_flag_table(20, _read_four_bytes(known, numpy.arange(0, len(known), 4))),
        between=_make_flag_table(8, list(BETWEEN)),
        ends=_make_flag_table(15, _read_three_bytes(ends, numpy.arange(0, len(ends), 3))),
        dotted=_make_flag_table(15, _read_three_bytes(dotted, numpy.arange(0, len(dotted), 3))),
        base64=_make_flag_table(8, list(BASE64)),
    )


def _make_flag_table(bits: int, values: Keys | list[int]) -> Flags:
    """Return a table that shows whether a number is one of these."""
    import numpy

    table = numpy.zeros(1 << bits, numpy.bool_)
    table[values] = True
    return table
