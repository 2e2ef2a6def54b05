"""Which long runs are worth a closer look for a secret: by how they start and what stands before.

Nearly all long runs are names and ids, so what most of them are made of is only looked up.
"""

from __future__ import annotations

import re
from string import ascii_letters, digits

from talktree.text.char_classes import LONG
from talktree.text.secrets.patterns import BETWEEN, BY_START, ENDS, STARTING

LEAD = 9
"""How much before a run tells whether to look closer: the end of a name, and what follows it."""
MOST_SEEN = 1 << 16
ESCAPE, BY_NUMBER, SLASH, PLUS = b"\\u/+"
DOT, _COLON, _SPACE = b".: "
TELLING = b"\\/+.: \"'`=>"
"""What may stand right before a run that tells something; behind others only its start does."""
SENDGRID = b"SG."
WITH_DOT = (
    *(b"ya29.", b"hvs.", b"hvb.", b"hvr.", b"atlasv1.", SENDGRID, b"t0c01.", b"t0s01.", b"pat."),
    *(b"sat.", b"dp.pt.", b"dp.st.", b"dp.ct.", b"dp.sa."),
)
"""What ends with a dot and tells of a secret."""
_SHORT = re.compile(rb"(?:(?<![\w.])(?:s|sl|sl\.u|[st]k|v1|t1)|(?<!\w)pat[A-Za-z0-9]{14})\.\Z")
"""The same, where it must be a word."""
BASE64 = (ascii_letters + digits + "+/").encode()
DOPPLER_SIGN = b"dp.st."
DOPPLER_BODY = 40
"""How long its last run is at least."""
_AHEAD = len(DOPPLER_SIGN) + 36
"""How much of it stands before its last run."""
_AN_END = next(iter(ENDS))
STARTS_OF_STARTS = frozenset(start[:2] for start in BY_START)


def can_be_secret_at(data: bytes, start: int) -> bool:
    """Whether a run that starts here is worth a closer look."""
    if start < LEAD:
        return True
    hinted = _HINTS[data[start - 2 : start + 2]]
    if hinted == BY_LEAD:
        return _LEADS[data[start - LEAD : start]]
    return hinted == CLOSER and _is_worth_looking(data, start)


def forget_rare_hints() -> None:
    """Keep what was looked up from growing with every text."""
    for known in (_HINTS, _LEADS):
        if len(known) > MOST_SEEN:
            known.clear()


NOTHING, CLOSER, BY_LEAD = range(3)
"""What a hint says: nothing is there, one must look closer, what stands before decides."""


class _Hints(dict[bytes, int]):
    """What the four bytes around the start of a run hint at, looked up where it can be."""

    def __missing__(self, around: bytes) -> int:
        details = self[around] = compute_hint(around)
        return details


class _Leads(dict[bytes, bool]):
    """Whether what stands before a run may be a name that only secrets have, looked up likewise."""

    def __missing__(self, lead: bytes) -> bool:
        details = self[lead] = _can_be_named(lead)
        return details


_HINTS = _Hints()
_LEADS = _Leads()


def compute_hint(around: bytes) -> int:
    """Whether a run may tell something, by two bytes before it and its first two."""
    earlier, before = around[0], around[1]
    if before == ESCAPE or around[2] in b"-_" or around[2:] in STARTS_OF_STARTS:
        return CLOSER
    if before in b"/+." or (before == _COLON and earlier in b"0123456789"):
        return CLOSER
    if before == _SPACE:
        return BY_LEAD if earlier in b":=>(rR" else NOTHING
    if before in b"\"'`":
        return BY_LEAD if earlier in b":=>(\\ " else NOTHING
    return BY_LEAD if before in b":=>" else NOTHING


def _is_worth_looking(data: bytes, start: int) -> bool:
    """Whether a run is worth a closer look, by how it starts or by what stands before it."""
    if data[start : start + STARTING] in BY_START:
        return True
    before = data[start - 1]
    if before == ESCAPE:
        # What is escaped belongs to the text before, so only how the run starts can tell.
        return data[start] == BY_NUMBER or data[start + 1 : start + 1 + STARTING] in BY_START
    if before in b"/+":
        # Nearly always the name of a file or folder.
        return before != SLASH or not data[start : start + LONG].islower()
    if before == DOT:
        return (
            data[start - LEAD : start].endswith(WITH_DOT)
            or _SHORT.search(data, max(0, start - 20), start) is not None
            or is_doppler_end(data, start)
        )
    if before == _COLON and data[start - 2] in b"0123456789":
        return True
    if data[start] in b"-_" and data[start : start + LEAD].lstrip(b"-_")[:STARTING] in BY_START:
        return True
    return _LEADS[data[start - LEAD : start]]


def _can_be_named(lead: bytes) -> bool:
    """Whether the end of a name may stand there that only secrets have, and what follows it."""
    name = lead.rstrip(BETWEEN)
    between = lead[len(name) :]
    if not between or between.isspace():
        return name[-6:].lower() == b"bearer" if between else False
    return len(name) < len(_AN_END) or name[-len(_AN_END) :].lower() in ENDS


def is_doppler_end(data: bytes, start: int) -> bool:
    """Whether a run may be the end of a token of Doppler."""
    return data[start - 1] == DOT and DOPPLER_SIGN in data[max(0, start - _AHEAD) : start]
