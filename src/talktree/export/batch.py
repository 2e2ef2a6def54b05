"""Exporting many conversations to a folder of pages or files, with as many processes as pay off.

The folder appears whole when all is done, or not at all. One bad source does not stop the others.

The jobs are the conversations in some paths with their files, or those in the library.
"""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path, PurePath

from msgspec import Struct

from talktree.errors import (
    Failure,
    RefusedInput,
    TalktreeError,
    UnknownFormat,
    Unreadable,
    describe_internal_error,
    failure_of,
)
from talktree.export.choice import PAGES, ExportOptions
from talktree.export.export import ExportResult, export_document, make_redactor
from talktree.export.page.index import IndexLine, render_index
from talktree.export.redaction import Redactor
from talktree.files import OutputGate, Source, load
from talktree.files.content import OnDisk
from talktree.files.placement import place_files
from talktree.files.save import building_folder, check_relative_path, place_folder
from talktree.formats import get_format
from talktree.formats.companions import are_companion_paths, with_companions
from talktree.formats.detect import detect
from talktree.formats.engine import read_document
from talktree.formats.format import Format
from talktree.formats.owners import group_files_by_conversation
from talktree.formats.secrets import without_secrets
from talktree.formats.sources import SourceCandidate, find_sources, load_candidate
from talktree.library.library import Library
from talktree.library.listing import LibraryEntry
from talktree.model.document import Document
from talktree.parallel.pool import run_in_processes


class ArchivedSource(Struct, frozen=True, kw_only=True):
    """A conversation that is read from the library."""

    library: str
    """The folder of the library."""
    entry: LibraryEntry


class ExportJob(Struct, frozen=True, kw_only=True):
    """The export of one page."""

    number: int
    root: str
    """The file or folder it is in; empty if it is read from the library."""
    files: tuple[str, ...] = ()
    """The files that belong to it, if not all."""
    format: str | None = None
    shown: str
    name: str
    """The name of its page, without the ending."""
    size: int
    asked: bool
    archived: ArchivedSource | None = None
    other_files: tuple[str, ...] = ()
    """Files of the same folder that belong to none of its conversations."""
    failure: Failure | None = None
    """Why it cannot be read; then the job is not run."""


def find_jobs(
    paths: Sequence[str],
    *,
    format: str | None = None,
    archived: Mapping[str, ArchivedSource | Failure] | None = None,
) -> list[ExportJob]:
    """Return the possible conversations in some paths, with a name for each page.

    `archived` has the paths and ids that are read from the library, or why they cannot be.
    """
    taken = {"index"}
    out: list[ExportJob] = []
    archived = archived or {}
    on_disk = [path for path in paths if path not in archived]
    for each in find_sources(on_disk, format=format) if on_disk else ():
        is_top = len(paths) == 1 and each.source == os.path.abspath(paths[0])
        for part in _find_parts(each, format, is_top=is_top):
            name = _free_path(part.name, taken)
            out.append(
                ExportJob(
                    number=len(out),
                    root=part.root,
                    files=part.files,
                    format=part.format,
                    shown=part.shown,
                    name=name,
                    size=part.size,
                    asked=each.asked,
                    other_files=part.other_files,
                )
            )
    for named, source in archived.items():
        if isinstance(source, Failure):
            out.append(_make_archived_job(len(out), named, failure=source))
            continue
        name = _free_path(_choose_page_name(named, source.entry), taken)
        out.append(_make_archived_job(len(out), named, name, source, format))
    return out


def _make_archived_job(
    number: int,
    named: str,
    name: str = "",
    source: ArchivedSource | None = None,
    format: str | None = None,
    failure: Failure | None = None,
) -> ExportJob:
    return ExportJob(
        number=number,
        root="",
        format=format,
        shown=named,
        name=name,
        size=source.entry.size if source else 0,
        asked=True,
        archived=source,
        failure=failure,
    )


def _choose_page_name(named: str, entry: LibraryEntry) -> str:
    """Return the name of a page: that of the file if a path is named, otherwise the whole id."""
    return PurePath(named).stem if "/" in named or "." in named else entry.id


def _find_parts(each: SourceCandidate, format: str | None, *, is_top: bool) -> Iterable[ExportJob]:
    """Return the conversations of a folder that holds many, each with its own files.

    `is_top` means that it is the only folder that is exported; its name is then not part of theirs.
    """
    whole = ExportJob(
        number=0,
        root=each.source,
        format=format,
        shown=each.shown,
        name=each.relative,
        size=each.stamp.size,
        asked=each.asked,
    )
    if not Path(each.source).is_dir():
        return [whole]
    try:
        found = list(_find_groups(each, load_candidate(each), format, is_top=is_top))
    except TalktreeError:
        # Its job will report what is wrong with it.
        return [whole]
    return found if len(found) > 1 or each.without else [whole]


