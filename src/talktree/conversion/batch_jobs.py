"""What the outputs of a batch are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from talktree.formats.sources import OWN, Found


def named(jobs: Sequence[Found], kept: Mapping[str, str]) -> list[str]:
    """A name of its own for each job, below the output folder; `kept` are names given before.

    No name is the folder of another, whether the outputs are files or folders.
    """
    taken = {OWN}
    for job in jobs:
        taken.update(str(parent).lower() for parent in PurePosixPath(job.relative).parents)
    names = {}
    for job in jobs:
        before = kept.get(job.source)
        if before is not None and before.lower() not in taken:
            names[job.source] = before
            taken.add(before.lower())
    for job in jobs:
        if job.source not in names:
            names[job.source] = _free(job.relative, taken)
    return [names[job.source] for job in jobs]


def _free(name: str, taken: set[str]) -> str:
    number, free = 2, name
    while free.lower() in taken:
        free = f"{name}-{number}"
        number += 1
    taken.add(free.lower())
    return free
