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

if TYPE_CHECKING:
    from talktree.text.lanes import Bytes

PIECE = 1 << 17
PASS, PWD, KEY, AUTH, COOKIE, OPTION, SIGNED, HASH = (1 << bit for bit in range(8))
"""What may begin at a place."""
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
    PWD: (_letters("psn"), _letters("wsha"), _letters("dkat"), _NOT_WORD),
    # token, secret, key, before something that is not a letter
    KEY: (_letters("kr"), _letters("e"), _letters("nty"), _NOT_WORD + digits.encode() + b"S"),
    # auth, cred(ential), (se)cure(string)
    AUTH: (_letters("ac"), _letters("ur"), _letters("ter"), _letters("hde")),
    # cookie, Kennwort, wachtwoord
    COOKIE: (_letters("ow"), _letters("o"), _letters("kor"), _letters("itr")),
    # -p, -u, -a, -b, -w, -k, -P, -U, --user
    OPTION: (b" \t\n", b"-", b"puabwkPU-", _ANY),
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


def _table(place: int) -> bytes:
    return bytes(
        sum(bit for bit, stem in _STEMS.items() if byte in stem[place]) for byte in range(256)
    )


_TABLES = tuple(_table(place) for place in range(4))
_FOUND = re.compile(rb"[^\0]")


def stems(data: bytes) -> Iterator[tuple[int, int]]:
    """Where stems may begin, in order, and which ones."""
    look = _with_numpy if is_worth(len(data)) else _with_integers
    for at in range(0, len(data), PIECE):
        # Three bytes more, so that a stem over the border is found, too; and an end for the last.
        yield from look(data[at : at + PIECE + 3] + b"\n" * (at + PIECE + 3 > len(data)), at)


def _with_numpy(piece: bytes, offset: int) -> Iterator[tuple[int, int]]:
    # The first two letters leave few places, and only these are looked at for the others.
    first, second = lane(piece.translate(_TABLES[0])), lane(piece.translate(_TABLES[1]))
    found = first[:-3] & second[1:-2]
    places = (found != 0).nonzero()[0]
    seen = lane(piece)
    bits = found[places] & _lane_of(2)[seen[places + 2]]
    bits &= _lane_of(3)[seen[places + 3]]
    some = bits.nonzero()[0]
    return zip((places[some] + offset).tolist(), bits[some].tolist(), strict=True)


@cache
def _lane_of(place: int) -> Bytes:
    return lane(_TABLES[place])


def _with_integers(piece: bytes, offset: int) -> Iterator[tuple[int, int]]:
    one, two, three, four = (int.from_bytes(piece.translate(table), "little") for table in _TABLES)
    together = one & (two >> 8) & (three >> 16) & (four >> 24)
    if not together:
        return
    found = together.to_bytes(len(piece), "little")
    for each in _FOUND.finditer(found):
        yield each.start() + offset, found[each.start()]


_AFTER_PASS = re.compile(rb"(?i:w|ph|c|e\b)|[^A-Za-z]|\Z")
_AFTER_AUTH = re.compile(rb"(?i:or|entials?\b)|[^A-Za-z]|\Z")
_SHORT = frozenset({b"pwd", b"psk", b"swd", b"nha"})
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
