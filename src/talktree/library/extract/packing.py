"""Arrays of numbers as bytes that compress well: all first bytes, then all second ones."""

from __future__ import annotations

import sys
import threading
from array import array
from collections.abc import Callable
from functools import cached_property


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


class _Compressors(threading.local):
    """What packs and unpacks in a thread; making it takes longer than most shapes do."""

    @cached_property
    def compress(self) -> Callable[[bytes], bytes]:
        import zstandard

        return zstandard.ZstdCompressor(level=1).compress

    @cached_property
    def decompress(self) -> Callable[[bytes], bytes]:
        import zstandard

        return zstandard.ZstdDecompressor().decompress


_compressors = _Compressors()


def compressed(data: bytes) -> bytes:
    """The bytes of a shape, made small."""
    return _compressors.compress(data)


def plain(data: bytes) -> bytes:
    """The bytes that were made small."""
    return _compressors.decompress(data)
