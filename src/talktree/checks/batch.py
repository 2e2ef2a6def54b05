"""Checking many sources in a process pool, and one large source in several processes.

Each process checks a batch of conversations. It returns the findings, the facts that rules for the
whole source need, and how many messages can be reached. The results are joined in the order of the
conversations.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial

from msgspec import Struct

from talktree.checks.reachability import Reach, measure_reach
from talktree.checks.registry import choose_rules, rules_for
from talktree.checks.report import FindingCollector, ShownFinding
from talktree.checks.run import DocumentChecker
from talktree.errors import (
    Failure,
    RefusedInput,
    TalktreeError,
    UnknownFormat,
    Unreadable,
    describe_internal_error,
    failure_of,
)
from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.companions import with_companions
from talktree.formats.detect import detect
from talktree.formats.engine import read_document
from talktree.formats.rule_context import CheckedConversation
from talktree.formats.sources import SourceCandidate, load_candidate
from talktree.parallel.ordered_map import map_in_order
from talktree.parallel.pool import may_fork, run_in_processes
from talktree.parallel.schedule import WORTH

A_SHARE = 2000
"""Number of records in one batch, unless a single conversation has more."""
MOST_SHARES = 4000


def check_in_processes(
    account: FindingCollector, talks: Sequence[CheckedConversation], processes: int
) -> Reach:
    """Add the findings of conversations that up to `processes` processes check.

    Returns how many of their messages can be reached.
    """
    shares = _split_into_shares(talks)

    def make(number: int) -> bytes:
        """Check one batch and return its packed result."""
        mine = account.make_empty()
        for talk in shares[number]:
            mine.add_findings(mine.judge.check_conversation(talk))
        facts = [talk.facts for talk in shares[number]]
        reached = measure_reach(talk.conversation for talk in shares[number])
        return pickle.dumps((mine.counts, mine.shown, facts, reached), pickle.HIGHEST_PROTOCOL)

    total = Reach()
    with closing(map_in_order(make, len(shares), processes)) as made:
        for share, data in zip(shares, made, strict=True):
            # The data comes from a copy of this process, through a pipe that no other process has.
            counts, shown, facts, reached = pickle.loads(data)
            account.add_counts(counts, shown)
            total = total.add(reached)
            for talk, known in zip(share, facts, strict=True):
                talk.facts = known
    return total


def _split_into_shares(talks: Sequence[CheckedConversation]) -> list[list[CheckedConversation]]:
    total = sum(talk.conversation.record_count for talk in talks)
    enough = max(A_SHARE, total // MOST_SHARES + 1)
    shares: list[list[CheckedConversation]] = [[]]
    size = 0
    for talk in talks:
        if size >= enough:
            shares.append([])
            size = 0
        shares[-1].append(talk)
        size += talk.conversation.record_count
    return shares


A_LOAD = 2 << 20
"""Number of bytes for which it is worth starting a process."""


class CheckOptions(Struct, frozen=True, kw_only=True):
    """The options for checking every source."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    source_format: str | None = None
    most: int = 1000
    """Maximum number of findings of a rule that are kept for one source; more are only counted."""
    excerpts: bool = True


class CheckedSource(Struct, frozen=True, kw_only=True):
    """The result of checking one source."""

    number: int
    path: str
    format: str | None = None
    folder: bool = False
    main: str | None = None
    """The file that was given, if it has companion files."""
    findings: Sequence[ShownFinding] = ()
    counts: dict[str, int] = {}
    """Number of findings of each rule, including those that were not kept."""
    reach: Reach = Reach()
    failure: Failure | None = None
    skipped: bool = False
    """Whether the source is not a conversation and was not named explicitly."""


class CheckJob(Struct, frozen=True):
    """One source to check."""

    number: int
    found: SourceCandidate


