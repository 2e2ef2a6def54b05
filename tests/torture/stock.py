"""Valid conversations to be damaged: small ones, a few that are larger, and the golden files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tests.conversion.trips import Files, golden
from tests.damage.clean import clean

TURNS = (2,) * 28 + (3,) * 8 + (4,) * 2 + (6,) * 2
"""The length of each conversation. Damage shows in a few messages as well as in many, and four run
in the time of one with twenty; effects that need many messages are covered by the longer ones."""
LARGEST = 24 << 10
"""Golden files above this number of bytes are left out."""


@cache
def stock(slug: str) -> Sequence[Files]:
    """Return the valid sources of a format; half of the generated ones have a fork."""
    made = [clean(slug, seed, turns, fork=seed % 2 == 1) for seed, turns in enumerate(TURNS)]
    kept = [Files(source.as_bytes(), source.folder) for _, source in golden(slug, "good")]
    return [*made, *(files for files in kept if _size(files) <= LARGEST)]


def _size(files: Files) -> int:
    return sum(map(len, files.files.values()))