def _find_groups(
    each: SourceCandidate, source: Source, format: str | None, *, is_top: bool
) -> Iterator[ExportJob]:
    chosen = get_format(format) if format else detect(source).format
    source = without_secrets(source, [chosen])
    source = source.without_silently(chosen.find_transient_files(source))
    groups = group_files_by_conversation(source.files, chosen.split(source), chosen)
    owned = {path for paths in groups.values() for path in paths}
    others = tuple(f"{each.shown}/{path}" for path in source.files if path not in owned)
    for group, paths in groups.items():
        yield ExportJob(
            number=0,
            root=each.source,
            files=tuple(paths),
            format=chosen.info.slug,
            shown=f"{each.shown}/{paths[0]}",
            name=group if each.asked or is_top else f"{each.relative}/{group}",
            size=sum(source.files[path].size for path in paths),
            asked=each.asked,
            other_files=others,
        )
        others = ()


def _free_path(name: str, taken: set[str]) -> str:
    """Return an unused path below the output folder, without parts that lead outside."""
    steps = [step for step in name.replace("\\", "/").split("/") if step not in ("", ".", "..")]
    clean = "/".join(steps) or "conversation"
    free, number = clean, 2
    while free.lower() in taken:
        free, number = f"{clean}-{number}", number + 1
    taken.add(free.lower())
    return free


A_LOAD = 4 << 20
"""A process is started for this many bytes,"""
A_SHARE = 12
"""or for this many sources."""
INDEX = "index"
REDACTED = "redacted"
"""The name of a file whose own name was redacted completely."""
MANY_OBJECTS = 50_000
"""New objects before a garbage collection; there are hardly any cycles."""


class ExportBatchOptions(Struct, frozen=True, kw_only=True):
    """The options for all sources."""

    choice: ExportOptions
    out: str
    key: bytes


class ExportJobResult(Struct, frozen=True, kw_only=True):
    """The result for one source."""

    number: int
    path: str
    page: str = ""
    """The path of its page, file or own folder, below the folder; empty if it has none."""
    title: str = ""
    facts: tuple[str, ...] = ()
    size: int = 0
    secrets: dict[str, int] = {}
    left_out: dict[str, int] = {}
    other_files: tuple[str, ...] = ()
    """Files next to the conversation, or embedded in it, that were left out."""
    skipped: bool = False
    failure: Failure | None = None


Told = Callable[[ExportJobResult, int, int], None]
"""Called with each result, how many there are so far, and how many there will be."""


def _ignore_progress(outcome: ExportJobResult, done: int, total: int) -> None:
    """Ignore the progress."""


def export_many(
    paths: Sequence[str],
    out: str | Path,
    choice: ExportOptions,
    *,
    gate: OutputGate | None = None,
    format: str | None = None,
    archived: Mapping[str, ArchivedSource | Failure] | None = None,
    processes: int | None = None,
    facts: Told = _ignore_progress,
) -> list[ExportJobResult]:
    """Write a page for each conversation in some paths, and an index of them.

    With a format as target, each conversation becomes a file or a folder of its own. The paths and
    ids in `archived` are read from the library.
    """
    gate = gate or OutputGate(paths)
    gate.check(out, folder=True)
    todo = find_jobs(paths, format=format, archived=archived)
    with building_folder(out) as building:
        order = ExportBatchOptions(choice=choice, out=str(building), key=Redactor().key)
        outcomes: list[ExportJobResult] = []
        with _reduce_gc():
            for outcome in _run_jobs(order, todo, processes):
                outcomes.append(outcome)
                facts(outcome, len(outcomes), len(todo))
        outcomes.sort(key=lambda outcome: outcome.number)
        if any(outcome.page for outcome in outcomes):
            _write_index(outcomes, building, choice)
            place_folder(building, out, gate)
    return outcomes


