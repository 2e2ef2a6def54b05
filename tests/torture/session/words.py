"""The texts of the writers: they are known before they are written, so nothing else counts."""

from __future__ import annotations

import random
import re

SIZES = (0, 20, 300, 4_000, 60_000)
WEIGHTS = (2, 10, 6, 3, 1)
_TOKEN = re.compile(r"([\w-]+:\d+) ")


def token(writer: str, number: int) -> str:
    """Return the name of a text."""
    return f"{writer}:{number}"


def text_of(token: str, seed: int) -> str:
    """Return the text with that name: always the same, of any size, with characters of any
    length."""
    chance = random.Random(f"{seed}/{token}")
    size = chance.choices(SIZES, WEIGHTS)[0]
    letters = 'abc \n"\\é漢🌳'
    return f"{token} {''.join(chance.choices(letters, k=size))}|end"


def token_of(text: str) -> str | None:
    """Return the name of a text that a writer may have written; None for anything else."""
    found = _TOKEN.match(text)
    return found.group(1) if found else None
