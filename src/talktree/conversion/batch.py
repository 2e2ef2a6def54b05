"""Converting many sources into one folder: unchanged sources are skipped, the rest is converted.

One bad source does not stop the others. Outputs are complete or absent, even if the batch is
killed; running the same batch again continues where it stopped.

An existing file or folder is only replaced if an earlier run wrote it, or if it has exactly the
contents to be written. Anything that another program or the user wrote or changed stays.

A job reads a source, converts it, and moves the result to its place. Results are built in a folder
of the batch, so a batch that is killed leaves nothing behind that looks like a result.
"""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from talktree import __version__
from talktree.conversion.batch_state import (
    STATE,
    BatchEntry,
    BatchState,
    Output,
    append_entry,
    stat_output,
)
from talktree.conversion.convert import convert_conversations
from talktree.conversion.losses import FiledLossReport, Loss, LossReport
from talktree.conversion.options import ConversionResult, Options
from talktree.conversion.verify import verify_built, verify_made
from talktree.errors import (
    ChangedMeanwhile,
    Failure,
    RefusedInput,
    TalktreeError,
    UnknownFormat,
    Unreadable,
    UsageError,
    describe_internal_error,
    failure_of,
)
from talktree.files import OutputGate, load, save
from talktree.files.read_cache import cache_small_files
from talktree.formats import get_format, resolve_alias
from talktree.formats.companions import with_companions
from talktree.formats.detect import detect
from talktree.formats.engine import read_document
from talktree.formats.sources import OWN, SourceCandidate, Stamp, find_sources
from talktree.model.document import Document
from talktree.parallel.pool import AHEAD, run_in_processes
from talktree.parallel.schedule import count_shared_jobs


def outputs_of(files: Sequence[Path], staged: Path, name: str) -> tuple[Output, ...]:
    """Return the files of a result as they will be when it has moved to its name."""
    out = []
    for path in files:
        now = path.stat()
        inside = path.relative_to(staged).as_posix()
        full = name if inside == "." else f"{name}/{inside}"
        out.append(Output(full, now.st_size, now.st_mtime_ns))
    return tuple(out)


def refuse_foreign_files(
    staged: Path, out: Path, name: str, *, known: frozenset[Output], force: bool
) -> None:
    """Raise an error if an existing file in the way of a result was not written by the batch.

    With `force` any file may be replaced, and a folder if all its files have known names.
    """
    target = out / name
    if not os.path.lexists(target):
        return
    if target.is_symlink() or target.is_dir() != staged.is_dir():
        raise _foreign_file_error(target, name)
    names = {output.name for output in known}
    for each in _list_target_files(target):
        inside = each.relative_to(target)
        full = name if each == target else f"{name}/{inside.as_posix()}"
        if stat_output(out, full) in known or _has_same_content(staged / inside, each):
            continue
        ours = full in names or (staged / inside).exists()
        if not force and full in names:
            raise ChangedMeanwhile(
                f"{each}: somebody changed it since it was converted",
                hint="move it away, or replace it with --force",
            )
        if not (force and ours):
            raise _foreign_file_error(target, full)


def move_into_place(staged: Path, target: Path) -> None:
    """Move a result to its place and remove the old one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        # A folder can only replace an empty folder.
        target.rename(staged.with_name(f"{staged.name}.old"))
    staged.replace(target)


@contextmanager
def remove_afterwards(staged: Path) -> Iterator[None]:
    """Remove what was built, even after an error."""
    try:
        yield
    finally:
        for path in (staged, staged.with_name(f"{staged.name}.old")):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _list_target_files(target: Path) -> list[Path]:
    if not target.is_dir():
        return [target]
    return [path for path in target.rglob("*") if path.is_symlink() or not path.is_dir()]


def _has_same_content(one: Path, other: Path) -> bool:
    if other.is_symlink() or not one.is_file() or not other.is_file():
        return False
    return filecmp.cmp(one, other, shallow=False)


def _foreign_file_error(target: Path, name: str) -> UsageError:
    beside = f" and holds {name}" if target.is_dir() and not name.endswith(target.name) else ""
    hint = "move it away, or name another output folder"
    return UsageError(
        f"{target}: already exists{beside}, which is not from this conversion",
        hint=hint if target.is_dir() else f"{hint}; --force replaces files",
    )


Status = Literal["converted", "unchanged", "skipped", "failed"]


class BatchOptions(Struct, frozen=True, kw_only=True):
    """The options for every source of a batch."""

    to: str
    options: Options
    source_format: str | None = None
    out: str | None = None
    """The output folder; None if nothing is to be written."""
    work: str = ""
    """The folder in which results are built."""
    state: str = ""
    digest: str = ""
    fresh: bool = False
    """Whether sources that an earlier run converted are converted again."""
    force: bool = False
    """Whether existing outputs may be replaced."""
    losses: str | None = None
    """A folder for the losses of each job, if they are wanted one by one."""


class ConversionJob(Struct, frozen=True, kw_only=True):
    """One source, and where its output goes."""

    number: int
    source: str
    shown: str
    name: str
    asked: bool
    stamp: Stamp
    alone: bool = False
    """Whether it is read without its companion files."""
    known: frozenset[Output] = frozenset()
    without: frozenset[str] = frozenset()
    """Files of a folder that are sources of their own."""


class ConversionJobResult(Struct, frozen=True, kw_only=True):
    """The result of one job."""

    number: int
    path: str
    status: Status
    written: tuple[Output, ...] = ()
    counts: tuple[tuple[str, str, int], ...] = ()
    carried_bytes: int = 0
    losses: str | None = None
    """The file with the losses, one JSON line each; the reader may delete it."""
    failure: Failure | None = None


def run_job(order: BatchOptions, job: ConversionJob, *, processes: int = 1) -> ConversionJobResult:
    """Run one job; an error is part of its result and does not stop the others."""
    try:
        with _open_loss_file(order, job) as file:
            try:
                return _run_job(order, job, file, processes)
            except (UnknownFormat, RefusedInput) as error:
                if job.asked:
                    raise
                return _skipped_result(order, job, error, file)
    except TalktreeError as error:
        return failed_result(job, error)
    except OSError as error:
        return failed_result(job, Unreadable(f"{job.shown}: {error.strerror or error}"))
    except Exception as error:
        return _internal_error_result(job, error)


def failed_result(job: ConversionJob, error: TalktreeError) -> ConversionJobResult:
    """Return the result of a job that failed."""
    failure = failure_of(error)
    return ConversionJobResult(number=job.number, path=job.shown, status="failed", failure=failure)


def killed_result(job: ConversionJob) -> ConversionJobResult:
    """Return the result of a job whose process was killed."""
    error = Unreadable(
        f"{job.shown}: the process that converted it was killed",
        hint="it may have run out of memory; try it alone",
    )
    return failed_result(job, error)


def _internal_error_result(job: ConversionJob, error: Exception) -> ConversionJobResult:
    failure = describe_internal_error(job.shown, error)
    return ConversionJobResult(number=job.number, path=job.shown, status="failed", failure=failure)


def _skipped_result(
    order: BatchOptions, job: ConversionJob, error: TalktreeError, file: IO[bytes] | None
) -> ConversionJobResult:
    """Return the result of a file that is not a conversation: it is left out, which is a loss."""
    loss_report = FiledLossReport(file)
    loss_report.add([Loss("file", job.shown, error.message)])
    if order.out is not None:
        append_entry(Path(order.state), _make_entry(order, job, counts=_count_losses(loss_report)))
    return ConversionJobResult(
        number=job.number,
        path=job.shown,
        status="skipped",
        counts=_count_losses(loss_report),
        losses=None if file is None else file.name,
        failure=failure_of(error),
    )


def _run_job(
    order: BatchOptions, job: ConversionJob, file: IO[bytes] | None, processes: int
) -> ConversionJobResult:
    loss_report = FiledLossReport(file)
    document = _read_job(order, job)
    made = convert_conversations(
        document, order.to, order.options, loss_report, processes=processes
    )
    outputs = _verify_only(order, made) if order.out is None else _write_result(order, job, made)
    return ConversionJobResult(
        number=job.number,
        path=job.shown,
        status="converted",
        written=outputs,
        counts=_count_losses(loss_report),
        carried_bytes=loss_report.carried_bytes,
        losses=None if file is None else file.name,
    )


def _read_job(order: BatchOptions, job: ConversionJob) -> Document:
    source = load(job.source, shown=job.shown)
    if job.without:
        source = source.without_silently(job.without)
    if not source.folder:
        source = cache_small_files(source)
    format = get_format(order.source_format) if order.source_format else detect(source).format
    return read_document(source if job.alone else with_companions(source, format), format)


def _check_losses(order: BatchOptions, made: ConversionResult) -> None:
    chosen = order.options
    made.loss_report.refuse_forbidden(
        strict=chosen.strict, allow=chosen.allow, forbid=chosen.forbid
    )


def _verify_only(order: BatchOptions, made: ConversionResult) -> tuple[Output, ...]:
    """Make and verify the output without writing it."""
    verify_made(made)
    _check_losses(order, made)
    return ()


def _write_result(
    order: BatchOptions, job: ConversionJob, made: ConversionResult
) -> tuple[Output, ...]:
    assert order.out is not None
    name = job.name if made.folder else f"{job.name}{_file_ending(made, order.to)}"
    staged, out = Path(order.work) / str(job.number), Path(order.out)

    def agree(built: Path) -> None:
        """Compare what was built with what it must show, then check the losses."""
        verify_built(made, built, name)
        _check_losses(order, made)

    with _errors_named_as(staged, out / name):
        files = save(made.files, staged, folder=made.folder, agreed=agree)
    outputs = outputs_of(files, staged, name)
    entry = _make_entry(
        order, job, outputs, _count_losses(made.loss_report), made.loss_report.carried_bytes
    )
    with remove_afterwards(staged):
        refuse_foreign_files(staged, out, name, known=job.known, force=order.force)
        append_entry(Path(order.state), entry)
        move_into_place(staged, out / name)
    return outputs


def _file_ending(made: ConversionResult, to: str) -> str:
    (path,) = made.files
    return PurePosixPath(path).suffix or get_format(to).info.suffixes[0]


def _count_losses(loss_report: LossReport) -> tuple[tuple[str, str, int], ...]:
    found = sorted(loss_report.counts.items())
    return tuple((kind, kept, count) for (kind, kept), count in found)


def _make_entry(
    order: BatchOptions,
    job: ConversionJob,
    outputs: tuple[Output, ...] = (),
    counts: tuple[tuple[str, str, int], ...] = (),
    carried_bytes: int = 0,
) -> BatchEntry:
    return BatchEntry(
        job.source, order.to, order.digest, job.stamp, job.name, outputs, counts, carried_bytes
    )


@contextmanager
def _errors_named_as(staged: Path, target: Path) -> Iterator[None]:
    """Report errors in the built file under its final name."""
    try:
        yield
    except TalktreeError as error:
        error.message = error.message.replace(str(staged), str(target))
        raise


@contextmanager
def _open_loss_file(order: BatchOptions, job: ConversionJob) -> Iterator[IO[bytes] | None]:
    if order.losses is None:
        yield None
        return
    with open(Path(order.losses) / f"{job.number}.jsonl", "wb") as file:
        yield file


def name_outputs(jobs: Sequence[SourceCandidate], kept: Mapping[str, str]) -> list[str]:
    """Return a unique name for each job, below the output folder; `kept` are earlier names.

    No name is a folder above another name, whether the outputs are files or folders.
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
            names[job.source] = _free_name(job.relative, taken)
    return [names[job.source] for job in jobs]


