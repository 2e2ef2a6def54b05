"""`talktree export`: tables of the library for programs that count and draw."""

from __future__ import annotations

from pathlib import Path

import click

from talktree.cli import libraries, output, params
from talktree.cli.failures import tell
from talktree.cli.importing import failures_told
from talktree.cli.verbs import Verb
from talktree.text.json_value import Json
from talktree.views.measure import counted

TABLES = ("messages", "calls", "usage", "files")
KINDS = ("parquet", "csv", "arrow")


@click.command("export", cls=Verb)
@click.argument("table", type=click.Choice(TABLES), metavar="TABLE")
@click.option(
    "-o",
    "--output",
    "out",
    metavar="FILE",
    required=True,
    type=click.Path(dir_okay=False),
    help="What to write; what was there is replaced when all is written.",
)
@click.option("--to", type=click.Choice(KINDS), help="Its format; else what FILE ends with.")
@libraries.within
@click.option("--project", metavar="TEXT", help="Only projects with this in their path.")
@click.option("--model", metavar="TEXT", help="Only models with this in their name.")
@click.option("--format", "format", type=params.FORMAT, help="Only conversations of this format.")
@click.option("--conversation", metavar="ID", help="Only this conversation.")
@params.as_json
@libraries.at
def command(
    table: str,
    out: str,
    to: str | None,
    since: str | None,
    until: str | None,
    project: str | None,
    model: str | None,
    format: str | None,
    conversation: str | None,
    as_json: bool,  # noqa: FBT001
    library: str | None,
) -> int:
    """Write a TABLE of the library: messages, calls, usage or files.

    It needs the extra `data` (exit code 6 without it). Exit code 3 if a conversation could not be
    read; the others are written.
    """
    from talktree.library.importing.result import Failed
    from talktree.library.tables.export import export

    with libraries.opened(library) as kept:
        chosen = None if conversation is None else kept.conversation(conversation).id
        done = export(
            kept,
            table,
            Path(out),
            to=to,
            conversation=chosen,
            since=libraries.beginning("--since", since),
            until=libraries.end("--until", until),
            project=project,
            model=model,
            format=format,
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


command.examples = (
    "talktree export messages -o messages.parquet",
    "talktree export usage -o usage.csv --since 4w --project app",
    "talktree export calls -o calls.arrow --conversation 3f2a",
)
