"""Seals: the last member of a line, which reveals damage and missing lines.

`"seal":"<number>-<16 hex digits>"`: the number of the line in its file, and a hash of that number
and of the line without the seal.
"""

from __future__ import annotations

import re
from binascii import b2a_hex
from hashlib import blake2b
from typing import Literal, NamedTuple

from talktree.text.json.value import Json

MEMBER = "seal"
LONGEST = 48
"""Maximum length of a seal with its name, comma and brace."""

SEAL = re.compile(rb'([,{])"seal":"([1-9][0-9]{0,17})-([0-9a-f]{16})"\}')
_AT_END = re.compile(SEAL.pattern + rb"\Z")
# One changed bit breaks at most one of these, so a damaged seal is never taken for a missing one.
_NAME = re.compile(rb'"seal":"[0-9]')
_HASH = re.compile(rb'-[0-9a-f]{16}"\}\Z')
_TEXT = re.compile("[1-9][0-9]{0,17}-[0-9a-f]{16}")
_BLANK = b" \t\r\n"


class Verdict(NamedTuple):
    """The result of checking the seal of a line."""

    number: int | None
    state: Literal["good", "none", "broken"]


_NONE = Verdict(None, "none")


def seal_line(line: bytes, number: int, end: bytes = b"") -> bytes:
    """Return a line of JSON, one object, with its seal and the bytes that follow it."""
    if line[:1] != b"{" or line[-1:] != b"}" or b"\n" in line:
        raise ValueError("a line is one JSON object and has no line break")
    if len(line) < LONGEST and not line[1:-1].strip():
        return b'{"seal":"%d-%s"}%s' % (number, _hash_line(number, b"{}"), end)
    return b'%s,"seal":"%d-%s"}%s' % (line[:-1], number, _hash_line(number, line), end)


def _hash_line(number: int, line: bytes) -> bytes:
    return b2a_hex(blake2b(b"%d:%s" % (number, line), digest_size=8).digest())


def verify_seal(line: bytes) -> Verdict:
    """Check that a line is what was written, ignoring blanks around it."""
    line = line.strip(_BLANK)
    found = _AT_END.search(line, max(0, len(line) - LONGEST))
    if found is None:
        return _judge_unsealed(line)
    number = int(found[2])
    body = line[: found.start()] + b"}" if found[1] == b"," else b"{}"
    whole = found[1] == b"," or found.start() == 0
    good = whole and found[3] == _hash_line(number, body)
    return Verdict(number, "good" if good else "broken")


def _judge_unsealed(line: bytes) -> Verdict:
    tail = line[-LONGEST:]
    if _NAME.search(tail) or _HASH.search(tail):
        return Verdict(None, "broken")
    return _NONE


def read_number_at_end(tail: bytes) -> int | None:
    """Return the number in the seal at the end of some bytes, not verified, or None."""
    found = _AT_END.search(tail)
    return int(found[2]) if found else None


def without_seal(value: Json) -> Json:
    """Return the value of a line without its seal, which only holds for the original bytes."""
    if not isinstance(value, dict) or not is_seal(value.get(MEMBER)):
        return value
    return {name: item for name, item in value.items() if name != MEMBER}


def is_seal(value: Json) -> bool:
    """Whether the value of a member with this name is a seal."""
    return isinstance(value, str) and _TEXT.fullmatch(value) is not None
