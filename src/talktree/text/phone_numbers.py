"""Phone numbers in the notation of several countries, excluding dates, versions, ids and file
modes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_FEWEST, _MOST = 8, 15
"""Minimum and maximum number of digits."""
_BEFORE = r"(?<![\w+./#@-])(?<![0-9][ ,:])"
_BEHIND = r"(?![\w@]|[-/:][0-9]|\.[0-9]| [0-9]{2,}(?:[ .,]|\Z))"
_COUNTRY = (
    r"(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|7|8[1246]|9[0-58]|2[1-689][0-9]|3[578][0-9]|42[0-9]"
    r"|5[09][0-9]|6[7-9][0-9]|8[0578][0-9]|9[679][0-9])"
)
"""International country codes."""
_FORMS = (
    # +49 (0)30 123456-78, +1.415.555.2671, 0049 171 1234567
    r"(?:\+[1-9][0-9]{0,2}|00" + _COUNTRY + r"(?=[ ./-]))[ ./-]?(?:\(0?[0-9]{1,4}\)[ ./-]?)?"
    r"(?:[0-9]{1,5}[ ./-]?){1,5}[0-9]{2,8}",
    # (030) 12345678
    r"\(0[1-9][0-9]{0,4}\)[ /-]?[0-9]{2,8}(?:[ -][0-9]{1,5}){0,3}",
    # 030/1234567, 020 7946 0958, 044 668 18 00
    r"0(?!(?:4[04]0|4[04]4|555|6[046]0|6[046]4|666|7[05]0|7[05]5|77[57]) )[1-9][0-9]{1,4}"
    r"(?: ?/ ?|[ -])[0-9]{2,8}(?:[ -][0-9]{2,5}){0,4}",
    # 01 42 68 53 00
    r"0[1-9](?:(?: [0-9]{2}){4}|(?:\.[0-9]{2}){4}|(?:-[0-9]{2}){4})",
    # (415) 555-2671, 1-415-555-2671, 415.555.2671
    r"\([2-9][0-9]{2}\) ?[2-9][0-9]{2}[ .-][0-9]{4}",
    r"(?:1-)?[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}",
    r"(?:1\.)?[2-9][0-9]{2}\.[2-9][0-9]{2}\.[0-9]{4}",
    # 8 (495) 123-45-67, (11) 91234-5678
    r"[78] ?\([0-9]{3}\) ?[0-9]{3}[ -][0-9]{2}[ -][0-9]{2}",
    r"\([1-9][0-9]\) ?9?[0-9]{4}-[0-9]{4}",
)
_NUMBER = re.compile(f"{_BEFORE}(?:{'|'.join(_FORMS)}){_BEHIND}")
_CALLED = re.compile(
    r"(?i)(?<![a-z])(?:tel(?:efon|ephone|éfono|efono|éphone|efone)?|phone|mobile?|handy|cell|fax|fon"
    r"|call|whatsapp|sms|rufnummer|telefonnummer|portable|móvil|cellulare|celular)(?:[ _-]?"
    r"(?:number|nummer|nr|no))?[\"']?[.:=]{0,2} {0,2}[\"']?"
    r"(\+?[0-9(][0-9 ()./-]{5,20}[0-9])(?![\w.:/-])"
)
"""After a label for phone numbers, any notation is accepted."""
_LINKED = re.compile(r"(?:wa\.me/|whatsapp\.com/send/?\?phone=)(\+?[1-9][0-9]{7,14})(?![0-9])")
_GROUP = re.compile(r"[0-9]+")
_DATE = re.compile(r"(?:19|20)[0-9]{2}[-./][0-9]{2}|[0-9]{1,2}[./][0-9]{1,2}[./](?:19|20)[0-9]{2}")
_DIGIT = re.compile(r"[0-9]")


def find_phone_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of phone numbers; some may be found twice."""
    for found in _NUMBER.finditer(text):
        fewest = _FEWEST if found.group()[0] in "+(" else _FEWEST + 1
        digits = len(_DIGIT.findall(found.group()))
        if fewest <= digits <= _MOST and not _is_counting(found.group()):
            yield found.span()
    for found in _CALLED.finditer(text):
        number = found.group(1)
        if _FEWEST <= len(_DIGIT.findall(number)) <= _MOST and _DATE.match(number) is None:
            yield found.span(1)
    if "wa.me/" in text or "whatsapp.com/" in text:
        for found in _LINKED.finditer(text):
            yield found.span(1)


def _is_counting(number: str) -> bool:
    """Whether its groups only count up, or are character codes."""
    groups = _GROUP.findall(number)
    steps = {int(two) - int(one) for one, two in pairwise(groups)}
    if len(groups) > 3 and len(steps) == 1 and steps < {0, 1}:
        return True
    return len(groups) > 1 and all(len(each) == 4 and each.startswith("0") for each in groups)
