"""Arrays of numbers as bytes that compress well: all first bytes, then all second ones."""

from __future__ import annotations

import sys
from array import array


def packed(numbers: array[int]) -> bytes:
    """The bytes of an array, byte by byte of its numbers."""
    size, raw = numbers.itemsize, _little(numbers).tobytes()
    return b"".join(raw[place::size] for place in range(size))


def unpacked(kind: str, data: bytes) -> array[int]:
    """The array that was packed."""
    numbers = array(kind)
    size, raw = numbers.itemsize, bytearray(len(data))
    count = len(data) // size
    for place in range(size):
        raw[place::size] = data[place * count : (place + 1) * count]
    numbers.frombytes(raw)
    return _little(numbers)


def _little(numbers: array[int]) -> array[int]:
    """The same on every machine."""
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers
