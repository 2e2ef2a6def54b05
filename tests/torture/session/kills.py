"""Writers killed at random: whatever they were doing, nothing acknowledged is lost."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from talktree.session import Store
from tests.torture.session.acks import WriterReports
from tests.torture.session.verify import problems
from tests.torture.session.writer import SESSION
from tests.torture.session.writer_pool import WriterPool

WRITERS = 4
LIVES = 8
"""How often one session is killed; each life begins with what the last one left."""


def kill(count: int, seed: int) -> list[str]:
    """Kill all writers a number of times; return what went wrong."""
    found: list[str] = []
    for round in range(0, count, LIVES):
        found += _lives(min(LIVES, count - round), seed + round)
    return found


def _lives(count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        begin(place)
        reported = WriterReports(set(), {}, [])
        for life in range(count):
            pool = WriterPool(place, [f"w{number}-{life}" for number in range(WRITERS)], seed)
            _let_work(pool, chance.uniform(0.01, 0.25))
            _add(reported, pool.kill())
            if found := problems(place, reported, seed):
                return [f"seed {seed}, life {life}: {each}" for each in found]
    return []


def begin(place: Path) -> None:
    """Return an empty session and a workspace for it."""
    (place / "work").mkdir()
    Store(place / "store").create(id=SESSION, workspace=place / "work").close()


def _let_work(pool: WriterPool, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pool.listen()
        time.sleep(0.002)


def _add(facts: WriterReports, more: WriterReports) -> None:
    facts.tried.update(more.tried)
    facts.acked.update(more.acked)
    facts.bugs.extend(more.bugs)