def check_all(
    order: CheckOptions, sources: Sequence[SourceCandidate], *, jobs: int | None = None
) -> Iterator[CheckedSource]:
    """Check the sources and yield each result when it is ready."""
    todo = [CheckJob(number, each) for number, each in enumerate(sources)]
    todo.sort(key=lambda job: -job.found.stamp.size)
    most = jobs or len(os.sched_getaffinity(0))
    load_of_all = sum(job.found.stamp.size for job in todo)
    large, rest = list[CheckJob](), list[CheckJob]()
    for job in todo:
        shared = most > 1 and _is_large(job, load_of_all // most)
        (large if shared else rest).append(job)
    yield from _run_jobs(partial(check_job, order, processes=most), large, 1)
    yield from _run_jobs(
        partial(check_job, order), rest, min(most, len(rest), load_of_all // A_LOAD)
    )


def _is_large(job: CheckJob, fair: int) -> bool:
    """Whether one process checks a source after all others; files are not divided."""
    size = job.found.stamp.size
    return size >= WORTH and size * 2 > fair and os.path.isdir(job.found.source)


def _run_jobs(
    work: Callable[[CheckJob], CheckedSource], jobs: Sequence[CheckJob], count: int
) -> Generator[CheckedSource, None, None]:
    pool = run_in_processes(work, jobs, count, died=_killed_source) if jobs and count > 1 else None
    with closing(pool or (work(job) for job in jobs)) as outcomes:
        yield from outcomes


def check_job(order: CheckOptions, job: CheckJob, *, processes: int = 1) -> CheckedSource:
    """Check one source; an error is part of the result and does not stop the batch."""
    try:
        found = job.found
        source = load_candidate(found)
        return check_source(
            order,
            source,
            job.number,
            found.shown,
            alone=found.alone,
            named=found.asked,
            processes=processes,
        )
    except (UnknownFormat, RefusedInput) as error:
        return _failed_source(job, error, skipped=not job.found.asked)
    except TalktreeError as error:
        return _failed_source(job, error)
    except OSError as error:
        return _failed_source(job, Unreadable(f"{job.found.shown}: {error.strerror or error}"))
    except Exception as error:
        return _internal_error_source(job, error)


def check_source(
    order: CheckOptions,
    source: Source,
    number: int,
    shown: str,
    *,
    alone: bool = False,
    named: bool = False,
    processes: int = 1,
) -> CheckedSource:
    """Check a source that is already open."""
    slug = order.source_format
    format = get_format(slug) if slug else detect(source, named=named).format
    source = source if alone else with_companions(source, format)
    document = read_document(source, format)
    rules = choose_rules(rules_for(document.format), select=order.select, ignore=order.ignore)
    judge = DocumentChecker(document, rules)
    account = FindingCollector(judge, order.most, excerpts=order.excerpts)
    talks = judge.talks()
    account.add_findings(judge.check_opening())
    if processes > 1 and len(talks) > 1 and may_fork():
        reached = check_in_processes(account, talks, processes)
    else:
        for talk in talks:
            account.add_findings(judge.check_conversation(talk))
        reached = measure_reach(document.conversations)
    account.add_findings(judge.check_closing(talks))
    return CheckedSource(
        number=number,
        path=shown,
        format=document.format,
        folder=source.folder,
        main=source.main,
        findings=account.shown,
        counts=dict(account.counts),
        reach=reached,
    )


def _failed_source(job: CheckJob, error: TalktreeError, *, skipped: bool = False) -> CheckedSource:
    failure = failure_of(error)
    return CheckedSource(number=job.number, path=job.found.shown, failure=failure, skipped=skipped)


def _internal_error_source(job: CheckJob, error: Exception) -> CheckedSource:
    failure = describe_internal_error(job.found.shown, error)
    return CheckedSource(number=job.number, path=job.found.shown, failure=failure)


def _killed_source(job: CheckJob) -> CheckedSource:
    error = Unreadable(
        f"{job.found.shown}: the process that checked it was killed",
        hint="it may have run out of memory; try it alone",
    )
    return _failed_source(job, error)
