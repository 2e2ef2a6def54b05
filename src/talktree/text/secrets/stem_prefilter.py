"""A prefilter for secrets that are known by names and context: where a stem of these may be.

Four tables give each byte a bit for every stem that it can be a letter of, as the first, second,
third or fourth. Where four consecutive bytes share a bit, a stem may begin. So all stems together,
whatever their case, cost four passes at memory speed. With numpy it takes less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters, digits

from talktree.text.numpy_scan import is_worth
from talktree.text.secrets.calls import WORDS_BY_SHARED
from talktree.text.secrets.languages import find_name_places
from talktree.text.secrets.numpy_stems import find_stems_in_pairs
from talktree.text.secrets.stems import (
    AUTH,
    BY_NUMBER,
    CALL,
    COLOUR,
    COOKIE,
    FOREIGN,
    HASH,
    KEY,
    OPTION,
    PASS,
    PWD,
    SIGNED,
)

PIECE = 1 << 17
_ANY = bytes(range(256))
_WORD = (ascii_letters + digits).encode()
_NOT_WORD = bytes(byte for byte in range(256) if byte not in _WORD)


def _letters_in_both_cases(text: str) -> bytes:
    """Return letters in both cases."""
    return (text + text.upper()).encode()


_STEMS: dict[int, tuple[bytes, bytes, bytes, bytes]] = {
    # pass, password, passphrase, Passwort
    PASS: (
        _letters_in_both_cases("p"),
        _letters_in_both_cases("a"),
        _letters_in_both_cases("s"),
        _letters_in_both_cases("s"),
    ),
    # pwd, pswd, psk, senha, _PAT, pin
    PWD: (
        _letters_in_both_cases("psn"),
        _letters_in_both_cases("wshai"),
        _letters_in_both_cases("dkatn") + b":",
        _NOT_WORD,
    ),
    # token, secret, key, before something that is not a letter
    KEY: (
        _letters_in_both_cases("kr"),
        _letters_in_both_cases("e"),
        _letters_in_both_cases("nty"),
        _NOT_WORD + digits.encode() + b"S",
    ),
    # auth, cred(ential), (se)cure(string)
    AUTH: (
        _letters_in_both_cases("ac"),
        _letters_in_both_cases("ur"),
        _letters_in_both_cases("ter"),
        _letters_in_both_cases("hde"),
    ),
    # cookie, Kennwort, wachtwoord
    COOKIE: (
        _letters_in_both_cases("ow"),
        _letters_in_both_cases("o"),
        _letters_in_both_cases("kor"),
        _letters_in_both_cases("itr"),
    ),
    # -p, -u, -a, -b, -w, -k, -P, -U, -S, --user
    OPTION: (b" \t\n", b"-", b"puabwkPUNS-", _ANY),
    # sig=, sign(ature)=, :5432:, 1//0, -us1, IDENTIFIED BY
    SIGNED: (
        _letters_in_both_cases("sd") + b":1-",
        _letters_in_both_cases("i") + b"56/u ",
        _letters_in_both_cases("gb") + b"4/s",
        _letters_in_both_cases("yn") + b"=%0123456789",
    ),
    # $6$, $2y$, $apr1$, {SHA}
    HASH: (b"$", b"1256ays7", b"$abyprc", _ANY),
}


def _make_table(place: int) -> bytes:
    return bytes(
        sum(bit for bit, stem in _STEMS.items() if byte in stem[place]) for byte in range(256)
    )


_TABLES = tuple(_make_table(place) for place in range(4))
_FOUND = re.compile(rb"[^\0]")


def find_stems(data: bytes) -> Iterator[tuple[int, int]]:
    """Return where stems may begin, in order, and which ones."""
    if is_worth(len(data), secrets=True):
        yield from find_stems_in_pairs(data)
        return
    yield from _find_signs(data)
    for at in range(0, len(data), PIECE):
        # Three bytes more, so that a stem across the border is found, too; and an end for the last.
        piece = data[at : at + PIECE + 3] + b"\n" * (at + PIECE + 3 > len(data))
        yield from _with_integers(piece, at)


def _with_integers(piece: bytes, offset: int) -> Iterator[tuple[int, int]]:
    one, two, three, four = (int.from_bytes(piece.translate(table), "little") for table in _TABLES)
    together = one & (two >> 8) & (three >> 16) & (four >> 24)
    if not together:
        return
    found = together.to_bytes(len(piece), "little")
    for each in _FOUND.finditer(found):
        yield each.start() + offset, found[each.start()]


def _find_signs(data: bytes) -> Iterator[tuple[int, int]]:
    """Return the same result as the numpy tables, computed sequentially."""
    for at in find_name_places(data):
        yield at, FOREIGN
    for shared, words in WORDS_BY_SHARED:
        for word, rare in words if shared in data else ():
            for at in _find_places(data, word):
                yield at + rare, CALL
    for sign in (b"1b[", b"1B[", b"33[", b"\\e["):
        for at in _find_places(data, sign):
            yield at, COLOUR
    for at in _find_places(data, b"%"):
        yield at, BY_NUMBER


def _find_places(data: bytes, sign: bytes) -> Iterator[int]:
    at = data.find(sign)
    while at >= 0:
        yield at
        at = data.find(sign, at + 1)
