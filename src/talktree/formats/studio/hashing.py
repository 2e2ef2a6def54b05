"""Content hashes: the documented 32-bit hash, and the two SHA-256 forms that the app writes.

The 32-bit hash is a polynomial: each UTF-16 unit times a power of 31, modulo 2**32. So it need not
be computed unit by unit. `hash_by_folding` adds neighbours in one big integer, `hash_by_numpy`
multiplies whole blocks with the powers; both give the result of the documented loop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from talktree.text.numpy_scan import is_here

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

Algorithm = Literal["utf16-32", "sha256-10", "sha256-7"]
UTF16_32: Algorithm = "utf16-32"
SHA256_10: Algorithm = "sha256-10"
SHA256_7: Algorithm = "sha256-7"

BASE = 31
WRAP = 1 << 32
LARGE = 1 << 17
"""Number of UTF-16 units, in one text or in many, from which numpy is worth its import."""
SMALL = 1 << 6
"""Shorter texts are hashed faster than numpy can be called."""
FOLDED_AT_ONCE = 1 << 10
BLOCK = 1 << 13


def hash_text(text: str) -> str:
    """Return the documented hash of a text."""
    units = text.encode("utf-16-le", "surrogatepass")
    worth = len(units) >= 2 * SMALL and (_hashed[0] >= LARGE or _is_worth_numpy(len(units) // 2))
    if worth and is_here():
        return format_hash(hash_by_numpy(units))
    return format_hash(hash_by_folding(units))


def format_hash(total: int) -> str:
    """Return a sum in the documented form: the absolute value of the signed number, in hex."""
    return f"{min(total, WRAP - total):x}"


# with big integers


class _Fold(NamedTuple):
    """A folding step: adds every second field of an integer to the multiplied one before it."""

    shift: int
    columns: int
    """A mask of the 32 bits that count in each of those fields."""
    factor: int


def hash_by_folding(units: bytes) -> int:
    """Return the sum over UTF-16 units in little-endian order, with integers only."""
    size = min(FOLDED_AT_ONCE, _next_power_of_two(len(units) // 2))
    folds, factor, step = _make_folds(size), pow(BASE, size, WRAP), 2 * size
    # Units of value zero in front change nothing, so the first block may be short.
    start = len(units) % step
    total = _fold_units(b"\0" * (step - start) + units[:start], folds) if start else 0
    for at in range(start, len(units), step):
        total = (total * factor + _fold_units(units[at : at + step], folds)) % WRAP
    return total


def _next_power_of_two(count: int) -> int:
    return 1 << max(1, (count - 1).bit_length())


@cache
def _make_folds(size: int) -> tuple[_Fold, ...]:
    folds = []
    width = 2
    while width < 2 * size:
        counting = min(width, 4)
        column = b"\xff" * counting + b"\0" * (2 * width - counting)
        columns = int.from_bytes(column * (size // width), "little")
        folds.append(_Fold(8 * width, columns, pow(BASE, width // 2, WRAP)))
        width *= 2
    return tuple(folds)


def _fold_units(units: bytes, folds: tuple[_Fold, ...]) -> int:
    number = int.from_bytes(units, "little")
    for shift, columns, factor in folds:
        number = (number & columns) * factor + ((number >> shift) & columns)
    return number % WRAP


# with numpy


_hashed = [0]
"""The number of units hashed so far, up to where it no longer matters."""


def _is_worth_numpy(count: int) -> bool:
    if _hashed[0] < LARGE:
        _hashed[0] += count
    return _hashed[0] >= LARGE


def hash_by_numpy(units: bytes) -> int:
    """Return the same sum, computed with vectors."""
    powers, taken, unit, number = _load_numpy_tools()
    values = taken(units, unit)
    if len(values) < BLOCK:
        return int(values.astype(number).dot(powers[BLOCK - len(values) :]))
    return _hash_by_blocks(values)


def _hash_by_blocks(values: NDArray[numpy.uint16]) -> int:
    import numpy

    start = len(values) % BLOCK
    first = numpy.zeros(BLOCK, "<u2")
    first[BLOCK - start :] = values[:start]
    total = 0
    for block in (first[None], values[start:].reshape(-1, BLOCK)):
        sums = numpy.einsum(
            "ij,j->i", block, _load_numpy_tools()[0], dtype=numpy.uint32, casting="unsafe"
        )
        for each in sums.tolist():
            total = (total * pow(BASE, BLOCK, WRAP) + each) % WRAP
    return total


@cache
def _load_numpy_tools() -> tuple[NDArray[numpy.uint32], Callable[..., Any], Any, Any]:
    """Return the powers, and the numpy functions that every text needs: each lookup is slow."""
    import numpy

    powers = [pow(BASE, BLOCK - 1 - place, WRAP) for place in range(BLOCK)]
    number = numpy.dtype("u4")
    return numpy.array(powers, dtype=number), numpy.frombuffer, numpy.dtype("<u2"), number


# detection


def compute_digest(text: str, algorithm: Algorithm) -> str:
    """Return the hash of a text by one of the algorithms."""
    match algorithm:
        case "utf16-32":
            return hash_text(text)
        case "sha256-10":
            return _sha256(text)[:10]
        case "sha256-7":
            return _sha256(text)[:7]


def _sha256(text: str) -> str:
    # A browser encodes each lone surrogate as U+FFFD.
    units = text.encode("utf-16-le", "surrogatepass")
    return sha256(units.decode("utf-16-le", "replace").encode()).hexdigest()


def detect_algorithm(hash: str, text: str) -> Algorithm | None:
    """Return the algorithm that gives this hash for the text, if any does."""
    if hash == hash_text(text):
        return UTF16_32
    whole = _sha256(text)
    if hash == whole[:10]:
        return SHA256_10
    return SHA256_7 if hash == whole[:7] else None


DERIVED: dict[str, Callable[[str], str]] = {
    SHA256_10: partial(compute_digest, algorithm=SHA256_10),
    SHA256_7: partial(compute_digest, algorithm=SHA256_7),
    UTF16_32: partial(compute_digest, algorithm=UTF16_32),
}
"""Every hash of a text, by its name, the longest first."""
