"""Checking many sources, in as many processes as there are processors."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from msgspec import Struct

from talktree.checking.excerpt import Excerpt, excerpt
from talktree.checking.reach import Reach, reach
from talktree.checking.registry import chosen, rules_for
from talktree.checking.run import found
from talktree.errors import (
    Failure,
    Refused,
    TalktreeError,
    UnknownFormat,
    Unreadable,
    failure_of,
    mistake,
)
from talktree.files import Source, load
from talktree.formats import by_slug
from talktree.formats.detect import detect
from talktree.formats.engine import Origin, read
from talktree.formats.sources import Found as FoundSource
from talktree.model.findings import Finding
from talktree.processes import in_processes

A_LOAD = 2 << 20
"""A process is worth starting for so many bytes."""


class Order(Struct, frozen=True, kw_only=True):
    """What is to be checked in every source."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    source_format: str | None = None
    most: int = 1000
    """How many findings of a rule are kept from one source; more are only counted."""
    excerpts: bool = True


class Shown(Struct, frozen=True):
    """A finding, and the place it speaks of."""

    finding: Finding
    excerpt: Excerpt | None = None


class Checked(Struct, frozen=True, kw_only=True):
    """What came of one source."""

    number: int
    path: str
    format: str | None = None
    folder: bool = False
    findings: Sequence[Shown] = ()
    counts: dict[str, int] = {}
    """How many findings of each rule, also those that were not kept."""
    reach: Reach = Reach()
    failure: Failure | None = None
    skipped: bool = False
    """Whether it is no conversation, and was not named either."""


class Job(Struct, frozen=True):
    """One source to be checked."""

    number: int
    found: FoundSource


def checked_all(
    order: Order, sources: Sequence[FoundSource], *, jobs: int | None = None
) -> Iterator[Checked]:
    """What the rules find in each source, as it comes."""
    todo = [Job(number, each) for number, each in enumerate(sources)]
    todo.sort(key=lambda job: -job.found.stamp.size)
    most = jobs or len(os.sched_getaffinity(0))
    load_of_all = sum(job.found.stamp.size for job in todo)
    count = min(most, len(todo), load_of_all // A_LOAD)
    work = partial(checked, order)
    crew = in_processes(work, todo, count, died=_killed) if count > 1 else None
    with closing(crew or (work(job) for job in todo)) as outcomes:
        yield from outcomes


def checked(order: Order, job: Job) -> Checked:
    """What the rules find in one source; whatever goes wrong is told and stops no other."""
    path = Path(job.found.source)
    try:
        return check_source(order, load(path), job.number, job.found.shown, path)
    except (UnknownFormat, Refused) as error:
        return _failed(job, error, skipped=not job.found.asked)
    except TalktreeError as error:
        return _failed(job, error)
    except OSError as error:
        return _failed(job, Unreadable(f"{job.found.shown}: {error.strerror or error}"))
    except Exception as error:
        return _mistaken(job, error)


def check_source(
    order: Order, source: Source, number: int, shown: str, path: Path | None = None
) -> Checked:
    """What the rules find in a source that is at hand."""
    format = by_slug(order.source_format) if order.source_format else detect(source).format
    document = read(source, format)
    origin = document.origin
    assert isinstance(origin, Origin)
    rules = chosen(rules_for(document.format), select=order.select, ignore=order.ignore)
    counts = Counter[str]()
    findings: list[Shown] = []
    for each in found(document, rules):
        finding = each.finding
        counts[finding.code] += 1
        if counts[finding.code] <= order.most:
            place = excerpt(origin, finding) if order.excerpts else None
            findings.append(Shown(finding, place))
    return Checked(
        number=number,
        path=shown,
        format=document.format,
        folder=source.folder,
        findings=findings,
        counts=dict(counts),
        reach=reach(document.conversations),
    )


def _failed(job: Job, error: TalktreeError, *, skipped: bool = False) -> Checked:
    failure = failure_of(error)
    return Checked(number=job.number, path=job.found.shown, failure=failure, skipped=skipped)


def _mistaken(job: Job, error: Exception) -> Checked:
    failure = mistake(job.found.shown, error)
    return Checked(number=job.number, path=job.found.shown, failure=failure)


def _killed(job: Job) -> Checked:
    error = Unreadable(
        f"{job.found.shown}: the process that checked it was killed",
        hint="it may have run out of memory; try it alone",
    )
    return _failed(job, error)
