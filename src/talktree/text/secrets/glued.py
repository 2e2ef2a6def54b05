"""Keys that are glued to other text: `backup_ghp_…_old`, `mysk-ant-api03-…`.

Inside runs, only prefixes that end with a dash are searched for, since others occur in words. The
text after it must be clearly random, because there are no delimiters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from string import ascii_letters, digits

from talktree.text.secrets.entropy import is_made_up, is_random
from talktree.text.secrets.patterns import DOCUMENTED, STARTING, Found, SecretKind, iterate_rows

_END = rb"(?![A-Za-z0-9_-])"
_ALNUM = frozenset((ascii_letters + digits).encode())
SURE = 4
"""A prefix of this length needs nothing before it, a shorter one a sign."""


def _group_by_tail() -> dict[bytes, list[tuple[bytes, SecretKind]]]:
    """Group the kinds of keys by the last characters of their prefixes; longer prefixes first."""
    found: dict[bytes, list[tuple[bytes, SecretKind]]] = {}
    for start, known in iterate_rows():
        begin = start.encode()
        if begin[-1:] in (b"_", b"-") and len(begin) >= STARTING:
            found.setdefault(begin[-3:], []).append((begin, known))
    for each in found.values():
        each.sort(key=lambda one: -len(one[0]))
    return found


BY_TAIL = _group_by_tail()
"""By the last two characters before a dash, and the dash."""
TAIL = 2
_BLOB_SIZE = 64
"""After this much of a run, a prefix is there by chance: the run is a file or a signature."""
_BLOB = re.compile(rb"[\w-]{%d}" % _BLOB_SIZE)


@cache
def _inside_pattern(dash: bytes) -> re.Pattern[bytes]:
    tails = sorted(tail[:2] for tail in BY_TAIL if tail.endswith(dash))
    either = b"|".join(map(re.escape, dict.fromkeys(tails)))
    return re.compile(rb"%b(?<=(?:%b)%b)(?=[\w-]{19})" % (dash, either, dash))


@cache
def _loosen_pattern(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern.removesuffix(_END))


def find_glued_keys(data: bytes, dashes: Iterable[int] | None = None) -> Iterator[Found]:
    """Return the keys that begin inside a run or are followed by more of it; the dashes that
    something long follows may be given."""
    if dashes is not None:
        for at in dashes:
            found = _find_key(data, at + 1)
            if found is not None:
                yield found
        return
    for dash in (b"_", b"-"):
        for place in _inside_pattern(dash).finditer(data):
            found = _find_key(data, place.end())
            if found is not None:
                yield found


def _find_key(data: bytes, at: int) -> Found | None:
    for begin, known in BY_TAIL.get(data[at - 3 : at], ()):
        start = at - len(begin)
        if start < 0 or not data.startswith(begin, start):
            continue
        if len(begin) < SURE and start and data[start - 1] in _ALNUM:
            continue
        if _BLOB.fullmatch(data, max(0, start - _BLOB_SIZE), start) is not None:
            return None
        found = _loosen_pattern(known.pattern).match(data, start)
        if found is None or found.group() in DOCUMENTED:
            continue
        body = found.group(1)
        if is_random(body) and not is_made_up(body):
            return known.kind, start, found.end(), known.what
    return None
