"""`talktree convert`: write conversations in a format.

Converts one source into one file or folder, or to stdout; the loss report goes to stderr, to stdout
as JSON, or into a file.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal

import click
from msgspec import Struct
from msgspec.structs import replace

from talktree import api
from talktree.cli import output, params
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.notices import report_damage, report_findings
from talktree.cli.progress import CHOICES, Tick, print_step, show_bar, wants_bar
from talktree.conversion.losses import KINDS, FiledLossReport
from talktree.conversion.options import ConversionResult, Options
from talktree.conversion.verify import verify_made
from talktree.errors import UsageError, WouldLose
from talktree.files import OutputGate, input_paths, save
from talktree.formats import get_format, resolve_alias
from talktree.formats.sources import is_one
from talktree.model.document import Document
from talktree.session.names import FORMAT as SESSION_FORMAT
from talktree.session.names import check_id, is_id
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.losses import (
    Examples,
    LossTotals,
    build_counts_shape,
    format_loss_json,
    format_loss_lines,
)
from talktree.views.terminal import to_text
from talktree.views.width import format_count, format_size

HELD = 4 << 20
"""Losses up to this size stay in memory."""


class LossCollector:
    """The loss report of one conversion, with the single losses if they are needed."""

    def __init__(self, *, each: bool, step: Callable[[], None]) -> None:
        self._file: IO[bytes] | None = None
        if each:
            self._file = tempfile.SpooledTemporaryFile(HELD)  # noqa: SIM115
            weakref.finalize(self, self._file.close)
        self.loss_report = FiledLossReport(self._file, step=step)

    @property
    def sums(self) -> LossTotals:
        """The counts, and the size of the embedded source data."""
        counts = {
            (kind, str(kept)): count for (kind, kept), count in self.loss_report.counts.items()
        }
        return LossTotals(counts, self.loss_report.carried_bytes)

    @property
    def examples(self) -> Examples:
        """Some losses of each kind."""
        return {
            (kind, str(kept)): [(loss.entry, loss.what) for loss in shown]
            for (kind, kept), shown in self.loss_report.examples.items()
        }

    def losses(self) -> Iterator[str]:
        """All losses as JSON."""
        assert self._file is not None
        self._file.seek(0)
        return (each.decode().removesuffix("\n") for each in self._file)


def format_loss_document(
    written: Sequence[Json], losses: Iterable[str], sums: LossTotals, **more: Json
) -> Iterator[str]:
    """Yield what `--json` prints and `--ledger` saves."""
    tail: dict[str, Json] = {
        "counts": build_counts_shape(sums.counts),
        "carried_bytes": sums.carried_bytes,
        **more,
    }
    return format_loss_json({"written": [*written]}, losses, tail)


def save_loss_report(path: str, text: Iterable[str], gate: OutputGate) -> None:
    """Save a loss report, completely or not at all."""
    pieces = (each.encode("utf-8", "surrogatepass") for each in text)
    save({"ledger": pieces}, path, folder=False, gate=gate)


def print_loss_summary(sums: LossTotals, *, hint: str) -> None:
    """Print the short loss report on stderr; print nothing if it is empty."""
    if not sums.counts and not sums.carried_bytes:
        return
    for each in format_loss_lines(sums, KINDS):
        print_stderr(to_text(each))
    if sums.counts:
        print_stderr(f"hint: {hint}")


LARGE = 2000
"""From this many records on, a progress bar is shown."""
EACH = "--dry-run shows examples; --ledger FILE and --json tell each"
"""How to see more of a loss report."""


Written = tuple[str, int]
"""A file and its size."""


class ConvertRequest(Struct, frozen=True, kw_only=True):
    """The options of one call."""

    paths: tuple[str, ...]
    target: str
    out: str | None
    """None only if nothing is to be written."""
    options: Options
    gate: OutputGate
    """Decides what may be written."""
    source_format: str | None = None
    dry_run: bool = False
    loss_report: str | None = None
    onto: str | None = None
    """The source to which edits are added as new branches."""
    each: bool = False
    fresh: bool = False
    jobs: int | None = None
    progress: str = "auto"
    quiet: bool = False
    as_json: bool = False
    color: str = "auto"

    @property
    def speaks(self) -> bool:
        """Whether to report on stderr."""
        return not (self.quiet or self.as_json or self.progress == "json")


def convert_one(wish: ConvertRequest, document: Document) -> None:
    """Convert, and report what was written and what the target could not hold."""
    if wish.out is not None and wish.out != "-":
        wish.gate.protect(input_paths(api.source_of(document)))
        wish.gate.claim(wish.out)
    with _with_progress(wish, document) as tick:
        account = LossCollector(
            each=wish.as_json or wish.loss_report is not None, step=lambda: tick(document.name)
        )
        written, refusal = _convert_document(wish, document, account)
    if wish.loss_report is not None:
        save_loss_report(wish.loss_report, _format_json_document(account, written), wish.gate)
    if wish.dry_run or refusal is None:
        _print_result(wish, document, account, written)
    if refusal is not None:
        raise refusal
    if wish.progress == "json" and not wish.dry_run:
        total = sum(count for _, count in written)
        print_step({"done": 1, "total": 1, "path": wish.paths[0], "bytes": total})
    if wish.speaks:
        report_findings(document)
        _report_foreign_files(document)


def _report_foreign_files(document: Document) -> None:
    """Report foreign files: a folder may be read as one source though it contains several."""
    count = sum(found.name == "unrelated-file" for found in document.quick_findings)
    if count:
        print_stderr(
            f"hint: {format_count(count, 'file')} travel along; --each converts every file alone"
        )


def _convert_document(
    wish: ConvertRequest, document: Document, account: LossCollector
) -> tuple[list[Written], WouldLose | None]:
    """Return what was written, or why nothing was."""
    options, loss_report = wish.options, account.loss_report
    written: list[Path] = []
    try:
        made = _make_result(wish, document, account)
        if wish.dry_run or wish.out is None:
            api.measure_losses(made)
            loss_report.refuse_forbidden(
                strict=options.strict, allow=options.allow, forbid=options.forbid
            )
        elif wish.out == "-":
            _write_to_stdout(made, options)
        else:
            written, _ = api.save_conversion(made, wish.out, options=options, gate=wish.gate)
    except WouldLose as error:
        return [], error
    return [(str(path), path.stat().st_size) for path in written], None


def _make_result(
    wish: ConvertRequest, document: Document, account: LossCollector
) -> ConversionResult:
    if wish.onto is None:
        return api.convert_document(
            document,
            to=wish.target,
            options=wish.options,
            loss_report=account.loss_report,
            processes=wish.jobs or len(os.sched_getaffinity(0)),
        )
    source = api.read(wish.onto, format=wish.target)
    wish.gate.protect(input_paths(api.source_of(source)))
    return api.apply_edits(source, document, loss_report=account.loss_report)


def _write_to_stdout(made: ConversionResult, options: Options) -> None:
    """Everything is made before the first byte is written, because it may be refused."""
    if len(made.files) != 1:
        raise UsageError(
            f"{format_count(len(made.files), 'file')} cannot go to stdout",
            hint="name a folder with -o",
        )
    (content,) = verify_made(made).values()
    made.loss_report.refuse_forbidden(
        strict=options.strict, allow=options.allow, forbid=options.forbid
    )
    with output.open_stdout() as sink:
        for block in content.blocks():
            sink.write(block)
        sink.flush()


def _print_result(
    wish: ConvertRequest, document: Document, account: LossCollector, written: list[Written]
) -> None:
    if wish.as_json:
        output.print_text(_format_json_document(account, written))
        return
    if wish.dry_run:
        lines = _format_preview_lines(wish, document, account)
        output.print_lines(lines, color=output.use_color(wish.color))
        return
    if wish.speaks:
        if wish.out != "-":
            print_stderr(f"talktree: wrote {wish.out} ({_format_extent(written)})")
        print_loss_summary(account.sums, hint=EACH)


def _format_preview_lines(
    wish: ConvertRequest, document: Document, account: LossCollector
) -> Iterator[Line]:
    yield line((document.name, "title"), f" ({document.format}) as {wish.target}")
    yield from format_loss_lines(account.sums, KINDS, account.examples)


def _format_json_document(account: LossCollector, written: list[Written]) -> Iterator[str]:
    shapes: list[Json] = [{"path": path, "bytes": count} for path, count in written]
    return format_loss_document(shapes, account.losses(), account.sums)


def _format_extent(written: list[Written]) -> str:
    total = sum(count for _, count in written)
    files = "" if len(written) == 1 else f"{format_count(len(written), 'file')}, "
    return f"{files}{format_size(total)}"


@contextmanager
def _with_progress(wish: ConvertRequest, document: Document) -> Iterator[Tick]:
    count = sum(each.record_count for each in document.conversations)
    if count < LARGE or not wants_bar(wish.progress, quiet=wish.quiet):
        yield lambda _: None
        return
    with show_bar(f"converting to {wish.target}", count) as tick:
        yield tick


@click.command("convert", cls=Verb)
@params.many_paths
@click.option(
    "-t", "--to", "target", type=params.FORMAT, required=True, help="The format to write."
)
@click.option(
    "-o",
    "--output",
    "out",
    type=params.PATH,
    help="Where to: a file or folder; - is stdout; a folder for several sources.",
)
@params.force
@params.source_format
@click.option("--dry-run", is_flag=True, help="Write nothing; print what the format cannot hold.")
@click.option(
    "--ledger",
    metavar="FILE",
    type=params.PATH,
    help="Save all the format cannot hold, as JSON; also if --strict refuses.",
)
@click.option("--clean", is_flag=True, help="Carry nothing along: only what the format knows.")
@click.option(
    "--strict", is_flag=True, help="Do not write a source that would lose anything; exit code 4."
)
@click.option(
    "--allow", multiple=True, type=params.KIND, help="A kind of loss that --strict accepts."
)
@click.option(
    "--forbid",
    multiple=True,
    type=params.KIND,
    help="A kind that may not even be carried or shown as text.",
)
@click.option(
    "--branch",
    metavar="[active|all|ID]",
    help="Only the active branch, or the one that ends with a message; all: each on its own, "
    "if the format has no branches.",
)
@click.option(
    "--id",
    metavar="ID",
    help="The id of the session that is written (sage); else its own id, or a new one.",
)
@click.option(
    "--attachments",
    type=click.Choice(["inline", "beside", "link"]),
    default="inline",
    help="Contents of attached files: in the record, in files beside it, or only links.",
)
@click.option(
    "--onto",
    metavar="SOURCE",
    type=click.Path(),
    help="Add what was edited or added to the source it came from, as new branches.",
)
@click.option(
    "--merge", is_flag=True, help="Sources that share history become one tree, then one output."
)
@click.option("--each", is_flag=True, help="Every file of a folder alone, not the folder as one.")
@click.option("--fresh", is_flag=True, help="Convert also what an earlier run has done.")
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="So many processes for several sources or a large one; else one for each processor.",
)
@click.option(
    "--progress",
    type=click.Choice(CHOICES),
    default="auto",
    help="A bar on a terminal, a JSON object a line on stderr, or none.",
)
@click.option("-q", "--quiet", is_flag=True, help="Tell nothing but errors.")
@params.as_json
@params.color
def command(
    paths: Sequence[str],
    target: str,
    out: str | None,
    force: bool,  # noqa: FBT001
    source_format: str | None,
    dry_run: bool,  # noqa: FBT001
    ledger: str | None,
    clean: bool,  # noqa: FBT001
    strict: bool,  # noqa: FBT001
    allow: Sequence[str],
    forbid: Sequence[str],
    branch: str | None,
    id: str | None,
    attachments: Literal["inline", "beside", "link"],
    onto: str | None,
    merge: bool,  # noqa: FBT001
    each: bool,  # noqa: FBT001
    fresh: bool,  # noqa: FBT001
    jobs: int | None,
    progress: str,
    quiet: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    color: str,
) -> int:
    """Write conversations in a format, and tell what it cannot hold.

    What the format has no place for is carried along unseen (and restored on the way back), or
    shown as text. In its own format a source comes out byte for byte. Several sources, or a folder
    of many, are converted into a folder; the same command again goes on where it stopped. An output
    that exists is replaced only with --force, and the input never.
    """
    options = Options(
        carry=not clean,
        branch=branch,
        id=_check_session_id(id, target),
        attachments=attachments,
        strict=strict,
        allow=frozenset(allow),
        forbid=frozenset(forbid),
    )
    wish = ConvertRequest(
        paths=tuple(paths),
        target=target,
        out=None if dry_run else out,
        options=options,
        gate=OutputGate([*paths, *([onto] if onto else [])], force=force),
        source_format=source_format,
        dry_run=dry_run,
        loss_report=ledger,
        onto=onto,
        each=each,
        fresh=fresh,
        jobs=jobs,
        progress=progress,
        quiet=quiet,
        as_json=as_json,
        color=color,
    )
    return _run_conversion(wish, merge=merge)


command.examples = (
    "talktree convert session.jsonl -t native -o session.native.jsonl",
    "talktree convert session.jsonl -t muse --dry-run",
    "talktree convert session.jsonl -t sage -o session/ --strict --allow usage",
    "talktree convert history.json -t sage -o .sage/sessions/session-123 --id session-123",
    "talktree convert session.jsonl -t chatbuilder -o notes/ --clean --ledger lost.json",
    "talktree convert notes/ -t claude-code --onto session.jsonl -o branched.jsonl",
    "talktree convert first.jsonl resumed.jsonl -t claude-code -o whole.jsonl --merge",
    "talktree convert exports/ -t native -o archive/ --each --jobs 4",
    "talktree convert session.jsonl -t native -o - | jq .",
)


def _check_session_id(id: str | None, target: str) -> str | None:
    """Return the new id of a session, or raise if it is invalid."""
    if id is not None and resolve_alias(target) != SESSION_FORMAT:
        raise UsageError("only sessions have an id of your choice", hint="--id is for --to sage")
    return None if id is None else check_id(id)


def _with_folder_name(wish: ConvertRequest, document: Document) -> ConvertRequest:
    """Give a session that is written into a store the name of its folder."""
    if wish.options.id is not None or wish.out in (None, "-"):
        return wish
    folder = Path(str(wish.out))
    is_in_store = folder.parent.name == "sessions" and is_id(folder.name)
    is_session = resolve_alias(wish.target) == SESSION_FORMAT and document.format != SESSION_FORMAT
    if not is_in_store or not is_session or len(document.conversations) != 1:
        return wish
    return replace(wish, options=replace(wish.options, id=folder.name))


def _run_conversion(wish: ConvertRequest, *, merge: bool) -> int:
    _refuse_contradictions(wish)
    get_format(wish.target)
    if merge:
        documents = [api.read(path, format=wish.source_format) for path in wish.paths]
        for each in documents:
            report_damage(each)
        convert_one(wish, api.merge(documents))
        return 0
    if wish.onto is not None and len(wish.paths) > 1:
        raise UsageError("--onto takes one edited conversation", hint="convert them one by one")
    if len(wish.paths) > 1 or wish.each:
        return _convert_many(wish)
    source = api.open_source(wish.paths[0])
    if source.folder and not wish.onto and wish.source_format is None and not is_one(source):
        return _convert_many(wish)
    document = api.read(source, format=wish.source_format)
    convert_one(_with_folder_name(wish, document), document)
    return 0


def _convert_many(wish: ConvertRequest) -> int:
    if wish.out == "-":
        raise UsageError("several outputs cannot go to stdout", hint="name a folder with -o")
    from talktree.cli.batches import convert_many

    return convert_many(wish)


def _refuse_contradictions(wish: ConvertRequest) -> None:
    if wish.out is None and not wish.dry_run:
        context = click.get_current_context()
        (param,) = (each for each in context.command.params if each.name == "out")
        raise click.MissingParameter(ctx=context, param=param)
    if wish.options.allow and not wish.options.strict:
        raise UsageError("--allow is for --strict", hint="without it nothing is refused anyway")
    if wish.loss_report == "-":
        raise UsageError("--ledger wants a file", hint="--json prints the same on stdout")
    if wish.out == "-":
        _check_stdout(wish)
    if wish.loss_report is not None:
        wish.gate.claim(wish.loss_report, folder=False)


def _check_stdout(wish: ConvertRequest) -> None:
    if wish.as_json:
        raise UsageError("--json and -o - both want stdout", hint="write to a file with -o")
    if output.is_terminal():
        raise UsageError(
            "the raw bytes of a conversation are not for a terminal",
            hint="name a file with -o, or pipe the output somewhere",
        )
    wish.gate.check_stdout()
