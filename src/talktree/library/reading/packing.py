"""Arrays of numbers as bytes that compress well: all first bytes, then all second ones."""

from __future__ import annotations

import sys
from array import array


def packed(numbers: array[int]) -> bytes:
    """The bytes of an array, byte by byte of its numbers."""
    size, raw = numbers.itemsize, _little(numbers).tobytes()
    return b"".join(raw[place::size] for place in range(size))


def unpacked(kind: str, data: bytes | memoryview, first: int = 0) -> array[int]:
    """The array that was packed, from a number on."""
    numbers = array(kind)
    size, count = numbers.itemsize, len(data) // numbers.itemsize
    raw = bytearray(size * (count - first))
    for place in range(size):
        raw[place::size] = data[place * count + first : (place + 1) * count]
    numbers.frombytes(raw)
    return _little(numbers)


def low_halves(data: bytes | memoryview) -> array[int]:
    """The lower 32 bits of the packed numbers of 64."""
    return unpacked("I", data[: len(data) // 2])


def _little(numbers: array[int]) -> array[int]:
    """The same on every machine."""
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers
