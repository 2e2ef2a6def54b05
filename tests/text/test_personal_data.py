"""Personal data in its usual spellings, and text that only looks like it."""

from __future__ import annotations

import pytest

from talktree.text.personal_data import find_personal_data

PHONES = [
    "+49 30 12345678",
    "+49 (0)30 123456-78",
    "+49/171/1234567",
    "0049 171 1234567",
    "(030) 12345678",
    "030/1234567",
    "030 123 456 78",
    "0171-1234567",
    "+1 415 555 2671",
    "1-415-555-2671",
    "+1.415.555.2671",
    "(415) 555-2671",
    "415.555.2671",
    "+44 (0)20 7946 0958",
    "020 7946 0958",
    "07911 123456",
    "01 42 68 53 00",
    "01.42.68.53.00",
    "+33 (0)1 42 68 53 00",
    "+39 06 1234 5678",
    "044 668 18 00",
    "8 (495) 123-45-67",
    "+86 138 0013 8000",
    "+55 (11) 91234-5678",
    "(11) 91234-5678",
    "tel:+4930123456",
    "Phone: 4155552671",
    "Mobil: 0171 12 34 567",
    '"phone": "01711234567"',
]
ACCOUNTS = [
    "DE89370400440532013000",
    "DE89 3704 0044 0532 0130 00",
    "de89 3704 0044 0532 0130 00",
    "de89370400440532013000",
    "DE89-3704-0044-0532-0130-00",
    "DE89.3704.0044.0532.0130.00",
    "GB82 WEST 1234 5698 7654 32",
    "gb82west12345698765432",
    "FR14 2004 1010 0505 0001 3M02 606",
    "NO93 8601 1117 947",
    "BE68 5390 0754 7034",
]
OTHERS = [
    "2026-03-02 10:11:12",
    "20260302101112",
    "1700000000123",
    "1.2.3",
    "1.20.300.4000",
    "127.0.0.1",
    "192.168.100.200",
    "3fa85f64-5717-4562-b3fc-2c963f66afa6",
    "d670460b4b4aece5915caf5c68d12f560a9fe3e4",
    "line 1234567",
    "12 34 56 78",
    "0123 4567",
    "00 11 22 33 44 55",
    "00:1A:2B:3C:4D:5E",
    "01 02 03 04 05 06 07 08",
    "@@ -100,200 +100,250 @@",
    "1,234,567.89",
    "02.03.2026 10:11",
    "rgb(120, 130, 140)",
    "translate(100 200)",
    "-rw-r--r-- 1 root root 1234567 Mar 2",
    "0644 12345678",
    "0755 1234567",
    "ISBN 978-3-16-148410-0",
    "1 2 3 4 5 6 7 8 9 10",
    "(100) 200",
    "chunk 030 of 120",
    "2024-11-05-1234567",
    "1024 2048 4096 8192",
    "ticket 2025-123-4567",
    "7.01.42.68.53.00",
    "GB82WEST12345698765433",
    "de12 abcd efgh 1234 5678",
    "call 2026-03-02",
    "calls: 12345678901234567",
]


@pytest.mark.parametrize("number", [*PHONES, *ACCOUNTS])
def test_numbers_are_found_in_every_spelling(number: str) -> None:
    text = f"see {number}, please"
    found = "".join(text[each.start : each.stop] for each in find_personal_data(text))
    digits = [each for each in number if each.isdigit()]
    assert [each for each in found if each.isdigit()] == digits


@pytest.mark.parametrize("text", OTHERS)
def test_dates_versions_and_ids_are_not_personal(text: str) -> None:
    for line in (text, f"see {text} there", f"{text}\n"):
        assert not [line[each.start : each.stop] for each in find_personal_data(line)]


@pytest.mark.parametrize("piece", ["+1 ", "0171 ", "(030) ", "DE89 ", "tel: 1", "01.42.", "1-"])
def test_the_search_for_numbers_ends(piece: str) -> None:
    list(find_personal_data(piece * ((1 << 16) // len(piece))))


SPELLED = (
    ("/home/max-power/x", "max-power"),
    ("/Users/anna-berg/src", "anna-berg"),
    ("C:\\Users\\Anna Berg\\x", "Anna Berg"),
    ("C:\\Users\\anna\\x", "anna"),
    ("mail o'neil@firma.ie", "o'neil@firma.ie"),
    ("4111\xa01111\xa01111\xa01111", "4111\xa01111\xa01111\xa01111"),
    ("DE89\xa03704\xa00044\xa00532\xa00130\xa000", "DE89\xa03704\xa00044\xa00532\xa00130\xa000"),
    ("+49\xa0171\xa01234567", "+49\xa0171\xa01234567"),
    ("Kartennummer 4111111111111111.", "4111111111111111"),
    ("jürgen@müller-bau.de", "jürgen@müller-bau.de"),
    ("eva%40firma.de", "eva%40firma.de"),
    ("SSN: 536904399", "536904399"),
    ("SSN 536 90 4399", "536 90 4399"),
    ("wa.me/491711234567", "491711234567"),
    ("cd /home/eva1/x\neva1@laptop:~$ ls", "eva1"),
    ("-home-eva-project", "eva"),
    ("/home/eva", "eva"),
    ("/home/eva.", "eva"),
    ("C:/Users/eva/x", "eva"),
)
NOT_PERSONAL = (
    "01-02-03-04-05",
    "0069 0307 0301",
    "IMEI 490154203237518",
    "/home/node",
    "/home/ubuntu/x",
    "https://x.example/home/about",
    "user@1.2.3",
    "foo@bar",
    "npm i a@latest",
    "-home-user-x",
)


@pytest.mark.parametrize(("text", "held"), SPELLED)
def test_personal_data_is_found_whole(text: str, held: str) -> None:
    assert held in [text[each.start : each.stop] for each in find_personal_data(text)]


@pytest.mark.parametrize("text", NOT_PERSONAL)
def test_accounts_of_programs_and_other_numbers_stay(text: str) -> None:
    assert not [text[each.start : each.stop] for each in find_personal_data(text)]


def test_a_name_from_a_path_is_found_in_prompts_and_lists() -> None:
    text = "/home/eva1/x\neva1@laptop:~$ ls -l\n-rw-r--r-- 1 eva1 eva1 12 Mar 3 a\nbob@laptop:~$\n"
    assert len(list(find_personal_data(text))) == 4
