"""Sound conversations that are damaged: small ones, a few that are larger, and the golden files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tests.conversion.trips import Files, golden
from tests.damage.clean import clean

TURNS = (2,) * 28 + (3,) * 8 + (4,) * 2 + (6,) * 2
"""How long each conversation is. Damage shows in a few messages as well as in many, and four can be
gone through while one of twenty is; what needs many is met in the longer ones."""
LARGEST = 24 << 10
"""Golden files beyond so many bytes are left out."""


@cache
def stock(slug: str) -> Sequence[Files]:
    """The sound sources of a format; in half of those that are made the talk forks."""
    made = [clean(slug, seed, turns, fork=seed % 2 == 1) for seed, turns in enumerate(TURNS)]
    kept = [Files(source.as_bytes(), source.folder) for _, source in golden(slug, "good")]
    return [*made, *(files for files in kept if _size(files) <= LARGEST)]


def _size(files: Files) -> int:
    return sum(map(len, files.files.values()))