@contextmanager
def _reduce_gc() -> Iterator[None]:
    """Reduce garbage collections in this process and its child processes."""
    before = gc.get_threshold()
    gc.set_threshold(MANY_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _run_jobs(
    order: ExportBatchOptions, todo: Sequence[ExportJob], processes: int | None
) -> Iterator[ExportJobResult]:
    work = partial(export_one, order)
    # Large ones first, so that the others do not wait for a large one at the end.
    ordered = sorted(todo, key=lambda job: -job.size)
    worth = max(len(todo) // A_SHARE, sum(job.size for job in todo) // A_LOAD)
    count = min(processes or len(os.sched_getaffinity(0)), len(todo), worth)
    pool = run_in_processes(work, ordered, count, died=_killed_result) if count > 1 else None
    with closing(pool or (work(job) for job in ordered)) as outcomes:
        yield from outcomes


def export_one(order: ExportBatchOptions, job: ExportJob) -> ExportJobResult:
    """Make one page; any error is reported in the result and does not stop the others."""
    try:
        return _export_one(order, job)
    except (UnknownFormat, RefusedInput) as error:
        return _failed_result(job, failure_of(error), skipped=not job.asked)
    except TalktreeError as error:
        return _failed_result(job, failure_of(error))
    except OSError as error:
        return _failed_result(
            job, failure_of(Unreadable(f"{job.shown}: {error.strerror or error}"))
        )
    except Exception as error:
        return _failed_result(job, describe_internal_error(job.shown, error))


def _export_one(order: ExportBatchOptions, job: ExportJob) -> ExportJobResult:
    if job.failure is not None:
        return _failed_result(job, job.failure)
    choice = order.choice
    redactor = make_redactor(choice, order.key)
    # Content from the library is read while it is written, so the library stays open until then.
    with _open_document(job) as document:
        made = export_document(document, choice, redactor=redactor)
        name = redact_path(job.name, redactor) if choice.redact else job.name
        ending = PAGES.get(choice.to) or (Path(made.name).suffix if made.is_file else "")
        path = _claim_path(Path(order.out), name, ending, folder=not made.is_file)
        size = _write_result(made, path)
    return ExportJobResult(
        number=job.number,
        path=job.shown,
        page=path.relative_to(order.out).as_posix(),
        title=made.title,
        facts=tuple(made.facts),
        size=size,
        secrets=dict(made.secrets),
        left_out=dict(made.left_out),
        other_files=(*job.other_files, *made.other_files),
    )


def _write_result(made: ExportResult, path: Path) -> int:
    """Write the result to a new file or folder; return how many bytes it has.

    Files are not synced one by one: the whole folder appears by one rename, and can be exported
    again.
    """
    size = 0
    places = _list_output_paths(made, path)
    try:
        for name, pieces in made.files.items():
            places[name].parent.mkdir(parents=True, exist_ok=True)
            with open(places[name], "wb") as file:
                for piece in pieces:
                    size += file.write(piece)
    except BaseException as error:
        # Others may succeed, and the output must not contain a part of this one.
        for place in places.values():
            place.unlink(missing_ok=True)
        if not made.is_file:
            shutil.rmtree(path, ignore_errors=True)
        if isinstance(error, OSError):
            raise Unreadable(f"{path.name}: cannot write: {error.strerror or error}") from None
        raise
    return size


def _list_output_paths(made: ExportResult, path: Path) -> dict[str, Path]:
    """Return the path of each output file."""
    if made.main is not None:
        return place_files(made.files, path, made.main)
    return {name: path / check_relative_path(name) if made.folder else path for name in made.files}


def redact_path(name: str, redactor: Redactor) -> str:
    """Return the path of a page without secrets in any of its names."""
    steps = (redactor.redact_title(step).strip() for step in name.split("/"))
    return "/".join(step or REDACTED for step in steps)


def _claim_path(root: Path, name: str, ending: str, *, folder: bool) -> Path:
    """Create an empty file or folder; names that are equal after redaction are numbered."""
    number = 2 if name.casefold() == INDEX else 1
    while True:
        path = root / (f"{name}{ending}" if number == 1 else f"{name}-{number}{ending}")
        number += 1
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            if folder:
                path.mkdir()
            else:
                path.touch(exist_ok=False)
        except FileExistsError:
            continue
        return path


@contextmanager
def _open_document(job: ExportJob) -> Iterator[Document]:
    """Open the document of a job, from its files or from the library."""
    if job.archived is None:
        yield _read_job(job)
        return
    entry = job.archived.entry
    with Library.open(Path(job.archived.library)) as library:
        if job.format is None:
            yield library.read(entry)
        else:
            yield read_document(library.content(entry), get_format(job.format))


def _read_job(job: ExportJob) -> Document:
    root = Path(job.root)
    if job.files:
        assert job.format is not None
        format = get_format(job.format)
        return read_document(_make_source(root, job, format), format)
    source = load(root, shown=job.shown)
    format = get_format(job.format) if job.format else detect(source).format
    return read_document(with_companions(source, format), format)


def _make_source(root: Path, job: ExportJob, format: Format) -> Source:
    """Return a source of files of a folder; a file with companion files uses its own folder."""
    files, shown = job.files, job.shown
    name = Path(files[0]).name
    folder = files[0].removesuffix(name)
    inside = {path.removeprefix(folder): OnDisk(root / path) for path in files}
    others = [path for path in inside if path != name]
    together = all(path.startswith(folder) for path in files)
    if together and are_companion_paths(format, name, others):
        return Source(name, inside, folder=bool(others), shown=shown)
    contents = {path: OnDisk(root / path) for path in files}
    return Source(name, contents, folder=True, shown=shown.removesuffix(f"/{files[0]}"))


def _failed_result(job: ExportJob, failure: Failure, *, skipped: bool = False) -> ExportJobResult:
    return ExportJobResult(number=job.number, path=job.shown, skipped=skipped, failure=failure)


def _killed_result(job: ExportJob) -> ExportJobResult:
    error = Unreadable(
        f"{job.shown}: the process that exported it was killed",
        hint="it may have run out of memory; try it alone",
    )
    return _failed_result(job, failure_of(error))


def _write_index(outcomes: Sequence[ExportJobResult], folder: Path, choice: ExportOptions) -> None:
    lines = [
        IndexLine(outcome.page, outcome.title, tuple(outcome.facts))
        for outcome in outcomes
        if outcome.page
    ]
    if choice.to == "html":
        with open(folder / "index.html", "xb") as file:
            file.writelines(render_index(lines, choice.theme))
