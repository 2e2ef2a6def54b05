"""`talktree repair`: fix problems in a conversation, and report the result as text and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from talktree import api
from talktree.checks.registry import refuse_unknown
from talktree.checks.report import make_report
from talktree.cli import output, params
from talktree.cli.commands.check import find_ignored, load_config, split_codes
from talktree.cli.companions import report_left_out
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.notices import report_damage
from talktree.errors import UsageError
from talktree.files import OutputGate, is_compressed_name, save
from talktree.files.safe_replace import refuse_if_written
from talktree.repairs.run import Repair
from talktree.repairs.write import find_log, save_repair
from talktree.text.json.value import Json
from talktree.views.repairs import format_plan_lines
from talktree.views.shapes import format_document
from talktree.views.width import format_count


def print_repair_result(repair: Repair, where: str | None) -> None:
    """Print a few lines on stderr: how many bytes are kept, what is reachable, what is left.

    `where` is the file or folder that was written; None if nothing was.
    """
    kept, quarantined = repair.bytes
    before, after = repair.reach
    start = "" if where is None else f"{where}: "
    verb = "would be made" if where is None else "made"
    print_stderr(
        f"talktree: {start}{format_count(len(repair.plan), 'change')} "
        f"{verb}{_format_extent(repair)}; "
        f"{kept:,} of {kept + quarantined:,} bytes kept, {quarantined:,} quarantined"
    )
    if (before.reachable, before.messages) != (after.reachable, after.messages):
        print_stderr(
            f"talktree: {before.reachable:,} of "
            f"{format_count(before.messages, 'message')} reachable "
            f"before, {after.reachable:,} of {after.messages:,} after"
        )
    left = [each for each in make_report(repair.after).findings if each.severity == "error"]
    if left:
        mendable = sum(1 for each in left if each.fix == "unsafe")
        more = f"; --unsafe mends {mendable:,} of them" if mendable else ""
        print_stderr(f"talktree: {format_count(len(left), 'error')} left{more}")


def _format_extent(repair: Repair) -> str:
    """Return in how many files of a folder something is changed."""
    before = repair.sources[0] if repair.sources else repair.source
    if not before.folder:
        return ""
    paths = {
        path
        for done in repair.rounds
        for path in (*done.gone, *done.made, *(path for path, each in done.splices.items() if each))
    }
    return f" in {len(paths):,} of {format_count(len(before.files), 'file')}"


def build_result_shape(repair: Repair, written: Sequence[Path]) -> dict[str, Json]:
    """The result as JSON."""
    kept, quarantined = repair.bytes
    before, after = repair.reach
    plan: list[Json] = [msgspec.to_builtins(each) for each in repair.plan]
    left: dict[str, Json] = dict(make_report(repair.after).counts().items())
    return {
        "plan": plan,
        "written": [str(path) for path in written],
        "kept_bytes": kept,
        "quarantined_bytes": quarantined,
        "reachable_before": before.reachable,
        "reachable_after": after.reachable,
        "messages_before": before.messages,
        "messages_after": after.messages,
        "left": left,
    }


@click.command("repair", cls=Verb)
@params.one_path
@click.option(
    "-o",
    "--output",
    "out",
    type=params.PATH,
    help="Where the repaired file or folder goes; with --back, - is stdout.",
)
@params.force
@click.option("--dry-run", is_flag=True, help="Write nothing; print the plan.")
@click.option("--unsafe", is_flag=True, help="Also make fixes that invent or drop something.")
@click.option("--in-place", is_flag=True, help="Replace the input, after a verified backup.")
@click.option("--back", is_flag=True, help="Undo: PATH was repaired; write it as it was.")
@click.option(
    "--log",
    metavar="FILE",
    type=params.PATH,
    help="The log of the repair to undo; else the one beside PATH.",
)
@params.rule_selection
@params.source_format
@params.configured
@click.option("-q", "--quiet", is_flag=True, help="Tell nothing but errors.")
@params.as_json
@params.color
def command(
    path: str,
    out: str | None,
    force: bool,  # noqa: FBT001
    dry_run: bool,  # noqa: FBT001
    unsafe: bool,  # noqa: FBT001
    in_place: bool,  # noqa: FBT001
    back: bool,  # noqa: FBT001
    log: str | None,
    select: Sequence[str],
    ignore: Sequence[str],
    source_format: str | None,
    config: str | None,
    quiet: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    color: str,
) -> None:
    """Mend what is wrong: planned, minimal, and undone with --back.

    The repaired file is a new one, and the input stays as it is. Every byte of the input is kept,
    or is in the log beside the output. Of a session only the file that you name is repaired, not
    the files of its sub-agents. Only safe fixes are made unless you ask for more. An output that
    exists is replaced only with --force, the input only with --in-place, and a log never.
    """
    _refuse_contradictions(path, out, dry_run=dry_run, in_place=in_place, back=back)
    log = log or (str(find_log(Path(path))) if back else None)
    gate = OutputGate([path, *([log] if log else [])], force=force)
    if out is not None and out != "-" and not dry_run:
        gate.claim(out)
    if back:
        assert out is not None
        _revert_repair(path, log, out, gate, quiet=quiet)
        return
    settled = load_config(config, [path])
    chosen = split_codes(select) or settled.select
    left_out = find_ignored(settled, select, ignore)
    refuse_unknown((*chosen, *left_out))
    source = api.open_source(path)
    if not dry_run:
        refuse_if_written(source)
    document = api.read(source, format=source_format, alone=True)
    report_damage(document)
    done = api.repair(document, unsafe=unsafe, select=chosen, ignore=left_out)
    written: list[Path] = []
    if in_place:
        written = api.repair_in_place(done, path) if done.changed else []
    elif out is not None:
        written = save_repair(done, out, gate=gate)
    if as_json:
        output.print_text([format_document(build_result_shape(done, written))])
        return
    if not quiet:
        output.print_lines(format_plan_lines(done.plan), color=output.use_color(color))
        print_repair_result(done, None if dry_run else out or path)
        if out is not None and not dry_run:
            report_left_out(path, document)


def _revert_repair(path: str, log: str | None, out: str, gate: OutputGate, *, quiet: bool) -> None:
    """Write the files as they were before a repair."""
    source = api.revert_repair(path, log)
    pieces = {name: content.blocks() for name, content in source.files.items()}
    if out == "-":
        gate.check_stdout()
        output.write_file(pieces, folder=source.folder)
        return
    save(pieces, out, folder=source.folder, gate=gate)
    if not quiet:
        print_stderr(f"talktree: {out}: as it was before the repair")


def _refuse_contradictions(
    path: str, out: str | None, *, dry_run: bool, in_place: bool, back: bool
) -> None:
    asked = [dry_run, in_place, out is not None]
    if back and (in_place or dry_run or out is None):
        raise UsageError("--back needs a place to write to", hint="add -o FILE")
    if sum(asked) != 1 and not (dry_run and out is not None and not in_place):
        raise UsageError(
            "say where the repaired file goes",
            hint="one of -o FILE, --in-place (with a backup), --dry-run (only the plan)",
        )
    if path == "-" and in_place:
        raise UsageError("stdin cannot be replaced", hint="use -o FILE")
    if out == "-":
        if not back:
            raise UsageError("the log of a repair needs a file to be beside", hint="use -o FILE")
        return
    if out is not None and path != "-" and is_compressed_name(path) != is_compressed_name(out):
        # The log restores from the bytes that are written, so they are not compressed again.
        raise UsageError(
            f"{path} and {out}: only one of the names says that the file is packed",
            hint="give both files the same ending",
        )


command.examples = (
    "talktree repair session.jsonl --dry-run",
    "talktree repair session.jsonl -o mended.jsonl",
    "talktree repair session.jsonl --unsafe --in-place",
    "talktree repair mended.jsonl --back -o original.jsonl",
)
