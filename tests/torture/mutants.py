"""Files with random damage of all kinds, reproducible by their number."""

from __future__ import annotations

from random import Random

from tests.conversion.trips import Files
from tests.torture.stock import stock

TOKENS = (
    b"{", b"}", b"[", b"]", b'"', b"\\", b",", b":", b"null", b"true", b"-1e999", b"\\ud800",
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\n", b"\r", b"\n\n", b"<", b">", b"]]>", b"<!--", b"&",
    b";", b"--", b"\xc2\x85", b"\xe2\x80\xa8", b'"parentUuid":"', b'"children":[', b'"id":1',
    b"9" * 400, b"[" * 300, b"\\u0000", b"\x1b[2J", b"../", b"0",
)  # fmt: skip


def mutant(slug: str, number: int) -> Files:
    """Return the damaged source of a format with a number."""
    random = Random(f"{slug}-{number}")
    sound = random.choice(stock(slug))
    files = dict(sound.files)
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        path = random.choice(list(files))
        files[path] = _mutated(files[path], random)
    return Files(files, sound.folder)


def _mutated(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    to = min(len(data), at + random.choice((1, 2, 8, 40, 200, 2000)))
    match random.randrange(9):
        case 0:
            return data[:at]
        case 1 if at < len(data):
            return data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1 :]
        case 2:
            return data[:at] + bytes(random.randrange(1, 400)) + data[at:]
        case 3:
            return data[:at] + data[to:]
        case 4:
            return data[:to] + data[at:to] + data[to:]
        case 5:
            other = random.randrange(len(data) + 1)
            return data[:other] + data[at:to] + data[other:]
        case 6:
            return data[:at] + random.randbytes(random.randrange(1, 12)) + data[to:]
        case 7:
            lines = data.split(b"\n")
            random.shuffle(lines)
            return b"\n".join(lines)
        case _:
            return data[:at] + random.choice(TOKENS) + data[at:]
