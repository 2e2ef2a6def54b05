"""One job of a batch: read a source, convert it, and put the result in its place.

What is made is built in a folder of the batch's own and moved from there, so that a batch that is
killed leaves nothing behind that looks like a result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Literal

from msgspec import Struct

from talktree.conversion.batch_losses import FiledLedger
from talktree.conversion.batch_place import moved, outputs_of, refuse_strangers, removed
from talktree.conversion.batch_state import Entry, Output, append
from talktree.conversion.convert import converted
from talktree.conversion.ledger import Ledger, Loss
from talktree.conversion.options import Made, Options
from talktree.conversion.verify import verify_built, verify_made
from talktree.errors import (
    Failure,
    Refused,
    TalktreeError,
    UnknownFormat,
    Unreadable,
    failure_of,
    mistake,
)
from talktree.files import load, save
from talktree.files.read_cache import held
from talktree.formats import by_slug
from talktree.formats.companions import with_companions
from talktree.formats.detect import detect
from talktree.formats.engine import read
from talktree.formats.sources import Stamp
from talktree.model.document import Document

Status = Literal["converted", "unchanged", "skipped", "failed"]


class Order(Struct, frozen=True, kw_only=True):
    """What is to be done with every source of a batch."""

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
    """Whether sources that an earlier run has converted are converted again."""
    force: bool = False
    """Whether outputs that exist may be replaced."""
    losses: str | None = None
    """A folder for the losses of each job, if they are wanted one by one."""


class Job(Struct, frozen=True, kw_only=True):
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


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of one job."""

    number: int
    path: str
    status: Status
    written: tuple[Output, ...] = ()
    counts: tuple[tuple[str, str, int], ...] = ()
    carried_bytes: int = 0
    losses: str | None = None
    """The file in which they are, one JSON line each; whoever reads it may delete it."""
    failure: Failure | None = None


def worked(order: Order, job: Job, *, processes: int = 1) -> Outcome:
    """Do one job; whatever goes wrong with it is told in the outcome and stops no other."""
    try:
        with _losses(order, job) as file:
            try:
                return _worked(order, job, file, processes)
            except (UnknownFormat, Refused) as error:
                if job.asked:
                    raise
                return _skipped(order, job, error, file)
    except TalktreeError as error:
        return failed(job, error)
    except OSError as error:
        return failed(job, Unreadable(f"{job.shown}: {error.strerror or error}"))
    except Exception as error:
        return _mistaken(job, error)


def failed(job: Job, error: TalktreeError) -> Outcome:
    """The outcome of a job that could not be done."""
    failure = failure_of(error)
    return Outcome(number=job.number, path=job.shown, status="failed", failure=failure)


def killed(job: Job) -> Outcome:
    """The outcome of a job whose process was killed."""
    error = Unreadable(
        f"{job.shown}: the process that converted it was killed",
        hint="it may have run out of memory; try it alone",
    )
    return failed(job, error)


def _mistaken(job: Job, error: Exception) -> Outcome:
    failure = mistake(job.shown, error)
    return Outcome(number=job.number, path=job.shown, status="failed", failure=failure)


def _skipped(order: Order, job: Job, error: TalktreeError, file: IO[bytes] | None) -> Outcome:
    """The outcome of a file that is not a conversation: it is left out, which is a loss."""
    ledger = FiledLedger(file)
    ledger.add([Loss("file", job.shown, error.message)])
    if order.out is not None:
        append(Path(order.state), _entry(order, job, counts=_counts(ledger)))
    return Outcome(
        number=job.number,
        path=job.shown,
        status="skipped",
        counts=_counts(ledger),
        losses=None if file is None else file.name,
        failure=failure_of(error),
    )


def _worked(order: Order, job: Job, file: IO[bytes] | None, processes: int) -> Outcome:
    ledger = FiledLedger(file)
    document = _read(order, job)
    made = converted(document, order.to, order.options, ledger, processes=processes)
    outputs = _tried(order, made) if order.out is None else _written(order, job, made)
    return Outcome(
        number=job.number,
        path=job.shown,
        status="converted",
        written=outputs,
        counts=_counts(ledger),
        carried_bytes=ledger.carried_bytes,
        losses=None if file is None else file.name,
    )


def _read(order: Order, job: Job) -> Document:
    source = load(job.source, shown=job.shown)
    if job.without:
        source = source.minus(job.without)
    if not source.folder:
        source = held(source)
    format = by_slug(order.source_format) if order.source_format else detect(source).format
    return read(source if job.alone else with_companions(source, format), format)


def _agree(order: Order, made: Made) -> None:
    chosen = order.options
    made.ledger.check(strict=chosen.strict, allow=chosen.allow, forbid=chosen.forbid)


def _tried(order: Order, made: Made) -> tuple[Output, ...]:
    """Everything is made and read again, and nothing written."""
    verify_made(made)
    _agree(order, made)
    return ()


def _written(order: Order, job: Job, made: Made) -> tuple[Output, ...]:
    assert order.out is not None
    name = job.name if made.folder else f"{job.name}{_ending(made, order.to)}"
    staged, out = Path(order.work) / str(job.number), Path(order.out)

    def agree(built: Path) -> None:
        """Compare what was built with what it must show, then look at the losses."""
        verify_built(made, built, name)
        _agree(order, made)

    with _named_as(staged, out / name):
        files = save(made.files, staged, folder=made.folder, agreed=agree)
    outputs = outputs_of(files, staged, name)
    entry = _entry(order, job, outputs, _counts(made.ledger), made.ledger.carried_bytes)
    with removed(staged):
        refuse_strangers(staged, out, name, known=job.known, force=order.force)
        append(Path(order.state), entry)
        moved(staged, out / name)
    return outputs


def _ending(made: Made, to: str) -> str:
    (path,) = made.files
    return PurePosixPath(path).suffix or by_slug(to).info.suffixes[0]


def _counts(ledger: Ledger) -> tuple[tuple[str, str, int], ...]:
    found = sorted(ledger.counts.items())
    return tuple((kind, kept, count) for (kind, kept), count in found)


def _entry(
    order: Order,
    job: Job,
    outputs: tuple[Output, ...] = (),
    counts: tuple[tuple[str, str, int], ...] = (),
    carried_bytes: int = 0,
) -> Entry:
    return Entry(
        job.source, order.to, order.digest, job.stamp, job.name, outputs, counts, carried_bytes
    )


@contextmanager
def _named_as(staged: Path, target: Path) -> Iterator[None]:
    """What goes wrong with the file that is built is told of the one it will be."""
    try:
        yield
    except TalktreeError as error:
        error.message = error.message.replace(str(staged), str(target))
        raise


@contextmanager
def _losses(order: Order, job: Job) -> Iterator[IO[bytes] | None]:
    if order.losses is None:
        yield None
        return
    with open(Path(order.losses) / f"{job.number}.jsonl", "wb") as file:
        yield file
