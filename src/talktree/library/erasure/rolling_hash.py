"""A rolling hash that finds where a secret of a known length may be."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

PROBE_BITS = 20
_WORD = 1 << 64
_TABLE = 1 << 20


def compute_probe(secret: bytes, multiplier: int) -> int:
    """Return a few bits of the rolling hash of a secret."""
    total, power = 0, 1
    for byte in secret:
        total = (total + byte * power) % _WORD
        power = power * multiplier % _WORD
    return total >> (64 - PROBE_BITS)


def find_candidates(data: bytes, size: int, probes: set[int], multiplier: int) -> Iterator[int]:
    """Return the offsets at which the rolling hash of the next bytes is that of a secret."""
    if len(data) < size:
        return iter(())
    try:
        import numpy
    except ImportError:
        return _find_candidates_without_numpy(data, size, probes, multiplier)
    length = len(data)
    room = max(_TABLE, 1 << (length - 1).bit_length())
    powers = _compute_powers(multiplier, room)[:length]
    inverse = _compute_powers(pow(multiplier, -1, _WORD), room)[: length - size + 1]
    sums = numpy.zeros(length + 1, dtype=numpy.uint64)
    numpy.cumsum(numpy.frombuffer(data, dtype=numpy.uint8) * powers, out=sums[1:])
    windows = ((sums[size:] - sums[:-size]) * inverse) >> numpy.uint64(64 - PROBE_BITS)
    found = [numpy.flatnonzero(windows == numpy.uint64(probe)) for probe in probes]
    return iter(numpy.concatenate(found).tolist())


@lru_cache(maxsize=4)
def _compute_powers(base: int, count: int) -> Any:  # noqa: ANN401
    """Return the first powers of a number, modulo 2**64."""
    import numpy

    table = numpy.full(count, base, dtype=numpy.uint64)
    table[0] = 1
    return numpy.cumprod(table, dtype=numpy.uint64)


def _find_candidates_without_numpy(
    data: bytes, size: int, probes: set[int], multiplier: int
) -> Iterator[int]:
    """Yield the same without numpy, byte by byte."""
    inverse = pow(multiplier, -1, _WORD)
    last = pow(multiplier, size - 1, _WORD)
    total = 0
    for at, byte in enumerate(data):
        if at < size:
            total = (total + byte * pow(multiplier, at, _WORD)) % _WORD
        else:
            total = ((total - data[at - size]) * inverse + byte * last) % _WORD
        if at >= size - 1 and total >> (64 - PROBE_BITS) in probes:
            yield at - size + 1
