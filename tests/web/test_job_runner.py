"""Jobs: they report progress, stop on request, leave a file, and are forgotten in the end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.errors import LockHeld, NotFound, UsageError
from talktree.web import job_runner as jobs_module
from talktree.web.job_runner import JobProgress, JobResult, Jobs
from tests.web.running import until


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


def ended(jobs: Jobs, id: str) -> str:
    until(lambda: jobs.get(id).state != "running")
    return jobs.get(id).state


def test_a_job_reports_progress_and_leaves_a_file(jobs: Jobs, tmp_path: Path) -> None:
    gone_on = threading.Event()

    def work(progress: JobProgress) -> JobResult:
        progress.report(1, 2, "half")
        gone_on.wait()
        (tmp_path / "made").write_bytes(b"four")
        return JobResult(tmp_path / "made", "made.txt", "7")

    id = jobs.start("share", work).id
    until(lambda: jobs.get(id).done == 1)
    assert (jobs.get(id).total, jobs.get(id).text, jobs.get(id).state) == (2, "half", "running")
    assert jobs.find_running("share") == id
    assert jobs.find_running("import") is None
    gone_on.set()
    assert ended(jobs, id) == "done"
    job = jobs.get(id)
    assert (job.file, job.size, job.cid) == ("made.txt", 4, "7")
    assert jobs.get_file(id) == (tmp_path / "made", "made.txt")
    assert jobs.find_running("share") is None


def test_a_cancelled_job_ends_at_its_next_progress_report(jobs: Jobs) -> None:
    def work(progress: JobProgress) -> JobResult:
        while True:
            progress.report(0)

    id = jobs.start("import", work).id
    jobs.cancel(id)
    assert ended(jobs, id) == "cancelled"
    with pytest.raises(NotFound):
        jobs.get_file(id)


def test_failures_are_reported_and_internal_errors_are_too(jobs: Jobs) -> None:
    def fails(_: JobProgress) -> JobResult:
        raise UsageError("not so", hint="but so")

    def breaks(_: JobProgress) -> JobResult:
        raise ZeroDivisionError("oh")

    reported = jobs.start("convert", fails).id
    assert ended(jobs, reported) == "failed"
    fault = jobs.get(reported).error
    assert fault is not None
    assert (fault.kind, fault.message, fault.hint) == ("usage", "not so", "but so")
    broken = jobs.start("convert", breaks).id
    assert ended(jobs, broken) == "failed"
    fault = jobs.get(broken).error
    assert fault is not None
    assert (fault.kind, fault.exit_code) == ("internal", 70)


def test_only_some_jobs_run_concurrently_and_waiting_ones_are_cancelled_immediately(
    jobs: Jobs,
) -> None:
    go_on = threading.Event()
    begun: list[int] = []

    def work(_: JobProgress) -> JobResult:
        begun.append(1)
        go_on.wait()
        return JobResult()

    ids = [jobs.start("share", work).id for _ in range(jobs_module.AT_ONCE + 2)]
    until(lambda: len(begun) == jobs_module.AT_ONCE)
    assert jobs.cancel(ids[-1]).state == "cancelled"
    go_on.set()
    assert {ended(jobs, id) for id in ids[:-1]} == {"done"}
    assert len(begun) == jobs_module.AT_ONCE + 1


def test_too_many_are_refused(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "MOST_OPEN", 2)
    go_on = threading.Event()

    def work(_: JobProgress) -> JobResult:
        go_on.wait()
        return JobResult()

    first = jobs.start("share", work)
    jobs.start("share", work)
    with pytest.raises(LockHeld):
        jobs.start("share", work)
    go_on.set()
    assert ended(jobs, first.id) == "done"


def test_old_jobs_are_forgotten_with_their_files(jobs: Jobs, tmp_path: Path) -> None:
    def work(_: JobProgress) -> JobResult:
        (tmp_path / "first").write_bytes(b"")
        return JobResult(tmp_path / "first")

    first = jobs.start("share", work).id
    assert ended(jobs, first) == "done"
    for _ in range(jobs_module.KEPT + 1):
        ended(jobs, jobs.start("share", lambda _: JobResult()).id)
    with pytest.raises(NotFound):
        jobs.get(first)
    assert not (tmp_path / "first").exists()


def test_the_end_cancels_everything() -> None:
    jobs = Jobs()

    def work(progress: JobProgress) -> JobResult:
        while True:
            progress.report(0)

    id = jobs.start("import", work).id
    jobs.close()
    assert ended(jobs, id) == "cancelled"
