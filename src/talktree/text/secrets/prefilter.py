"""Which long runs need a closer check for a secret: by their first bytes and the text before them.

Nearly all long runs are names and ids, so most of them are only looked up in tables.
"""

from __future__ import annotations

import re
from string import ascii_letters, digits

from talktree.text.char_classes import LONG
from talktree.text.secrets.patterns import BETWEEN, BY_START, ENDS, STARTING

LEAD = 9
"""How much text before a run is checked: the end of a name, and what follows it."""
MOST_SEEN = 1 << 16
ESCAPE, BY_NUMBER, SLASH, PLUS = b"\\u/+"
DOT, _COLON, _SPACE = b".: "
DASH, UNDERSCORE = b"-_"
TELLING = b"\\/+.: \"'`=>"
"""Characters directly before a run that make its context relevant; after others only its start
is."""
SENDGRID = b"SG."
WITH_DOT = (
    *(b"ya29.", b"hvs.", b"hvb.", b"hvr.", b"atlasv1.", SENDGRID, b"t0c01.", b"t0s01.", b"pat."),
    *(b"sat.", b"dp.pt.", b"dp.st.", b"dp.ct.", b"dp.sa."),
)
"""Prefixes of secrets that end with a dot."""
_SHORT = re.compile(rb"(?:(?<![\w.])(?:s|sl|sl\.u|[st]k|v1|t1)|(?<!\w)pat[A-Za-z0-9]{14})\.\Z")
"""The same, if they are at a word boundary."""
BASE64 = (ascii_letters + digits + "+/").encode()
DOPPLER_SIGN = b"dp.st."
DOPPLER_BODY = 40
"""Minimum length of its last run."""
_AHEAD = len(DOPPLER_SIGN) + 36
"""How much of it comes before its last run."""
_AN_END = next(iter(ENDS))
STARTS_OF_STARTS = frozenset(start[:2] for start in BY_START)


def can_be_secret_at(data: bytes, start: int) -> bool:
    """Whether a run that starts here needs a closer check."""
    if start < LEAD:
        return True
    hinted = _HINTS[data[start - 2 : start + 2]]
    if hinted == BY_LEAD:
        return _LEADS[data[start - LEAD : start]]
    return hinted == CLOSER and _is_worth_looking(data, start)


def forget_rare_hints() -> None:
    """Limit the size of the lookup caches."""
    for known in (_HINTS, _LEADS):
        if len(known) > MOST_SEEN:
            known.clear()


NOTHING, CLOSER, BY_LEAD = range(3)
"""The results of a hint: nothing is there, a closer check is needed, the text before decides."""


class _Hints(dict[bytes, int]):
    """Hints for the four bytes around the start of a run, computed on first use."""

    def __missing__(self, around: bytes) -> int:
        details = self[around] = compute_hint(around)
        return details


class _Leads(dict[bytes, bool]):
    """Whether the text before a run may be a name of secrets, computed on first use."""

    def __missing__(self, lead: bytes) -> bool:
        details = self[lead] = _can_be_named(lead)
        return details


_HINTS = _Hints()
_LEADS = _Leads()


def compute_hint(around: bytes) -> int:
    """Return the hint for a run, by two bytes before it and its first two."""
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
    """Whether a run needs a closer check, by its first bytes or by the text before it."""
    if data[start : start + STARTING] in BY_START:
        return True
    before = data[start - 1]
    if before == ESCAPE:
        # An escaped character belongs to the text before, so only the start of the run decides.
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
    """Whether the end of a name of secrets, and what follows it, may be there."""
    name = lead.rstrip(BETWEEN)
    between = lead[len(name) :]
    if not between or between.isspace():
        return name[-6:].lower() == b"bearer" if between else False
    return len(name) < len(_AN_END) or name[-len(_AN_END) :].lower() in ENDS


def is_doppler_end(data: bytes, start: int) -> bool:
    """Whether a run may be the end of a token of Doppler."""
    return data[start - 1] == DOT and DOPPLER_SIGN in data[max(0, start - _AHEAD) : start]
