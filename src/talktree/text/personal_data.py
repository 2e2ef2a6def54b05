"""Personal data in texts: addresses, numbers with check digits, and user names in paths."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from talktree.text.bank_accounts import find_bank_accounts
from talktree.text.phone_numbers import find_phone_numbers


class PersonalData(NamedTuple):
    """Personal data and its place in a text."""

    start: int
    stop: int
    what: str


_MAIL = re.compile(
    r"(?<![\w.+-])(?:(?:[odl]|mc)'(?=\w))?[\w.+-]{1,64}(?:@|%40)"
    r"(?:[^\W_](?:[\w-]{0,62})\.){1,8}[^\W\d_]{2,24}(?![\w@-])",
    re.IGNORECASE,
)
_NO_PERSON = re.compile(
    r"(?i)^(?:git|noreply|no-reply|root|npm|postmaster|support|info)@|@(?:example\.(?:com|org|net)|"
    r"users\.noreply\.github\.com|localhost)$|\.(?:png|jpe?g|svg|gif|css|js|ts|py)$"
)
_CARD = re.compile(
    r"(?<![\w.-])[3-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{3,7}(?![\w-]|\.\w)"
    r"|(?<![\w.-])3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}(?![\w-])"
)
_SSN = re.compile(r"(?<![\w-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![\w-])")
_CALLED_SSN = re.compile(
    r"(?i)(?<![a-z])(?:ssn|social security(?: number| no\.?)?)[\"']?[ \t:#=]{1,3}[\"']?"
    r"((?!000|666|9)[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4})(?![\w-])"
)
_OTHER_NUMBER = re.compile(r"(?i)(?:imei|iccid|meid|serial(?: number| no\.?)?)[^\w\n]{0,6}\Z")
"""A number with one of these labels is not a card number, though its check digit may be valid."""
_NINO = re.compile(
    r"(?<!\w)(?![DFIQUV])[A-Z](?![DFIQUVO])[A-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D](?!\w)"
)
_TAX_ID = re.compile(r"(?<![\w.])[1-9][0-9](?: ?[0-9]{3}){3}(?![\w.])")
_INSEE = re.compile(
    r"(?<!\w)[12] ?[0-9]{2} ?(?:0[1-9]|1[0-2]|[2-9][0-9]) ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} "
    r"?[0-9]{3} ?[0-9]{2}(?!\w)"
)
_DNI = re.compile(r"(?<![\w-])(?:[0-9]{8}|[XYZ]-?[0-9]{7})-?[A-HJ-NP-TV-Z](?![\w-])")
_FISCAL = re.compile(r"(?<!\w)[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z](?!\w)")
_PESEL = re.compile(r"(?<!\w)[0-9]{11}(?!\w)")
_NO_USER = (
    "(?!(?:Shared|Public|Default|runner|user|linuxbrew|node|ubuntu|debian|ec2-user|vagrant|pi|root|app"
    "|git|jenkins|gitpod|codespace|vscode|circleci|travis|admin|coder|www-data|jovyan)(?![\\w.-]))"
)
_HOME = re.compile(
    rf"(?:/home/|/Users/|[A-Za-z]:(?P<slash>\\{{1,4}}|/)Users(?:\\{{1,4}}|/)){_NO_USER}"
    r"([A-Za-z](?:[\w.-]{0,30}\w(?(slash)(?: [\w.-]{1,24}){0,2}(?=[\\/])|))?"
    r"|[A-Za-z][\w.-]{0,30}\w|[A-Za-z])"
    rf"|(?<![\w])-(?:home|Users)-(?!user[-/]|runner[-/]|Shared[-/]|Public[-/]|root[-/]|node[-/]|ubuntu[-/]){_NO_USER}([A-Za-z][\w.]{{0,31}})"
)
_ADDRESS = re.compile(r"(?<![\w+])(?!file|sftp|ssh|vscode)[a-z][a-z+]{1,12}://[^\s\"'<>()]*\Z")
_LISTED = r"(?m:^)(?P<mode>[-dlbcps][-rwxsStT]{9}[.+@]?[ ]+[0-9]+[ ]+)"
"""A line of `ls -l` up to the owner of a file."""
_SPACES = str.maketrans(dict.fromkeys("\u00a0\u2007\u2009\u202f", " "))


_MOST_NAMES = 16
"""More names than that are not names of users of this computer."""


def find_personal_data(text: str) -> Iterator[PersonalData]:
    """Return the personal data in a text, in order, without overlaps."""
    text = text.translate(_SPACES) if not text.isascii() else text
    found = [each for look in _LOOKS for each in look(text)]
    at = 0
    for each in sorted(found, key=lambda one: (one.start, -one.stop)):
        if each.start >= at:
            yield each
            at = each.stop


def _find_mail(text: str) -> Iterator[PersonalData]:
    if "@" not in text and "%40" not in text:
        return
    for found in _MAIL.finditer(text):
        if not _NO_PERSON.search(found.group().replace("%40", "@")):
            yield PersonalData(*found.span(), "mail address")


def _find_home_names(text: str) -> Iterator[PersonalData]:
    names: set[str] = set()
    for found in _HOME.finditer(text):
        if found.group().startswith("/") and _ADDRESS.search(
            text, max(0, found.start() - 200), found.start()
        ):
            continue
        group = found.lastindex if found.lastindex == _HOME.groups else 2
        names.add(found.group(group))
        yield PersonalData(*found.span(group), "user name")
    if names and len(names) <= _MOST_NAMES and ("@" in text or "rw" in text):
        yield from _find_names_elsewhere(text, names)


def _find_names_elsewhere(text: str, names: set[str]) -> Iterator[PersonalData]:
    """Yield user names, known from paths, in prompts and as the owners of files."""
    either = "|".join(re.escape(name) for name in sorted(names))
    prompt = rf"(?<![\w.-])(?P<at>{either})(?=@[\w.-]{{1,64}}(?:[:\]] ?[~/\]]|[ ][~/]))"
    listed = rf"{_LISTED}(?P<owner>{either})(?=[ ])(?:[ ]+(?P<group>{either})(?=[ ]))?"
    for found in re.finditer(f"{prompt}|{listed}", text):
        for group in ("at", "owner", "group"):
            if found[group] is not None:
                yield PersonalData(*found.span(group), "user name")


def _find_phone(text: str) -> Iterator[PersonalData]:
    for span in find_phone_numbers(text):
        yield PersonalData(*span, "phone number")


def _find_social(text: str) -> Iterator[PersonalData]:
    for found in _CALLED_SSN.finditer(text):
        yield PersonalData(*found.span(1), "US social security number")


def _find_account(text: str) -> Iterator[PersonalData]:
    for span in find_bank_accounts(text):
        yield PersonalData(*span, "bank account")


def _make_checked_finder(
    pattern: re.Pattern[str], what: str, check: Callable[[str], bool]
) -> Callable[[str], Iterator[PersonalData]]:
    def look(text: str) -> Iterator[PersonalData]:
        """Yield what matches the pattern and its check digits."""
        for found in pattern.finditer(text):
            if what == "card number" and _OTHER_NUMBER.search(
                text, max(0, found.start() - 24), found.start()
            ):
                continue
            if check(re.sub(r"[ -]", "", found.group())):
                yield PersonalData(*found.span(), what)

    return look


def is_card(number: str) -> bool:
    """Whether the check digit of a card number is valid (Luhn)."""
    digits = [int(each) for each in reversed(number)]
    total = sum(digits[0::2]) + sum(sum(divmod(2 * each, 10)) for each in digits[1::2])
    return 13 <= len(digits) <= 19 and total % 10 == 0 and len(set(digits)) > 1


def is_tax_id(number: str) -> bool:
    """Whether it is a German tax number: a valid check digit, and one repeated digit."""
    counts = sorted(number[:10].count(each) for each in set(number[:10]))
    if counts[-1] not in (2, 3) or sum(count > 1 for count in counts) != 1:
        return False
    product = 10
    for each in number[:10]:
        total = (int(each) + product) % 10 or 10
        product = 2 * total % 11
    return (11 - product) % 10 == int(number[10])


def is_insee(number: str) -> bool:
    """Whether the last two digits of a French number are valid."""
    plain = number.replace("2A", "19").replace("2B", "18")
    return plain.isdigit() and len(plain) == 15 and 97 - int(plain[:13]) % 97 == int(plain[13:])


def is_dni(number: str) -> bool:
    """Whether the letter of a Spanish number is valid."""
    digits = number[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == number[-1]


_ODD = dict(zip("0123456789", (1, 0, 5, 7, 9, 13, 15, 17, 19, 21), strict=True)) | dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (
            1,
            0,
            5,
            7,
            9,
            13,
            15,
            17,
            19,
            21,
            2,
            4,
            18,
            20,
            11,
            3,
            6,
            8,
            12,
            14,
            16,
            10,
            22,
            25,
            24,
            23,
        ),
        strict=True,
    )
)


def is_fiscal_code(code: str) -> bool:
    """Whether the last letter of an Italian code is valid."""
    odd = sum(_ODD[each] for each in code[0:15:2])
    even = sum(int(each) if each.isdigit() else ord(each) - 65 for each in code[1:15:2])
    return chr((odd + even) % 26 + 65) == code[15]


def is_pesel(number: str) -> bool:
    """Whether the last digit and the month of a Polish number are valid."""
    weights = (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)
    total = sum(int(each) * weight for each, weight in zip(number, weights, strict=False))
    month, day = int(number[2:4]) % 20, int(number[4:6])
    return (10 - total % 10) % 10 == int(number[10]) and 1 <= month <= 12 and 1 <= day <= 31


def _is_not_empty(number: str) -> bool:
    return bool(number)


_LOOKS: tuple[Callable[[str], Iterator[PersonalData]], ...] = (
    _find_mail,
    _find_home_names,
    _make_checked_finder(_CARD, "card number", is_card),
    _find_account,
    _find_social,
    _make_checked_finder(_SSN, "US social security number", _is_not_empty),
    _make_checked_finder(_NINO, "UK insurance number", _is_not_empty),
    _make_checked_finder(_INSEE, "French insurance number", is_insee),
    _make_checked_finder(_TAX_ID, "German tax number", is_tax_id),
    _make_checked_finder(_DNI, "Spanish identity number", is_dni),
    _make_checked_finder(_FISCAL, "Italian tax code", is_fiscal_code),
    _make_checked_finder(_PESEL, "Polish identity number", is_pesel),
    _find_phone,
)
