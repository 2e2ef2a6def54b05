"""Stems of names and contexts that indicate secrets, with the bytes around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters, ascii_lowercase, digits
from typing import NamedTuple

from talktree.text.secrets.calls import WORDS
from talktree.text.secrets.languages import NAMES

PASS, PWD, KEY, AUTH, COOKIE, OPTION, SIGNED, HASH = (1 << bit for bit in range(8))
"""Kinds of stems."""
COLOUR, BY_NUMBER, FOREIGN, CALL = (1 << bit for bit in range(8, 12))
"""Kinds of stems that make decoding of a JSON string necessary."""
_ANY = bytes(range(256))
_SMALL = ascii_lowercase.encode()
_LETTERS, _DIGITS = ascii_letters.encode(), digits.encode()
NOT_WORD = bytes(byte for byte in _ANY if byte not in _LETTERS + _DIGITS)
_NOT_LETTER = NOT_WORD + _DIGITS
BEHIND_KEY = _NOT_LETTER + b"S"


class Stem(NamedTuple):
    """A stem and the bytes around it."""

    kind: int
    bytes: tuple[bytes, ...]
    """The possible bytes at each position."""
    begin: int
    """The index of the byte that is its place."""
    rare: int
    """The index of three bytes, of which the first two and the last two are rare in words."""


def _both_cases(text: str) -> tuple[bytes, ...]:
    """Return each letter of a text in both cases."""
    return tuple(bytes({*each.lower().encode(), *each.upper().encode()}) for each in text)


def _iterate_foreign_stems() -> Iterator[Stem]:
    """Yield names of other languages: escaped by number, they are rare from those signs on."""
    for word, at in NAMES:
        rare = at - 2 if b"\\u" in word else 2 if word.startswith(b"clave") else at
        yield Stem(FOREIGN, tuple(bytes((byte,)) for byte in word), at, rare)


def _iterate_call_stems() -> Iterator[Stem]:
    """Yield words of calls and dialogs, by the four bytes at which they are found."""
    for word, at in WORDS:
        yield Stem(CALL, tuple(bytes((byte,)) for byte in word), at, at)


STEMS: tuple[Stem, ...] = (
    Stem(PASS, (*_both_cases("pass"), _NOT_LETTER + b"wpcWPC"), 0, 0),
    Stem(PASS, (*_both_cases("passe"), _NOT_LETTER), 0, 0),
    *(
        Stem(PWD, (*_both_cases(each), NOT_WORD), 0, 0)
        for each in ("pwd", "psk", "swd", "nha", "pw:")
    ),
    Stem(PWD, (_NOT_LETTER + b"nrt", *_both_cases("pin"), NOT_WORD), 1, 0),
    Stem(PWD, (_SMALL, b"P", b"i", b"n", NOT_WORD), 1, 0),
    Stem(PWD, (b"_-", *_both_cases("pat"), NOT_WORD), 1, 0),
    Stem(KEY, (*_both_cases("token"), BEHIND_KEY), 2, 1),
    Stem(KEY, (*_both_cases("ecret"), BEHIND_KEY), 2, 0),
    Stem(KEY, (*_both_cases("key"), BEHIND_KEY), 0, 0),
    Stem(AUTH, (*_both_cases("auth"), _NOT_LETTER + b"oO"), 0, 0),
    Stem(AUTH, _both_cases("credential"), 0, 7),
    Stem(AUTH, _both_cases("securestring"), 2, 2),
    Stem(COOKIE, _both_cases("cooki"), 1, 2),
    Stem(COOKIE, _both_cases("kennwort"), 4, 3),
    Stem(COOKIE, _both_cases("wachtwoor"), 5, 4),
    Stem(OPTION, (b" \t\n", b"-", b"puabwkPUNS"), 0, 0),
    Stem(OPTION, (b" \t\n", b"-", b"-", b"upcf"), 0, 0),
    Stem(SIGNED, (*_both_cases("sig"), b"=%"), 0, 1),
    Stem(SIGNED, (b"-", *_both_cases("signat")), 1, 2),
    Stem(SIGNED, (b":", b"56", b"4", b"3", b"23"), 0, 0),
    Stem(SIGNED, (b"1", b"/", b"/", b"0"), 0, 0),
    Stem(SIGNED, (b"-", b"u", b"s", _DIGITS), 0, 0),
    Stem(SIGNED, (*_both_cases("ed by"), b" \t"), 1, 2),
    Stem(HASH, (b"$", b"1256ays7", b"$abyprc"), 0, -1),
    Stem(COLOUR, (b"1", b"bB", b"["), 0, 0),
    Stem(COLOUR, (b"3", b"3", b"["), 0, 0),
    Stem(COLOUR, (b"\\", b"e", b"["), 0, 0),
    Stem(BY_NUMBER, (b"%", b"2357", _LETTERS + _DIGITS), 0, -1),
    *_iterate_foreign_stems(),
    *_iterate_call_stems(),
)
"""All stems."""


_AFTER_PASS = re.compile(rb"(?i:w|ph|c|e\b)|[^A-Za-z]|\Z")
_AFTER_AUTH = re.compile(rb"(?i:or|entials?\b)|[^A-Za-z]|\Z")
_PIN = re.compile(rb"(?:\A|(?<=[^a-zA-Z])|(?<=\\[nrt])|(?<=[a-z])(?=P))(?i:pin)[^a-zA-Z0-9]")
_SHORT = frozenset({b"pwd", b"psk", b"swd", b"nha", b"pw:"})
_ACCESS_TOKEN = (b"_pat", b"-pat")
_ENDINGS = (b"token", b"cret", b"key")


def is_stem(data: bytes, hit: int, bits: int) -> bool:
    """Whether it is really a stem of a name, and not just a word with the same four letters."""
    if bits & PASS:
        return _AFTER_PASS.match(data, hit + 4) is not None
    if bits & KEY and data[max(0, hit - 2) : hit + 3].lower().endswith(_ENDINGS):
        return True
    if bits & AUTH:
        return _AFTER_AUTH.match(data, hit + 4) is not None
    if bits & PWD and data[hit : hit + 3].lower() in _SHORT:
        return True
    if bits & PWD and _PIN.match(data, hit) is not None:
        return True
    if bits & PWD and data[max(0, hit - 1) : hit + 3].lower() in _ACCESS_TOKEN:
        return True
    return bool(bits & COOKIE) and data[max(0, hit - 5) : hit + 4].lower().endswith(
        (b"cooki", b"kennwort", b"wachtwoor")
    )
