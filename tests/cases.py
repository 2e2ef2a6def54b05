"""How many cases a run draws, and from which seed.

`HYPOTHESIS_PROFILE` is quick (a tenth of the cases), test (the default) or torture (fifty times as
many). `TALKTREE_SEED` repeats a run: every run prints the seed that it used. Without it
`make torture` draws a seed at random, and `make test` uses 0, so that the same commit always gives
the same result. There it only chooses the share of a long list that is run (`rotate`): other seeds
run other shares.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "test")
TORTURE = PROFILE == "torture"
FACTORS = {"quick": 0.1, "test": 1.0, "torture": 50.0}
EXAMPLES = 100
TURNS = 28
"""Number of consecutive seeds whose shares cover the whole list."""
T = TypeVar("T")


def choose_seed() -> int:
    """Return the seed of this run."""
    if given := os.environ.get("TALKTREE_SEED"):
        return int(given)
    return random.SystemRandom().randrange(1 << 31) if TORTURE else 0


SEED = choose_seed()


def scale(count: int) -> int:
    """Return how many cases to draw where `make test` draws `count`."""
    return max(1, round(count * FACTORS[PROFILE]))


def examples(count: int, *, torture: int | None = None, **more: Any) -> settings:
    """Return Hypothesis settings for `count` cases, scaled with the profile.

    `torture` is the number for `make torture` where fifty times as many is not the right one.
    """
    number = torture if torture is not None and TORTURE else scale(count)
    return settings(max_examples=number, **more)


def rotate(items: Sequence[T], count: int, seed: int) -> list[T]:
    """Return the share of a list that a seed chooses: at least `count` items.

    Consecutive seeds give consecutive shares of the list in one fixed random order.
    """
    count = max(count, math.ceil(len(items) / TURNS))
    if count >= len(items):
        return list(items)
    order = random.Random(0).sample(range(len(items)), len(items))
    start = seed * count
    return [items[order[(start + at) % len(items)]] for at in range(count)]


def load_profile() -> None:
    """Register the profiles with Hypothesis and load the requested one."""
    # The same cases on every machine: a change breaks a test or it does not. New cases are drawn
    # in each run of `make torture`.
    slow = [HealthCheck.too_slow]
    for name in ("quick", "test"):
        settings.register_profile(
            name,
            max_examples=max(1, round(EXAMPLES * FACTORS[name])),
            deadline=None,
            derandomize=True,
            suppress_health_check=slow,
        )
    settings.register_profile(
        "torture",
        max_examples=round(EXAMPLES * FACTORS["torture"]),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile(PROFILE)
