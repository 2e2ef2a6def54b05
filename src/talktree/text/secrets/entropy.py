"""Distinguishes random keys from examples that people made up."""

from __future__ import annotations

from collections import Counter
from math import log2

_CLASSES = bytes(
    0x61
    if 0x61 <= byte <= 0x7A
    else 0x41
    if 0x41 <= byte <= 0x5A
    else 0x30
    if 0x30 <= byte <= 0x39
    else 0x20
    for byte in range(256)
)
"""A table that maps every byte to its kind: lower case, upper case, digit, other."""
_OTHERS = b"-_+/=~.$:@%&!#*^? "
MADE_UP = (
    b"example",
    b"placeholder",
    b"redacted",
    b"dummy",
    b"sample",
    b"replace",
    b"insert",
    b"changeme",
    b"notreal",
    b"not-a-real",
    b"1234567",
    b"abcdefg",
    b"0000000",
    b"aaaaaaa",
    b"deadbeef",
)
"""Words that people write instead of a key."""
_SHORT = tuple(
    each for word in (b"xxxx", b"your") for each in (word, word.upper(), word.capitalize())
)
"""The same, but so short that they may occur by chance; only in the spelling that people use."""


def compute_entropy(data: bytes) -> float:
    """Return the entropy in bits for each byte, by the frequencies of the bytes."""
    size = len(data)
    return -sum(n / size * log2(n / size) for n in Counter(data).values()) if size else 0.0


def is_made_up(data: bytes) -> bool:
    """Whether a key was plainly made up: words, or repeated characters."""
    low = data.lower()
    return any(word in low for word in MADE_UP) or any(word in data for word in _SHORT)


def is_varied(data: bytes) -> bool:
    """Whether it has enough variety for a random value, as after the known prefix of a key."""
    return len(set(data)) >= min(8, len(data) // 2) and compute_entropy(data) >= 2.5


def is_random(data: bytes) -> bool:
    """Whether it must be random: letters and digits are mixed as in no word or name."""
    core = data.translate(None, _OTHERS)
    if len(core) < 16 or len(set(core)) < 9 or compute_entropy(core) < 3.2:
        return False
    kinds = core.translate(_CLASSES)
    digits = kinds.count(b"0")
    if digits > len(core) - 4:
        return False
    # Names switch from lower to upper case as well, but not that often.
    often = 1 if digits >= 2 else 2
    return _count_changes(kinds) * 5 >= len(core) * often


def _count_changes(kinds: bytes) -> int:
    """Return how often the kind of character changes."""
    pairs = (b"aA", b"Aa", b"a0", b"0a", b"A0", b"0A")
    return sum(kinds.count(pair) for pair in pairs)
