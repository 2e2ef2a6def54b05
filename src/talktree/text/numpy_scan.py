"""Byte scans with numpy, which processes many bytes in each step.

All results are available without it too (`char_classes`, `json.precheck`); numpy is optional and
slow to import, so it is used only for large amounts.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from talktree.text.char_classes import LONG

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Bytes = NDArray[numpy.uint8]
    Flags = NDArray[numpy.bool_]
    Places = NDArray[numpy.intp]
    Numbers = NDArray[numpy.integer[Any]]

LARGE = 1 << 24
"""From this many bytes in total on, importing numpy is worthwhile."""
FEW = 48 << 10
"""Smaller texts are faster without it."""
PIECE = 1 << 17
"""How much is processed at a time, so that it fits into the processor's cache, and temporary arrays
into memory that the process already has."""
LARGE_FOR_SECRETS = 1 << 21
FEW_FOR_SECRETS = 12 << 10
"""The same for searching secrets, which takes far longer without it."""
QUOTE, BACKSLASH, BY_NUMBER = b'"\\u'
_looked = [0]
"""Number of bytes scanned so far, up to where it no longer matters."""


def is_worth(count: int, *, secrets: bool = False) -> bool:
    """Whether to scan this many more bytes with numpy."""
    if _looked[0] < LARGE:
        _looked[0] += count
    few, large = (FEW_FOR_SECRETS, LARGE_FOR_SECRETS) if secrets else (FEW, LARGE)
    return count >= few and _looked[0] >= large and is_here()


@cache
def is_here() -> bool:
    """Whether numpy is installed."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        return False
    return True


def as_numbers(data: bytes) -> Bytes:
    """Return the bytes as an array."""
    import numpy

    return numpy.frombuffer(data, numpy.uint8)


def has_numbered(data: bytes) -> bool:
    """Whether a character occurs as a JSON escape by number."""
    seen = as_numbers(data)
    return any(
        bool(((piece[:-1] == BACKSLASH) & (piece[1:] == BY_NUMBER)).any())
        for piece in (seen[at : at + PIECE + 1] for at in range(0, len(seen), PIECE))
    )


def count_escaped_quotes(data: bytes) -> int | None:
    """Return the number of quotes after a backslash; None if one of the backslashes may be escaped
    itself."""
    import numpy

    seen = as_numbers(data)
    count = 0
    for at in range(0, len(seen), PIECE):
        piece = seen[at : at + PIECE + 1]
        escapes = piece == BACKSLASH
        if (escapes[:-1] & escapes[1:]).any():
            return None
        count += int(numpy.count_nonzero(escapes[:-1] & (piece[1:] == QUOTE)))
    return count


def count_byte(data: bytes, byte: int) -> int:
    """Return how often a byte occurs."""
    import numpy

    seen = as_numbers(data)
    return sum(
        int(numpy.count_nonzero(seen[at : at + PIECE] == byte)) for at in range(0, len(seen), PIECE)
    )


def can_hide(data: bytes) -> bool:
    """Whether a byte of invisible characters, or of few others, occurs."""
    seen = as_numbers(data)
    return (
        b"\xc2" in data
        or b"\xf3" in data
        or any(
            bool(((piece & 0xF0) == 0xA0).any()) or bool(((piece - 0x8B) < 3).any())
            for piece in (seen[at : at + PIECE] for at in range(0, len(seen), PIECE))
        )
    )


def find_long_runs(data: bytes) -> Places:
    """Return where long runs of letters, digits, `-` and `_` start."""
    return find_runs_and_dashes(data)[0]


def find_runs_and_dashes(data: bytes) -> tuple[Places, Places]:
    """Return where long runs of letters, digits, `-` and `_` start, and each `-` or `_` that more
    of these follow."""
    import numpy

    seen = as_numbers(data)
    found = [numpy.zeros(0, numpy.intp)]
    dashes = [numpy.zeros(0, numpy.intp)]
    before = numpy.zeros(1, numpy.bool_)
    for at in range(0, len(seen), PIECE):
        running, dash = _flag_runs_and_dashes(seen[at : at + PIECE + LONG - 1])
        whole = running
        for step in (1, 2, 4, 8, LONG - 16):
            whole = whole[:-step] & whole[step:]
        whole = whole[:PIECE]
        dashes.append(numpy.flatnonzero(dash[: len(whole)] & whole) + at)
        begins = whole[:1] > before
        found.append(numpy.flatnonzero(begins) + at)
        found.append(numpy.flatnonzero(whole[1:] > running[: max(0, len(whole) - 1)]) + (at + 1))
        before = running[PIECE - 1 : PIECE]
    return numpy.concatenate(found), numpy.concatenate(dashes)


def is_among(numbers: Numbers, sorted_ones: Numbers) -> Flags:
    """Return which numbers are in a sorted list of few others."""
    places = sorted_ones.searchsorted(numbers)
    places[places == len(sorted_ones)] = 0
    among: Flags = sorted_ones[places] == numbers
    return among


def is_running(seen: Bytes) -> Flags:
    """Return which bytes are letters, digits, `-` and `_`."""
    return _flag_runs_and_dashes(seen)[0]


def _flag_runs_and_dashes(seen: Bytes) -> tuple[Flags, Flags]:
    """Return the same, and which ones are `-` and `_`."""
    dash = seen == 0x2D
    dash |= seen == 0x5F
    # Bytes below the first letter or digit wrap around, so one comparison is enough.
    running = ((seen | 0x20) - 0x61) < 26
    running |= (seen - 0x30) < 10
    running |= dash
    return running, dash
