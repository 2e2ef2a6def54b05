"""Secrets that are one run of letters, digits, `-` and `_`: keys and tokens.

Marks for such characters (`marks`) let long runs be found by one search at the speed of memory.
Only what a run starts with, or what stands before it, decides whether a pattern looks at it. So a
text without secrets costs two passes, however many kinds of keys are known.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from string import ascii_letters, digits

from talktree.text.marks import LONG, marked
from talktree.text.randomness import is_made_up, is_random, is_varied
from talktree.text.secret_kinds import (
    AWS,
    BY_END,
    BY_START,
    CLOUD_KEY,
    DOCUMENTED,
    DOCUMENTED_PIECES,
    LONGEST_BEGINNING,
    STARTING,
    Behind,
    Found,
    Known,
)
from talktree.text.secret_names import BETWEEN, ENDS, kind_of, named_before, value_at

SHORTEST = LONG
"""No key has a shorter run."""
FAR = 1 << 12
"""How far the start of something in base 64 is looked for at a time."""
LEAD = 9
"""How much before a run tells whether to look closer: the end of a name, and what follows it."""
MOST_SEEN = 1 << 16
BLOB = 200
"""What is longer in base 64 is a file or a signature, and holds keys only by chance."""
_BASE64 = (ascii_letters + digits + "+/").encode()
_BREAKS = b"\" \\',=:>\n"
_AWS_SECRET = re.compile(
    rb"(?:secret|SECRET|Secret)[A-Za-z_ \"'\\:=>-]{0,40}?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
)
_DOPPLER_SIGN = b"dp.st."
_DOPPLER = re.compile(rb"dp\.st\.[a-z0-9_-]{1,35}\.[A-Za-z0-9]{40,44}(?![\w-])")
"""With the name of its environment inside, it has no start of its own."""
_AHEAD = len(_DOPPLER_SIGN) + 36
"""How much of it stands before its last run."""
_AWS_NAMES = (b"ecret_access_key", b"ecretAccessKey")
_AWS_SETTING = b"ECRET_ACCESS_KEY"
_ESCAPE, _BY_NUMBER, _SLASH, _SPACE = 0x5C, 0x75, 0x2F, 0x20
_DOT, _COLON = 0x2E, 0x3A
_WITH_DOT = (b"ya29.", b"hvs.", b"atlasv1.", b"SG.", b"dp.pt.", b"dp.st.", b"dp.ct.", b"dp.sa.")
"""What ends with a dot and tells of a secret."""
_AN_END = next(iter(ENDS))
_STARTS_OF_STARTS = frozenset(start[:2] for start in BY_START)


def tokens(data: bytes, runs: list[int] | None = None) -> list[Found]:
    """The keys and tokens in a text, last first; where long runs start may be known already."""
    out: list[Found] = []
    last = len(data) + 1
    starts = _telling(data, marked(data).starts if runs is None else runs)
    for start in starts:
        if start + SHORTEST >= last:
            continue
        found = _token(data, start)
        if found is not None:
            out.append(found)
        elif data[start - 1] in b"/+":
            last = _continued(data, start, out)
    if any(found[3] == AWS for found in out) or _names_aws(data):
        out += _aws_secrets(data)
    if any(_ends_doppler(data, start) for start in starts):
        out += ((CLOUD_KEY, *each.span(), "a Doppler token") for each in _DOPPLER.finditer(data))
    return out


def _telling(data: bytes, starts: list[int]) -> list[int]:
    """Where runs start that are worth a closer look, last first."""
    first = bisect_left(starts, LEAD)
    for known in (_HINTS, _LEADS):
        if len(known) > MOST_SEEN:
            known.clear()
    hints, leads = _HINTS, _LEADS
    found = [
        start
        for start in starts[first:]
        if (hint := hints[data[start - 2 : start + 2]])
        and (leads[data[start - LEAD : start]] if hint == _BY_LEAD else _tells(data, start))
    ]
    return [*reversed(found), *starts[:first][::-1]]


_NOTHING, _CLOSER, _BY_LEAD = range(3)
"""What a hint says: nothing is there, one must look closer, what stands before decides."""


class _Hints(dict[bytes, int]):
    """What the four bytes around the start of a run hint at, looked up where it can be."""

    def __missing__(self, around: bytes) -> int:
        told = self[around] = _hint(around)
        return told


class _Leads(dict[bytes, bool]):
    """Whether what stands before a run may be a name that only secrets have, looked up likewise."""

    def __missing__(self, lead: bytes) -> bool:
        told = self[lead] = _may_be_named(lead)
        return told


_HINTS = _Hints()
_LEADS = _Leads()


def _hint(around: bytes) -> int:
    """Whether a run may tell something, by two bytes before it and its first two."""
    earlier, before = around[0], around[1]
    if before == _ESCAPE or around[2] in b"-_" or around[2:] in _STARTS_OF_STARTS:
        return _CLOSER
    if before in b"/+." or (before == _COLON and earlier in b"0123456789"):
        return _CLOSER
    if before == _SPACE:
        return _BY_LEAD if earlier in b":=>(rR" else _NOTHING
    if before in b"\"'`":
        return _BY_LEAD if earlier in b":=>(\\ " else _NOTHING
    return _BY_LEAD if before in b":=>" else _NOTHING


def _tells(data: bytes, start: int) -> bool:
    """Whether a run is worth a closer look, by how it starts or by what stands before it."""
    if data[start : start + STARTING] in BY_START:
        return True
    before = data[start - 1]
    if before == _ESCAPE:
        # What is escaped belongs to the text before, so only how the run starts can tell.
        return data[start] == _BY_NUMBER or data[start + 1 : start + 1 + STARTING] in BY_START
    if before in b"/+":
        # Nearly always the name of a file or folder.
        return before != _SLASH or not data[start : start + SHORTEST].islower()
    if before == _DOT:
        return data[start - LEAD : start].endswith(_WITH_DOT) or _ends_doppler(data, start)
    if before == _COLON and data[start - 2] in b"0123456789":
        return True
    if data[start] in b"-_" and data[start : start + LEAD].lstrip(b"-_")[:STARTING] in BY_START:
        return True
    return _LEADS[data[start - LEAD : start]]


def _may_be_named(lead: bytes) -> bool:
    """Whether the end of a name may stand there that only secrets have, and what follows it."""
    name = lead.rstrip(BETWEEN)
    between = lead[len(name) :]
    if not between or between.isspace():
        return name[-6:].lower() == b"bearer" if between else False
    return len(name) < len(_AN_END) or name[-len(_AN_END) :].lower() in ENDS


def _ends_doppler(data: bytes, start: int) -> bool:
    """Whether a run may be the end of a token of Doppler."""
    return data[start - 1] == _DOT and _DOPPLER_SIGN in data[max(0, start - _AHEAD) : start]


def _names_aws(data: bytes) -> bool:
    """Whether the secret half of a key of AWS is named somewhere."""
    # From the end it is looked for by its first letter, which is rare among capitals only.
    return data.rfind(_AWS_SETTING) >= 0 or any(name in data for name in _AWS_NAMES)


def _aws_secrets(data: bytes) -> Iterator[Found]:
    """What goes with an access key: in base 64, so it may hold no long run at all."""
    for each in _AWS_SECRET.finditer(data):
        start, stop = each.span(1)
        if is_random(each.group(1)) and not is_made_up(each.group(1)):
            yield CLOUD_KEY, start, stop, "an AWS secret key"


def _token(data: bytes, start: int) -> Found | None:
    """The secret that a run is by itself."""
    before = data[start - 1] if start else 0
    if before == _ESCAPE:
        # What is escaped belongs to the text before: `\n`, `\t`, a character by its number.
        start += 5 if data[start] == _BY_NUMBER else 1
    first = start
    if before != _ESCAPE and data[start] in b"-_" and before not in BY_END:
        lead = data[start : start + LONGEST_BEGINNING]
        start += len(lead) - len(lead.lstrip(b"-_"))
    for known in BY_START.get(data[start : start + 3], ()):
        found = _matched(data, start, known)
        if found is not None:
            return found
    if before in b"/+":
        return None
    behind = BY_END.get(before)
    return (behind and _behind(data, start, behind)) or _named(data, first)


def _continued(data: bytes, start: int, out: list[Found]) -> int:
    """A run that is a piece of a path or of something in base 64; returns where to go on."""
    if data[start : start + SHORTEST].islower():
        return start
    begin = _begin(data, start, BLOB + 1)
    if start - begin > BLOB:
        return _begin(data, start, FAR)
    found = _behind(data, start, BY_END[_SLASH])
    if found is None and (not begin or data[begin - 1] in _BREAKS):
        found = _named(data, begin)
    if found is not None:
        out.append(found)
    return start


def _begin(data: bytes, start: int, far: int) -> int:
    """Where something in base 64 begins that goes on here, if that is not too far away."""
    near = data[max(0, start - far) : start]
    return start - (len(near) - len(near.rstrip(_BASE64)))


def _named(data: bytes, start: int) -> Found | None:
    """A value that is secret because of its name."""
    name = named_before(data, start)
    stop = -1 if name is None else value_at(data, start)
    if name is None or stop < 0 or data[start:stop] in DOCUMENTED:
        return None
    kind, what = kind_of(name)
    return kind, start, stop, what


def _behind(data: bytes, start: int, kinds: Iterable[Behind]) -> Found | None:
    """A token that is known by what stands before it."""
    beginning = data[max(0, start - LONGEST_BEGINNING) : start]
    for sign, before, known in kinds:
        if sign in beginning and before.search(beginning) is not None:
            return _matched(data, start, known)
    return None


def _matched(data: bytes, start: int, known: Known) -> Found | None:
    found = known.match(data, start)
    if found is None or found.group() in DOCUMENTED:
        return None
    body = found.group(1)
    if is_made_up(body) or not is_varied(body):
        return None
    if any(piece in body for piece in DOCUMENTED_PIECES):
        return None
    return known.kind, start, found.end(), known.what
