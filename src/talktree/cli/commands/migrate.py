"""`talktree migrate`: convert older versions of a format to the current one, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import click
from msgspec import Struct

from talktree import api
from talktree.cli import output, params
from talktree.cli.commands.convert import (
    EACH,
    ConvertRequest,
    LossCollector,
    convert_one,
    format_loss_document,
    print_loss_summary,
    save_loss_report,
)
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.notices import report_damage
from talktree.conversion.losses import KINDS
from talktree.conversion.migrate import migrate_document, needs_migration, revert_migration
from talktree.conversion.options import ConversionResult, Options
from talktree.errors import UsageError
from talktree.files import OutputGate, park_pieces
from talktree.formats import get_format, resolve_alias, slugs
from talktree.formats.migration import Reason
from talktree.model.document import Document
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.losses import format_loss_lines
from talktree.views.width import format_count, format_size

MOST_REASONS = 12


class MigrateRequest(Struct, frozen=True, kw_only=True):
    """The options of one call."""

    path: str
    out: str | None
    options: Options
    gate: OutputGate
    back: bool
    rewrite: bool
    dry_run: bool
    loss_report: str | None
    quiet: bool
    as_json: bool
    color: str

    @property
    def speaks(self) -> bool:
        """Whether to report on stderr."""
        return not (self.quiet or self.as_json)


@click.command("migrate", cls=Verb)
@params.one_path
@click.option("-o", "--output", "out", type=params.PATH, help="Where to; - is stdout.")
@click.option(
    "--to",
    metavar="FORMAT|VERSION",
    help="Another format, as `convert` does it; else the current version of its own.",
)
@click.option("--back", is_flag=True, help="The files as they were before, with later edits.")
@click.option("--rewrite", is_flag=True, help="Also write files that are current already.")
@params.force
@params.source_format
@click.option("--dry-run", is_flag=True, help="Write nothing; print what is old and the ledger.")
@click.option(
    "--ledger",
    metavar="FILE",
    type=params.PATH,
    help="Save what is old, and what has no place of its own now, as JSON.",
)
@click.option("--clean", is_flag=True, help="Keep nothing of the old files; no way back.")
@click.option("-q", "--quiet", is_flag=True, help="Tell nothing but errors.")
@params.as_json
@params.color
def command(
    path: str,
    out: str | None,
    to: str | None,
    back: bool,  # noqa: FBT001
    rewrite: bool,  # noqa: FBT001
    force: bool,  # noqa: FBT001
    source_format: str | None,
    dry_run: bool,  # noqa: FBT001
    ledger: str | None,
    clean: bool,  # noqa: FBT001
    quiet: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    color: str,
) -> None:
    """Bring files of older versions of a format up to date, and back again.

    The migrated file keeps what it was: --back gives the old bytes again, with whatever was edited
    since. Nothing is written for files that are current already. An output that exists is replaced
    only with --force, and the input never.
    """
    asked = MigrateRequest(
        path=path,
        out=None if dry_run else out,
        options=Options(carry=not clean),
        gate=OutputGate([path], force=force),
        back=back,
        rewrite=rewrite,
        dry_run=dry_run,
        loss_report=ledger,
        quiet=quiet,
        as_json=as_json,
        color=color,
    )
    _refuse_contradictions(asked)
    document = api.read(path, format=source_format)
    if not quiet:
        report_damage(document)
    to = to and resolve_alias(to)
    if to in slugs() and to != document.format:
        convert_one(_to_convert_request(asked, to or "", source_format), document)
    else:
        _refuse_other_versions(document, to)
        _migrate_document(asked, document)


command.examples = (
    "talktree migrate 2c9f7d1e.json -o 2c9f7d1e/",
    "talktree migrate export.json --dry-run",
    "talktree migrate --back 2c9f7d1e/ -o 2c9f7d1e.json",
    "talktree migrate notes.jsonl --to claude-code -o session.jsonl",
)


def _to_convert_request(
    asked: MigrateRequest, target: str, source_format: str | None
) -> ConvertRequest:
    if asked.back or asked.rewrite:
        raise UsageError("--back and --rewrite are for one format", hint="leave out --to")
    return ConvertRequest(
        paths=(asked.path,),
        target=target,
        out=asked.out,
        options=asked.options,
        gate=asked.gate,
        source_format=source_format,
        dry_run=asked.dry_run,
        loss_report=asked.loss_report,
        quiet=asked.quiet,
        as_json=asked.as_json,
        color=asked.color,
    )


def _refuse_contradictions(asked: MigrateRequest) -> None:
    if asked.out is None and not asked.dry_run:
        context = click.get_current_context()
        (param,) = (each for each in context.command.params if each.name == "out")
        raise click.MissingParameter(ctx=context, param=param)
    if asked.loss_report == "-":
        raise UsageError("--ledger wants a file", hint="--json prints the same on stdout")
    if asked.back and not asked.options.carry:
        raise UsageError("--clean is for the way forth", hint="leave it out")
    if asked.out == "-":
        if asked.as_json:
            raise UsageError("--json and -o - both want stdout", hint="write to a file with -o")
        if output.is_terminal():
            raise UsageError(
                "the raw bytes of a conversation are not for a terminal",
                hint="name a file with -o, or pipe the output somewhere",
            )
        asked.gate.check_stdout()
    if asked.loss_report is not None:
        asked.gate.claim(asked.loss_report, folder=False)


def _refuse_other_versions(document: Document, to: str | None) -> None:
    version = get_format(document.format).info.version
    if to is not None and to not in (document.format, version):
        raise UsageError(
            f"{document.format} can be migrated to version {version}, not to {to}",
            hint=f"or to another format: {', '.join(slugs())}",
        )


def _migrate_document(asked: MigrateRequest, document: Document) -> None:
    account = LossCollector(each=asked.as_json or asked.loss_report is not None, step=lambda: None)
    if asked.out is not None and asked.out != "-":
        asked.gate.claim(asked.out)
    reasons = [] if asked.back else needs_migration(document)
    written: Sequence[tuple[str, int]] = ()
    current = not (asked.back or asked.rewrite or reasons)
    if not current:
        loss_report = account.loss_report
        if asked.back:
            made = revert_migration(document, loss_report)
        else:
            made = migrate_document(document, asked.options, loss_report)
        written = _write_files(asked, made)
    if asked.loss_report is not None:
        save_loss_report(
            asked.loss_report,
            _format_json_document(document, reasons, account, written),
            asked.gate,
        )
    if asked.as_json:
        output.print_text(_format_json_document(document, reasons, account, written))
    elif asked.dry_run:
        lines = _format_preview_lines(document, reasons, account, current=current)
        output.print_lines(lines, color=output.use_color(asked.color))
    elif asked.speaks:
        _report_result(asked, document, reasons, account, written)


def _write_files(asked: MigrateRequest, made: ConversionResult) -> Sequence[tuple[str, int]]:
    """Return the files, made as they are read; the loss report is complete after the last one."""
    if asked.out is None:
        for pieces in made.files.values():
            for _ in pieces:
                pass
        return ()
    if asked.out != "-":
        paths = api.save_conversion(made, asked.out, gate=asked.gate).written
        return [(str(path), path.stat().st_size) for path in paths]
    if len(made.files) != 1 or made.folder:
        raise UsageError(
            f"{format_count(len(made.files), 'file')} cannot go to stdout",
            hint="name a folder with -o",
        )
    (pieces,) = made.files.values()
    content = park_pieces(pieces)
    with output.open_stdout() as sink:
        for block in content.blocks():
            sink.write(block)
        sink.flush()
    return ()


# reports


def _report_result(
    asked: MigrateRequest,
    document: Document,
    reasons: Sequence[Reason],
    account: LossCollector,
    written: Sequence[tuple[str, int]],
) -> None:
    if not (asked.back or asked.rewrite or reasons):
        print_stderr(f"talktree: {document.shown} is current already; nothing was written")
        return
    for text in _format_reasons(reasons):
        print_stderr(f"  {text}")
    if asked.out != "-":
        files = "" if len(written) == 1 else f"{format_count(len(written), 'file')}, "
        print_stderr(
            f"talktree: wrote {asked.out} "
            f"({files}{format_size(sum(count for _, count in written))})"
        )
    print_loss_summary(account.sums, hint=EACH)


def _format_reasons(reasons: Sequence[Reason]) -> Iterator[str]:
    counts = Counter(reason.what for reason in reasons)
    for what, count in counts.most_common(MOST_REASONS):
        yield f"{count:,} x {what}" if count > 1 else what
    if len(counts) > MOST_REASONS:
        yield f"… and {len(counts) - MOST_REASONS} other things"


def _format_preview_lines(
    document: Document, reasons: Sequence[Reason], account: LossCollector, *, current: bool
) -> Iterator[Line]:
    version = get_format(document.format).info.version
    if current:
        yield line((document.name, "title"), f" is current: {document.format} {version}")
        return
    yield line((document.name, "title"), f" ({document.format}) to version {version}")
    yield from (line(f"  {text}") for text in _format_reasons(reasons))
    yield from format_loss_lines(account.sums, KINDS, account.examples)


def _format_json_document(
    document: Document,
    reasons: Sequence[Reason],
    account: LossCollector,
    written: Sequence[tuple[str, int]],
) -> Iterator[str]:
    files: list[Json] = [{"path": path, "bytes": count} for path, count in written]
    details: list[Json] = [
        {"what": reason.what, "entry": reason.entry, "path": reason.path} for reason in reasons
    ]
    version = get_format(document.format).info.version
    return format_loss_document(
        files,
        account.losses(),
        account.sums,
        format=document.format,
        version=version,
        reasons=details,
    )
