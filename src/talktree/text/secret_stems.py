"""A prefilter for secrets that are known by names and places: where a stem of these may be.

Four tables give each byte a bit for every stem that it can be a letter of, as the first, second,
third or fourth. Where four bytes in a row share a bit, a stem may begin. So all stems together,
whatever their case, cost four passes at the speed of memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from string import ascii_letters, digits
from typing import TYPE_CHECKING

from talktree.text.lanes import is_worth, lane
from talktree.text.secret_languages import STEMS, name_places

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from talktree.text.lanes import Flags

PIECE = 1 << 17
PASS, PWD, KEY, AUTH, COOKIE, OPTION, SIGNED, HASH = (1 << bit for bit in range(8))
"""What may begin at a place."""
COLOUR, BY_NUMBER, FOREIGN = (1 << bit for bit in range(8, 11))
"""The same for what makes one decode a string of JSON."""
_ANY = bytes(range(256))
_WORD = (ascii_letters + digits).encode()
_NOT_WORD = bytes(byte for byte in range(256) if byte not in _WORD)


def _letters(text: str) -> bytes:
    """Letters in both cases."""
    return (text + text.upper()).encode()


_STEMS: dict[int, tuple[bytes, bytes, bytes, bytes]] = {
    # pass, password, passphrase, Passwort
    PASS: (_letters("p"), _letters("a"), _letters("s"), _letters("s")),
    # pwd, pswd, psk, senha, _PAT
    PWD: (_letters("psn"), _letters("wsha"), _letters("dkat") + b":", _NOT_WORD),
    # token, secret, key, before something that is not a letter
    KEY: (_letters("kr"), _letters("e"), _letters("nty"), _NOT_WORD + digits.encode() + b"S"),
    # auth, cred(ential), (se)cure(string)
    AUTH: (_letters("ac"), _letters("ur"), _letters("ter"), _letters("hde")),
    # cookie, Kennwort, wachtwoord
    COOKIE: (_letters("ow"), _letters("o"), _letters("kor"), _letters("itr")),
    # -p, -u, -a, -b, -w, -k, -P, -U, -S, --user
    OPTION: (b" \t\n", b"-", b"puabwkPUNS-", _ANY),
    # sig=, sign(ature)=, :5432:, 1//0, -us1, IDENTIFIED BY
    SIGNED: (
        _letters("sd") + b":1-",
        _letters("i") + b"56/u ",
        _letters("gb") + b"4/s",
        _letters("yn") + b"=%0123456789",
    ),
    # $6$, $2y$, $apr1$, {SHA}
    HASH: (b"$", b"1256ays7", b"$abyprc", _ANY),
}


_HEX = b"0123456789abcdefABCDEF"
_SIGNS: tuple[tuple[int, tuple[bytes, ...]], ...] = (
    # \\u001b[, \\x1b[, \\033[, \\e[
    (COLOUR, (b"13\\", b"bB3e", b"[", _ANY)),
    (BY_NUMBER, (b"%", b"2357", _HEX, _ANY)),
    *((FOREIGN, tuple(bytes((byte,)) for byte in sign)) for sign in STEMS),
)
"""What is looked for in much JSON at the same time; else each is looked for alone."""


_BEGINNINGS = (
    *(b"pa pw ps sw nh ke re au cr cu oo wo si".split()),
    *(b"$1 $2 $5 $6 $a $y $s $7 :5 :6 1/ -u".split()),
    *(b" -", b"\t-", b"\n-", b"d "),
)
"""How the stems begin, in small letters; not every two letters of a table belong together."""


def _table(place: int) -> bytes:
    return bytes(
        sum(bit for bit, stem in _STEMS.items() if byte in stem[place]) for byte in range(256)
    )


_TABLES = tuple(_table(place) for place in range(4))
_FOUND = re.compile(rb"[^\0]")


def stems(data: bytes) -> Iterator[tuple[int, int]]:
    """Where stems may begin, in order, and which ones."""
    look = _with_numpy if is_worth(len(data)) else _with_integers
    if look is _with_integers:
        yield from _signs(data)
    for at in range(0, len(data), PIECE):
        # Three bytes more, so that a stem over the border is found, too; and an end for the last.
        yield from look(data[at : at + PIECE + 3] + b"\n" * (at + PIECE + 3 > len(data)), at)


def _with_numpy(piece: bytes, offset: int) -> Iterator[tuple[int, int]]:
    import numpy

    # Two bytes at once are looked up as one number; only what may begin is looked at further.
    pairs, tables, names = _numpy_tables()
    seen = lane(piece)
    found = []
    for shift in (0, 1):
        even = (len(piece) - shift) // 2 * 2
        numbers = numpy.frombuffer(piece, "<u2", even // 2, shift)
        found.append(numpy.flatnonzero(pairs.take(numbers)) * 2 + shift)
    places = numpy.concatenate(found)
    places = places[places < len(piece) - 3]
    bits = tables[0][seen[places]]
    for place in range(1, 4):
        bits &= tables[place][seen[places + place]]
    some = bits.nonzero()[0]
    places, bits = places[some], bits[some]
    named = ((bits & FOREIGN) != 0).nonzero()[0]
    if len(named):
        # Their letters are too many for tables to tell them from others.
        first, second, third, fourth = (seen[places[named] + at].astype("u4") for at in range(4))
        whole = (first << 24) | (second << 16) | (third << 8) | fourth
        bits[named[~numpy.isin(whole, names)]] &= 0xFFFF ^ FOREIGN
    some = bits.nonzero()[0]
    places, bits = places[some], bits[some]
    some = bits.nonzero()[0]
    places, bits = places[some], bits[some]
    order = places.argsort()
    return zip((places[order] + offset).tolist(), bits[order].tolist(), strict=True)


@cache
def _numpy_tables() -> tuple[Flags, list[NDArray[numpy.uint16]], NDArray[numpy.uint32]]:
    """Which pairs of bytes may begin a stem, the bits of each byte by its place, and the names that
    are looked for as numbers."""
    import numpy

    tables = [numpy.zeros(256, "u2") for _ in range(4)]
    for bit, stem in (*_STEMS.items(), *_SIGNS):
        for table, letters in zip(tables, stem, strict=True):
            table[list(letters)] |= bit
    pairs = numpy.zeros((256, 256), numpy.bool_)
    for pair in _BEGINNINGS:
        for first in {pair[:1].lower(), pair[:1].upper()}:
            for second in {pair[1:].lower(), pair[1:].upper()}:
                pairs[second[0], first[0]] = True
    for _, stem in _SIGNS:
        pairs[numpy.ix_(list(stem[1]), list(stem[0]))] = True
    names = numpy.array([int.from_bytes(stem, "big") for stem in STEMS], "u4")
    return pairs.reshape(-1), tables, names


def _with_integers(piece: bytes, offset: int) -> Iterator[tuple[int, int]]:
    one, two, three, four = (int.from_bytes(piece.translate(table), "little") for table in _TABLES)
    together = one & (two >> 8) & (three >> 16) & (four >> 24)
    if not together:
        return
    found = together.to_bytes(len(piece), "little")
    for each in _FOUND.finditer(found):
        yield each.start() + offset, found[each.start()]


def _signs(data: bytes) -> Iterator[tuple[int, int]]:
    """The same as the tables of numpy find, one after the other."""
    for at in name_places(data):
        yield at, FOREIGN
    for sign in (b"1b[", b"1B[", b"33[", b"\\e["):
        for at in _places(data, sign):
            yield at, COLOUR
    for at in _places(data, b"%"):
        yield at, BY_NUMBER


def _places(data: bytes, sign: bytes) -> Iterator[int]:
    at = data.find(sign)
    while at >= 0:
        yield at
        at = data.find(sign, at + 1)


_AFTER_PASS = re.compile(rb"(?i:w|ph|c|e\b)|[^A-Za-z]|\Z")
_AFTER_AUTH = re.compile(rb"(?i:or|entials?\b)|[^A-Za-z]|\Z")
_SHORT = frozenset({b"pwd", b"psk", b"swd", b"nha", b"pw:"})
_ACCESS_TOKEN = (b"_pat", b"-pat")
_ENDINGS = (b"token", b"cret", b"key")


def is_stem(data: bytes, hit: int, bits: int) -> bool:
    """Whether it is a stem of a name indeed, and not just a word with the same four letters."""
    if bits & PASS:
        return _AFTER_PASS.match(data, hit + 4) is not None
    if bits & KEY and data[max(0, hit - 2) : hit + 3].lower().endswith(_ENDINGS):
        return True
    if bits & AUTH:
        return _AFTER_AUTH.match(data, hit + 4) is not None
    if bits & PWD and data[hit : hit + 3].lower() in _SHORT:
        return True
    if bits & PWD and data[max(0, hit - 1) : hit + 3].lower() in _ACCESS_TOKEN:
        return True
    return bool(bits & COOKIE) and data[max(0, hit - 5) : hit + 4].lower().endswith(
        (b"cooki", b"kennwort", b"wachtwoor")
    )
