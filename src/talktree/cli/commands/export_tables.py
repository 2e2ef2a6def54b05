"""Tables of the library, written for programs that count and draw."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from talktree.cli import library_arguments, output
from talktree.cli.commands.import_run import print_failures
from talktree.cli.encryption import Encryption
from talktree.cli.errors import print_stderr
from talktree.cli.open_library import open_library_at
from talktree.errors import UsageError
from talktree.files import OutputGate
from talktree.text.json.value import Json
from talktree.views.width import format_count

if TYPE_CHECKING:
    from talktree.export.choice import ExportOptions
    from talktree.library.tables.export import Sink

TABLES = ("messages", "calls", "usage", "files")
KINDS = ("parquet", "csv", "arrow")


class TableTarget(NamedTuple):
    """The output of a table, and which part of it is written."""

    out: str
    to: str | None
    conversation: str | None
    force: bool
    as_json: bool
    include_deleted: bool = False
    encryption: Encryption | None = None
    redaction: ExportOptions | None = None
    """What to redact; None for nothing."""


def export_table(
    table: str, target: TableTarget, chosen: library_arguments.LibrarySelection
) -> int:
    """Write a table, report its number of rows, and return the exit code."""
    from talktree.export.export import make_redactor
    from talktree.export.table_redaction import TableRedaction
    from talktree.library.importing.result import FailedPath
    from talktree.library.tables.export import write_table

    redaction = TableRedaction(make_redactor(target.redaction)) if target.redaction else None
    looked_for = redaction.redactor.targets.describe() if redaction else ""
    out, to, as_json = target.out, target.to, target.as_json
    if out == "-":
        _check_stdout(target)
    with open_library_at(chosen.library) as kept:
        gate = OutputGate([kept.root], force=target.force)
        named = target.conversation
        done = write_table(
            kept,
            table,
            _open_sink(target, gate),
            to=to or _find_inner_suffix(target),
            gate=gate,
            conversation=None if named is None else kept.conversation(named).id,
            include_deleted=target.include_deleted,
            redaction=redaction,
            since=library_arguments.parse_since("--since", chosen.since),
            until=library_arguments.parse_until("--until", chosen.until),
            project=chosen.project,
            model=chosen.model,
            format=chosen.format,
        )
    failed = [FailedPath(path, failure) for path, failure in done.failed]
    if as_json:
        from talktree.views.library import format_failed_sources
        from talktree.views.shapes import format_document

        shape: dict[str, Json] = {
            "written": [out],
            "rows": done.rows,
            "redacted": dict(sorted(redaction.counts.items())) if redaction else {},
            "looked_for": looked_for,
            "failed": format_failed_sources(failed),
        }
        output.print_text([format_document(shape)])
    else:
        from talktree.cli.commands.export import report_redacted

        print_stderr(f"talktree: {out}: {format_count(done.rows, 'row')}")
        report_redacted(redaction.counts if redaction else {}, looked_for)
        print_failures(failed, quiet=False)
    return 3 if failed else 0


def _check_stdout(target: TableTarget) -> None:
    if target.to is None:
        raise UsageError("nothing says what to write", hint=f"--to is one of {', '.join(KINDS)}")
    if target.as_json:
        raise UsageError("--json and -o - both want stdout", hint="write to a file with -o")
    if target.to != "csv" and output.is_terminal():
        raise UsageError(
            f"{target.to} is not for a terminal", hint="name a file with -o, or use --to csv"
        )


def _find_inner_suffix(target: TableTarget) -> str | None:
    """Return the suffix of the name inside an encrypted file."""
    if not target.encryption:
        return None
    return Path(target.encryption.inner_name(target.out)).suffix.lstrip(".")


def _open_sink(target: TableTarget, gate: OutputGate) -> Path | Sink:
    """Open the output of a table."""
    if target.out == "-":
        return _make_stdout_sink(gate, target.encryption)
    if target.encryption:
        return target.encryption.make_saver(target.out, gate)
    return Path(target.out)


def _make_stdout_sink(gate: OutputGate, encryption: Encryption | None) -> Sink:
    """Write to stdout piece by piece."""
    gate.check_stdout()

    def _write(pieces: Iterable[bytes]) -> None:
        sealed = encryption.encrypt_pieces(pieces) if encryption else pieces
        output.write_file({"table": sealed}, folder=False)

    return _write
