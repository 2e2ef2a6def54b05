"""Decode JSON bytes: fast when they are plain, exact and tolerant when they are not."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from talktree.text.json.scanner import DEEP, NodeKind, Problem, scan_values
from talktree.text.json.value import REFUSALS, Json

_decoder = msgspec.json.Decoder()
_encode = msgspec.json.encode
_plain_encode = msgspec.json.Encoder().encode
_LONG_NUMBER = re.compile(rb"[:,\[\s]-?[0-9]{16,}[\s,}\]]")
DIGITS = bytes(0x30 if 0x30 <= byte <= 0x39 else 0x20 for byte in range(256))
"""A table that maps every digit to 0 and all other bytes to a blank, to find long numbers
quickly."""
LONG = b"0" * 16
PIECE = 1 << 18
"""How much of a text is processed at a time."""
SHORT = 1 << 16
"""Texts up to this size that are not plain are cached: reading, checking, showing and repairing a
file decode its few broken records repeatedly."""
MOST_KNOWN = 64
REMEMBERED = 4 << 20
"""Of longer texts up to this size, only the last is cached: a single record may be decoded for each
of its findings, which takes seconds if it is nested very deeply."""
_STRINGS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


class Decoded(NamedTuple):
    """A value, and what was odd about its text."""

    value: Json
    problems: list[Problem]
    usable: bool
    """False if there was no value, several, or a truncated one."""


def decode(raw: bytes) -> Decoded:
    """Return the one value in the text, without oddities that the fast path accepts silently."""
    try:
        return Decoded(_decoder.decode(raw), [], True)
    except REFUSALS:
        return _decode_tolerantly(raw)


def peek(raw: bytes) -> Decoded:
    """Return a value that is only read: it is shared and must not be changed."""
    try:
        return Decoded(_decoder.decode(raw), [], True)
    except REFUSALS:
        return _decode_cached(raw)


def inspect(raw: bytes) -> list[Problem]:
    """Return everything that is odd about a text that should be one JSON value."""
    try:
        value = _decoder.decode(raw)
        # Encoding gives the same bytes only if nothing was dropped, so the slow search for
        # duplicate names is needed only where the text is not in that plain form.
        plain = _encode(value) == raw.strip(b"\r\n") or not _has_duplicate_keys(raw)
        if plain and not _has_long_number(raw):
            return []
    except (*REFUSALS, TypeError, UnicodeEncodeError):
        pass
    return _find_remembered_problems(raw)


def find_oddities(raw: bytes, value: Json) -> list[Problem]:
    """Return the oddities of a text that was decoded already."""
    try:
        again = _plain_encode(value)
    except (TypeError, UnicodeEncodeError, OverflowError, RecursionError):
        return _find_remembered_problems(raw)
    # Encoding gives the same bytes only if nothing was dropped; a line may end with a newline.
    plain = raw.startswith(again) and len(raw) - len(again) <= len(b"\r\n")
    del again
    if (
        (plain or not _has_duplicate_keys(raw))
        and not _has_long_number(raw)
        and not _can_be_deep(raw)
    ):
        return []
    return _find_remembered_problems(raw)


def _can_be_deep(raw: bytes) -> bool:
    """Whether there are enough brackets outside strings; counting single bytes is very fast."""
    if raw.count(b"[") + raw.count(b"{") <= DEEP:
        return False
    bare = _STRINGS.sub(b"", raw)
    return bare.count(b"[") + bare.count(b"{") > DEEP


def _has_long_number(raw: bytes) -> bool:
    digits = (raw[at : at + PIECE + len(LONG)] for at in range(0, len(raw), PIECE))
    return any(LONG in each.translate(DIGITS) for each in digits) and bool(_LONG_NUMBER.search(raw))


def _find_remembered_problems(raw: bytes) -> list[Problem]:
    return list(_decode_cached(raw).problems)


def _decode_tolerantly(raw: bytes) -> Decoded:
    if len(raw) > REMEMBERED:
        return _scan_and_decode(raw)
    value, problems, usable = _decode_cached(raw)
    return Decoded(_copy_value(value), list(problems), usable)


_last: dict[bytes, Decoded] = {}


def _decode_cached(raw: bytes) -> Decoded:
    """Return the decoded text; it is shared, so it must not be changed."""
    if len(raw) <= SHORT:
        return _decode_known(raw)
    if len(raw) > REMEMBERED:
        return _scan_and_decode(raw)
    key = blake2b(raw, digest_size=16).digest()
    found = _last.get(key)
    if found is None:
        found = _scan_and_decode(raw)
        _last.clear()
        _last[key] = found
    return found


@lru_cache(maxsize=MOST_KNOWN)
def _decode_known(raw: bytes) -> Decoded:
    return _scan_and_decode(raw)


def _copy_value(value: Json) -> Json:
    """Return a copy that can be changed without changing the cache."""
    top: list[Json] = [value]
    pending: list[list[Json] | dict[str, Json]] = [top]
    while pending:
        holder = pending.pop()
        for at, each in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(each, dict | list):
                holder[at] = fresh = each.copy()  # type: ignore[index]
                pending.append(fresh)
    return top[0]


def _scan_and_decode(raw: bytes) -> Decoded:
    found = scan_values(raw)
    if len(found.roots) != 1:
        return Decoded(None, found.problems or [Problem("syntax", 0, "no JSON value")], False)
    problems = found.problems
    if not found.complete and not any(problem.code == "torn" for problem in problems):
        problems.append(Problem("torn", len(raw), "the text ends inside a value"))
    root = found.roots[0]
    # An unknown word is not a value, even on its own.
    junk = root.kind is NodeKind.SCALAR and any(problem.code == "syntax" for problem in problems)
    return Decoded(root.value, problems, found.complete and not junk)


class _RepeatedKey(Exception):
    pass


def _has_duplicate_keys(raw: bytes) -> bool:
    try:
        json.loads(raw, object_pairs_hook=_refuse_doubles)
    except (_RepeatedKey, ValueError, RecursionError):
        return True
    return False


def _refuse_doubles(pairs: list[tuple[str, Json]]) -> None:
    if len(pairs) > 1 and len({name for name, _ in pairs}) < len(pairs):
        raise _RepeatedKey
