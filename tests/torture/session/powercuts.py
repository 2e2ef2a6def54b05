"""Power cuts under load, on real file systems; and the control that must lose data."""

from __future__ import annotations

import ctypes
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.torture.session.images import Image, image
from tests.torture.session.kills import begin
from tests.torture.session.verify import problems
from tests.torture.session.writer_pool import WriterPool

WRITERS = 3


def cut(kind: str, flags: int, count: int, seed: int) -> list[str]:
    """Cut the power a number of times; return what went wrong."""
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder, image(Path(folder), kind) as disk:
        for round in range(count):
            lost = _round(disk, flags, seed + round)
            found += [f"{kind}, flags {flags}, seed {seed + round}: {each}" for each in lost]
    return found


def control(kind: str, flags: int, count: int, seed: int) -> int:
    """Return in how many power cuts data were lost without syncing: some, or the test is blind."""
    with tempfile.TemporaryDirectory() as folder, image(Path(folder), kind) as disk:
        return sum(bool(_round(disk, flags, seed + round, _never_sync)) for round in range(count))


def _never_sync() -> None:
    """Report immediately that everything is on the disk."""
    os.fsync = os.fdatasync = lambda descriptor: None  # type: ignore[assignment]
    ctypes.CDLL = _NoLibrary  # type: ignore[misc,assignment]


class _NoLibrary:
    def __init__(self, *_: object, **__: object) -> None:
        raise OSError("there is no library")


def _round(
    disk: Image, flags: int, seed: int, first: Callable[[], None] = lambda: None
) -> list[str]:
    chance = random.Random(seed)
    place = disk.place / f"round-{seed}"
    place.mkdir()
    begin(place)
    os.sync()
    pool = WriterPool(place, [f"w{number}" for number in range(WRITERS)], seed, first=first)
    pool.wait_for_promise()
    end = time.monotonic() + chance.uniform(0.03, 0.3)
    while time.monotonic() < end:
        pool.listen()
        time.sleep(0.001)
    disk.cut_power(flags)
    reported = pool.kill()
    disk.boot()
    try:
        return problems(place, reported, seed)
    finally:
        shutil.rmtree(place, ignore_errors=True)
