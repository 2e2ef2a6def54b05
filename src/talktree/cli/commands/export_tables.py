"""Tables of the library, written for programs that count and draw."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from talktree.cli import open_library, output
from talktree.cli.commands.import_run import failures_told
from talktree.cli.encryption import Encryption
from talktree.cli.errors import tell
from talktree.cli.open_library import opened
from talktree.errors import UsageError
from talktree.files import OutputGate
from talktree.text.json.value import Json
from talktree.views.width import counted

if TYPE_CHECKING:
    from talktree.export.choice import Choice
    from talktree.library.tables.export import Sink

TABLES = ("messages", "calls", "usage", "files")
KINDS = ("parquet", "csv", "arrow")


class Target(NamedTuple):
    """Where a table goes, and which part of it."""

    out: str
    to: str | None
    conversation: str | None
    force: bool
    as_json: bool
    include_deleted: bool = False
    encryption: Encryption | None = None
    redaction: Choice | None = None
    """What to redact; None for nothing."""


def export_table(table: str, target: Target, chosen: open_library.Choice) -> int:
    """Write a table, tell how many rows it has, and return the exit code."""
    from talktree.export.export import redactor_for
    from talktree.export.table_redaction import TableRedaction
    from talktree.library.importing.result import Failed
    from talktree.library.tables.export import export

    redaction = TableRedaction(redactor_for(target.redaction)) if target.redaction else None
    looked_for = redaction.redactor.targets.describe() if redaction else ""
    out, to, as_json = target.out, target.to, target.as_json
    if out == "-":
        _refuse_odd_stdout(target)
    with opened(chosen.library) as kept:
        gate = OutputGate([kept.root], force=target.force)
        named = target.conversation
        done = export(
            kept,
            table,
            _sink(target, gate),
            to=to or _kind(target),
            gate=gate,
            conversation=None if named is None else kept.conversation(named).id,
            include_deleted=target.include_deleted,
            redaction=redaction,
            since=open_library.beginning("--since", chosen.since),
            until=open_library.end("--until", chosen.until),
            project=chosen.project,
            model=chosen.model,
            format=chosen.format,
        )
    failed = [Failed(path, failure) for path, failure in done.failed]
    if as_json:
        from talktree.views.library import failed_shape
        from talktree.views.shapes import document_text

        shape: dict[str, Json] = {
            "written": [out],
            "rows": done.rows,
            "redacted": dict(sorted(redaction.counts.items())) if redaction else {},
            "looked_for": looked_for,
            "failed": failed_shape(failed),
        }
        output.print_text([document_text(shape)])
    else:
        from talktree.cli.commands.export import tell_redacted

        tell(f"talktree: {out}: {counted(done.rows, 'row')}")
        tell_redacted(redaction.counts if redaction else {}, looked_for)
        failures_told(failed, quiet=False)
    return 3 if failed else 0


def _refuse_odd_stdout(target: Target) -> None:
    if target.to is None:
        raise UsageError("nothing says what to write", hint=f"--to is one of {', '.join(KINDS)}")
    if target.as_json:
        raise UsageError("--json and -o - both want stdout", hint="write to a file with -o")
    if target.to != "csv" and output.is_terminal():
        raise UsageError(
            f"{target.to} is not for a terminal", hint="name a file with -o, or use --to csv"
        )


def _kind(target: Target) -> str | None:
    """What the name inside of an encrypted file ends with."""
    if not target.encryption:
        return None
    return Path(target.encryption.inner_name(target.out)).suffix.lstrip(".")


def _sink(target: Target, gate: OutputGate) -> Path | Sink:
    """Where the table goes."""
    if target.out == "-":
        return _stdout(gate, target.encryption)
    if target.encryption:
        return target.encryption.saver(target.out, gate)
    return Path(target.out)


def _stdout(gate: OutputGate, encryption: Encryption | None) -> Sink:
    """Writes to stdout piece by piece."""
    gate.check_stdout()

    def _write(pieces: Iterable[bytes]) -> None:
        sealed = encryption.pieces(pieces) if encryption else pieces
        output.write_file({"table": sealed}, folder=False)

    return _write
