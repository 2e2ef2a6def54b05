"""Tables of the library, written for programs that count and draw."""

from __future__ import annotations

from pathlib import Path

from talktree.cli import libraries, output
from talktree.cli.failures import tell
from talktree.cli.importing import failures_told
from talktree.cli.opening import opened
from talktree.text.json_value import Json
from talktree.views.measure import counted

TABLES = ("messages", "calls", "usage", "files")
KINDS = ("parquet", "csv", "arrow")


def export_table(
    table: str,
    out: str,
    to: str | None,
    chosen: libraries.Choice,
    *,
    conversation: str | None,
    as_json: bool,
) -> int:
    """Write a table, tell how many rows it has, and return the exit code."""
    from talktree.library.importing.result import Failed
    from talktree.library.tables.export import export

    with opened(chosen.library) as kept:
        done = export(
            kept,
            table,
            Path(out),
            to=to,
            conversation=None if conversation is None else kept.conversation(conversation).id,
            since=libraries.beginning("--since", chosen.since),
            until=libraries.end("--until", chosen.until),
            project=chosen.project,
            model=chosen.model,
            format=chosen.format,
        )
    failed = [Failed(path, failure) for path, failure in done.failed]
    if as_json:
        from talktree.views.kept import failed_shape
        from talktree.views.shapes import document_text

        shape: dict[str, Json] = {
            "written": [out],
            "rows": done.rows,
            "failed": failed_shape(failed),
        }
        output.print_text([document_text(shape)])
    else:
        tell(f"talktree: {out}: {counted(done.rows, 'row')}")
        failures_told(failed, quiet=False)
    return 3 if failed else 0
