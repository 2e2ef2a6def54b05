"""Telling what a machine drew at random from what a person wrote down as an example."""

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
"""A table that makes of every byte what kind it is: small letter, capital, digit, other."""
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
"""What people write where a key would stand."""
_SHORT = tuple(
    each for word in (b"xxxx", b"your") for each in (word, word.upper(), word.capitalize())
)
"""The same, but so short that it may be drawn by chance; only if it is spelt as people do."""


def compute_entropy(data: bytes) -> float:
    """How many bits each byte tells, by how often each one stands there."""
    size = len(data)
    return -sum(n / size * log2(n / size) for n in Counter(data).values()) if size else 0.0


def is_made_up(data: bytes) -> bool:
    """Whether a key was plainly written by a person: words, one character again and again."""
    low = data.lower()
    return any(word in low for word in MADE_UP) or any(word in data for word in _SHORT)


def is_varied(data: bytes) -> bool:
    """Whether there is enough variety for something drawn, as behind the known start of a key."""
    return len(set(data)) >= min(8, len(data) // 2) and compute_entropy(data) >= 2.5


def is_random(data: bytes) -> bool:
    """Whether it must have been drawn: letters and digits mixed as no word and no name is."""
    core = data.translate(None, _OTHERS)
    if len(core) < 16 or len(set(core)) < 9 or compute_entropy(core) < 3.2:
        return False
    kinds = core.translate(_CLASSES)
    digits = kinds.count(b"0")
    if digits > len(core) - 4:
        return False
    # Names change from small letters to capitals too, but not that often.
    often = 1 if digits >= 2 else 2
    return _count_changes(kinds) * 5 >= len(core) * often


def _count_changes(kinds: bytes) -> int:
    """How often the kind of character changes."""
    pairs = (b"aA", b"Aa", b"a0", b"0a", b"A0", b"0A")
    return sum(kinds.count(pair) for pair in pairs)
