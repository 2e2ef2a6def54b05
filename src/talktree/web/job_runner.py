"""Long-running jobs in threads: they report progress, can be cancelled, and may make a file."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec.structs import replace

from talktree.errors import LockHeld, NotFound
from talktree.web.errors import describe_error, print_internal_error
from talktree.web.schemas.general import JobState

Kind = Literal["import", "upload", "convert", "share"]
AT_ONCE = 4
"""Maximum number of jobs running at the same time; others wait."""
MOST_OPEN = 100
"""Maximum number of jobs running or waiting."""
KEPT = 50
"""How many finished jobs are remembered."""
PATIENCE = 5.0
"""Seconds that the studio waits for cancelled jobs when it ends."""


class Cancelled(Exception):
    """The job was cancelled."""


class JobResult(NamedTuple):
    """The result of a job."""

    file: Path | None = None
    """A file in the studio's scratch folder; it is removed when the job is forgotten."""
    name: str | None = None
    """The name of the download; by default the name of the file."""
    cid: str | None = None


class JobProgress:
    """Reports a job's progress and receives its cancellation."""

    def __init__(self, change: Callable[[int, int | None, str], None]) -> None:
        self._change = change
        self._cancel = threading.Event()

    @property
    def cancelled(self) -> bool:
        """Whether the job is to stop."""
        return self._cancel.is_set()

    def cancel(self) -> None:
        """Stop the job at its next report."""
        self._cancel.set()

    def report(self, done: int, total: int | None = None, text: str = "") -> None:
        """Report progress; raise `Cancelled` if the job is to stop."""
        if self.cancelled:
            raise Cancelled
        self._change(done, total, text)


Work = Callable[[JobProgress], JobResult]


class _Task:
    """A job and everything that belongs to it."""

    def __init__(self, kind: Kind, work: Work, source: int | None) -> None:
        self.work = work
        self.source = source
        self.progress = JobProgress(self._update_progress)
        self.job = JobState(id=secrets.token_hex(8), kind=kind, state="running")
        self.started = False
        self.file: Path | None = None
        self.thread: threading.Thread | None = None
        self._ending = threading.Lock()

    def _update_progress(self, done: int, total: int | None, text: str) -> None:
        self.job = replace(self.job, done=done, total=total, text=text)

    def run(self) -> None:
        """Run the job; its outcome becomes its state."""
        try:
            if self.progress.cancelled:
                raise Cancelled
            self.started = True
            self._succeed(self.work(self.progress))
        except Cancelled:
            self.job = replace(self.job, state="cancelled")
        except Exception as error:
            print_internal_error(error)
            self.job = replace(self.job, state="failed", error=describe_error(error))

    def drop(self) -> None:
        """Stop, and remove the file."""
        with self._ending:
            self.progress.cancel()
            self.source = None
            if self.file is not None:
                self.file.unlink(missing_ok=True)
                self.file = None
                self.job = replace(self.job, file=None, size=None)

    def _succeed(self, result: JobResult) -> None:
        with self._ending:
            if result.file is not None and self.progress.cancelled:
                result.file.unlink(missing_ok=True)
                raise Cancelled
            self._finish(result)

    def _finish(self, result: JobResult) -> None:
        self.file = result.file
        self.job = replace(
            self.job,
            state="done",
            file=(result.name or result.file.name) if result.file is not None else None,
            size=result.file.stat().st_size if result.file is not None else None,
            cid=result.cid,
        )


class Jobs:
    """All jobs of a studio."""

    def __init__(self) -> None:
        self._tasks: dict[str, _Task] = {}
        self._lock = threading.Lock()
        self._room = threading.Semaphore(AT_ONCE)

    def start(self, kind: Kind, work: Work, *, source: int | None = None) -> JobState:
        """Start a job and return immediately. `source` is the source it makes a file of."""
        task = _Task(kind, work, source)
        with self._lock:
            if sum(each.job.state == "running" for each in self._tasks.values()) >= MOST_OPEN:
                raise LockHeld("too much is going on already", hint="wait, or cancel something")
            self._tasks[task.job.id] = task
            self._forget_old()
        # No one waits for these threads: the library survives being interrupted at any point.
        task.thread = threading.Thread(target=self._run_task, args=(task,), daemon=True)
        task.thread.start()
        return task.job

    def get(self, id: str) -> JobState:
        """Return the current state of a job."""
        return self._get_task(id).job

    def get_file(self, id: str) -> tuple[Path, str]:
        """Return the file that a job made, and its name."""
        task = self._get_task(id)
        if task.file is None or task.job.file is None:
            raise NotFound(f"job {id} has no file", hint="ask how far it is")
        return task.file, task.job.file

    def find_running(self, kind: Kind) -> str | None:
        """Return the unfinished job of a kind, the newest if there are several."""
        with self._lock:
            tasks = [*self._tasks.values()]
        running = (task for task in reversed(tasks) if task.job.state == "running")
        return next((task.job.id for task in running if task.job.kind == kind), None)

    def cancel(self, id: str) -> JobState:
        """Cancel a job; one that has not begun ends immediately."""
        task = self._get_task(id)
        task.progress.cancel()
        if not task.started and task.job.state == "running":
            task.job = replace(task.job, state="cancelled")
        return task.job

    def list_sources(self) -> set[int]:
        """Return the sources of which there are files, or will be."""
        with self._lock:
            return {task.source for task in self._tasks.values() if task.source is not None}

    def drop(self, sources: Collection[int]) -> None:
        """Stop jobs on some sources, and remove the files that were made of them."""
        with self._lock:
            tasks = [task for task in self._tasks.values() if task.source in sources]
        for task in tasks:
            task.drop()

    def close(self) -> None:
        """Cancel all running jobs, and wait a moment for them."""
        with self._lock:
            tasks = [*self._tasks.values()]
        for task in tasks:
            task.progress.cancel()
        end = time.monotonic() + PATIENCE
        for task in tasks:
            if task.thread is not None and task.started:
                task.thread.join(max(0.0, end - time.monotonic()))

    def count_running(self) -> int:
        """Return how many have begun and not ended yet, including cancelled ones."""
        with self._lock:
            threads = [task.thread for task in self._tasks.values() if task.started]
        return sum(thread is not None and thread.is_alive() for thread in threads)

    def _run_task(self, task: _Task) -> None:
        with self._room:
            task.run()

    def _get_task(self, id: str) -> _Task:
        with self._lock:
            found = self._tasks.get(id)
        if found is None:
            raise NotFound(f"no job {id}", hint="it may have been long ago")
        return found

    def _forget_old(self) -> None:
        ended = [id for id, task in self._tasks.items() if task.job.state != "running"]
        for id in ended[: max(0, len(ended) - KEPT)]:
            file = self._tasks.pop(id).file
            if file is not None:
                file.unlink(missing_ok=True)
