"""A file of very long lines: commands that printed megabytes, one after the other."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy

from bench.history.project import Project
from bench.history.session import Session
from bench.history.truth import Truth
from bench.history.words import Prose, vocabulary

MEGABYTE = 1_000_000


def written(path: Path, megabytes: int, line: int) -> None:
    """Write a session of this size whose longest lines have `line` megabytes."""
    random = Random(f"huge {megabytes} {line}")
    numbers = numpy.random.default_rng(megabytes)
    words = vocabulary(random, 20_000)
    project = Project(random, numbers, words)
    session = Session(random, project, Prose(random, numbers, words), Truth(), day=300)
    while len(session.data) < megabytes * MEGABYTE:
        session.fill(len(session.data) + 100_000)
        session.large(line * MEGABYTE)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_bytes(session.data)
    unfinished.rename(path)
