"""`talktree convert`: write a conversation in a format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from talktree import api
from talktree.cli import output, params
from talktree.cli.failures import tell
from talktree.cli.noticed import tell_findings
from talktree.cli.verbs import Verb
from talktree.errors import UsageError
from talktree.formats import by_slug
from talktree.model.document import Document
from talktree.text.json_value import Json
from talktree.views.measure import counted, size
from talktree.views.shapes import document_text

Files = Mapping[str, Iterable[bytes]]


@click.command("convert", cls=Verb)
@params.one_path
@click.option(
    "-t", "--to", "target", type=params.FORMAT, required=True, help="The format to write."
)
@click.option(
    "-o", "--output", "out", type=params.PATH, required=True, help="Where to; - is stdout."
)
@params.source_format
@params.as_json
def command(
    path: str,
    target: str,
    out: str,
    source_format: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Write a conversation in a format; in its own format it comes out byte for byte."""
    _refuse_odd_output(path, out, as_json=as_json)
    by_slug(target)
    document = api.read(path, format=source_format)
    if out == "-":
        _to_stdout(document, target)
    else:
        written = api.convert(document, Path(out), to=target)
        _tell_written(written, out, as_json=as_json)
    if not as_json:
        tell_findings(document)


command.examples = (
    "talktree convert session.jsonl -t native -o session.native.jsonl",
    "talktree convert session/ -t sage -o copy/",
    "talktree convert session.jsonl -t native -o - | jq .",
)


def _refuse_odd_output(path: str, out: str, *, as_json: bool) -> None:
    if out == "-":
        if as_json:
            raise UsageError("--json and -o - both want stdout", hint="write to a file with -o")
        if output.is_terminal():
            raise UsageError(
                "the raw bytes of a conversation are not for a terminal",
                hint="name a file with -o, or pipe the output somewhere",
            )
        return
    if path == "-":
        return
    source, target = Path(path).resolve(), Path(out).resolve()
    if target == source or source in target.parents:
        raise UsageError(
            f"{out}: this is the input", hint="name another place; the input stays as it is"
        )


def _to_stdout(document: Document, target: str) -> None:
    files = api.converted(document, to=target)
    if len(files) != 1:
        raise UsageError(
            f"{counted(len(files), 'file')} cannot go to stdout", hint="name a folder with -o"
        )
    with output.stdout() as sink:
        for pieces in files.values():
            for piece in pieces:
                sink.write(piece)
        sink.flush()


def _tell_written(written: list[Path], out: str, *, as_json: bool) -> None:
    sizes = [path.stat().st_size for path in written]
    if as_json:
        listed: list[Json] = [
            {"path": str(path), "bytes": count} for path, count in zip(written, sizes, strict=True)
        ]
        shape: dict[str, Json] = {"written": listed, "losses": [], "carried_bytes": 0}
        output.print_text([document_text(shape)])
        return
    files = "" if len(written) == 1 else f"{counted(len(written), 'file')}, "
    tell(f"talktree: wrote {out} ({files}{size(sum(sizes))})")
