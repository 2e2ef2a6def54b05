"""Bank account numbers (IBAN): grouped, with dashes or dots, in either case."""

from __future__ import annotations

import re
from collections.abc import Iterator

_COUNTRIES = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 "
    "DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 "
    "IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 "
    "MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19 "
    "SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 "
)
_LENGTHS = {each[:2]: int(each[2:]) for each in _COUNTRIES.split()}
"""The length of such a number in each country."""
_HEAD = re.compile(r"(?<![A-Za-z0-9_])([A-Za-z]{2})[0-9]{2}(?=[ .-]?[A-Za-z0-9]{2})")
_BODY = re.compile(r"(?:[ .\u00a0-]?[A-Za-z0-9])+")
_LEAST_DIGITS = 8


def find_bank_accounts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of bank account numbers with valid check digits."""
    for head in _HEAD.finditer(text):
        length = _LENGTHS.get(head.group(1).upper())
        if length is None:
            continue
        stop = _find_end(text, head.start(), length)
        number = re.sub(r"[^A-Za-z0-9]", "", text[head.start() : stop])
        if stop and sum(map(str.isdigit, number)) >= _LEAST_DIGITS and is_iban(number):
            yield head.start(), stop


def _find_end(text: str, start: int, length: int) -> int:
    """Return where a number of letters and digits ends, with at most one sign between two; else
    0."""
    found = _BODY.match(text, start, start + 2 * length)
    if found is None:
        return 0
    count = 0
    for at, each in enumerate(found.group(), start):
        count += each.isalnum()
        if count == length:
            behind = text[at + 1 : at + 2]
            return 0 if behind.isalnum() or behind == "_" else at + 1
    return 0


def is_iban(number: str) -> bool:
    """Whether it has the length of its country and valid check digits."""
    if len(number) != _LENGTHS.get(number[:2].upper()) or not number.isascii():
        return False
    return int("".join(str(int(each, 36)) for each in number[4:] + number[:4])) % 97 == 1