def _free_name(name: str, taken: set[str]) -> str:
    number, free = 2, name
    while free.lower() in taken:
        free = f"{name}-{number}"
        number += 1
    taken.add(free.lower())
    return free


WORK = f"{OWN}.work"
A_SHARE = 12
"""Minimum number of sources for which it is worth starting a process,"""
A_LOAD = 4 << 20
"""or minimum number of their bytes."""
SPARE = 1
"""Processes beyond the processors: while one waits for the disk, another works."""
LONG = 1 << 20
"""Jobs of at least this size are handed out one by one, each to the next free process."""


class Batch:
    """An open batch; it holds the lock of its output folder until it is closed."""

    def __init__(
        self,
        paths: Sequence[str],
        *,
        to: str,
        out: str | None,
        options: Options,
        source_format: str | None = None,
        each: bool = False,
        fresh: bool = False,
        gate: OutputGate | None = None,
        jobs: int | None = None,
        losses: str | None = None,
    ) -> None:
        """Find out what there is to do; without `out` nothing is written."""
        # The digest distinguishes conversions, so a format must have one name in it.
        to = resolve_alias(to)
        source_format = source_format and resolve_alias(source_format)
        self._gate = gate or OutputGate(paths)
        self._found = find_sources(paths, each=each, format=source_format)
        self._most = jobs or len(os.sched_getaffinity(0))
        self._spare = 0 if jobs else SPARE
        self._state: BatchState | None = None
        self._made_out = False
        self._wrote = False
        self._running: Generator[ConversionJobResult, None, None] | None = None
        self.order = BatchOptions(
            to=to,
            options=options,
            source_format=source_format,
            digest=_options_digest(to, options, source_format),
            fresh=fresh,
            force=self._gate.force,
            losses=losses,
        )
        if out is not None:
            self._open_output(Path(out))
        self._plan()

    def _open_output(self, out: Path) -> None:
        self._gate.check_batch(out, resumes=os.path.lexists(out / STATE))
        self._made_out = not out.exists()
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Unreadable(f"{out}: cannot write: {error.strerror or error}") from None
        self._state = BatchState(out, self.order.to)
        work = out / WORK
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(exist_ok=True)
        self.order = replace(self.order, out=str(out), work=str(work), state=str(self._state.path))

    def _plan(self) -> None:
        state = self._state
        names = name_outputs(self._found, {} if state is None else state.names())
        self._done: list[ConversionJobResult] = []
        self._todo: list[ConversionJob] = []
        for number, (each, name) in enumerate(zip(self._found, names, strict=True)):
            known = frozenset() if state is None else state.find_known_outputs(each.source)
            entry = None
            if state is not None and not self.order.fresh:
                entry = state.find_done(each.source, each.stamp, self.order.digest)
            if entry is None or (each.asked and not entry.outputs):
                job = ConversionJob(
                    number=number,
                    source=each.source,
                    shown=each.shown,
                    name=name,
                    asked=each.asked,
                    stamp=each.stamp,
                    alone=each.alone,
                    without=each.without,
                    known=known,
                )
                self._todo.append(job)
                continue
            outcome = ConversionJobResult(
                number=number,
                path=each.shown,
                status="unchanged" if entry.outputs else "skipped",
                written=entry.outputs,
                counts=entry.counts,
                carried_bytes=entry.carried_bytes,
            )
            self._done.append(outcome)

    def __len__(self) -> int:
        return len(self._found)

    def outcomes(self) -> Iterator[ConversionJobResult]:
        """Yield the result of each source when it is ready, those already done first."""
        self._running = self._outcomes()
        return self._running

    def _outcomes(self) -> Generator[ConversionJobResult, None, None]:
        yield from self._done
        jobs = sorted(self._todo, key=lambda job: -job.stamp.size)
        sizes = [job.stamp.size for job in jobs]
        most = min(self._most, max(len(jobs) // A_SHARE, sum(sizes) // A_LOAD))
        first = count_shared_jobs(sizes, most)
        yield from self._run_jobs(jobs[:first], 1, processes=most)
        rest = len(jobs) - first
        yield from self._run_jobs(jobs[first:], min(most + self._spare * (most > 1), rest))

    def _run_jobs(
        self, jobs: Sequence[ConversionJob], count: int, *, processes: int = 1
    ) -> Generator[ConversionJobResult, None, None]:
        """Run jobs in a process pool and yield their results."""
        work = partial(run_job, self.order, processes=processes)
        pool = None
        if jobs and (count > 1 or processes > 1):
            long = sum(job.stamp.size for job in jobs) // len(jobs) >= LONG
            pool = run_in_processes(
                work, jobs, count, died=killed_result, ahead=1 if long else AHEAD
            )
        with closing(pool or (work(job) for job in jobs)) as outcomes:
            for outcome in outcomes:
                self._wrote = self._wrote or bool(outcome.written)
                yield outcome

    def __enter__(self) -> Batch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._running is not None:
            self._running.close()
        if self._state is None:
            return
        shutil.rmtree(self.order.work, ignore_errors=True)
        self._state.close(keep=kind is not None or self._wrote or self._state.has_entries)
        if self._made_out:
            try:
                os.rmdir(self.order.out or "")
            except OSError:
                pass


def _options_digest(to: str, options: Options, source_format: str | None) -> str:
    """Return a digest that is the same for two batches that convert a source in the same way."""
    details = msgspec.to_builtins(options, order="deterministic")
    text = msgspec.json.encode([__version__, to, source_format, details], order="deterministic")
    return blake2b(text, digest_size=12).hexdigest()
