"""`talktree convert`: write conversations in a format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import click
from msgspec.structs import replace

from talktree import api
from talktree.cli import output, params
from talktree.cli.conversion import Wish, convert_one
from talktree.cli.noticed import tell_damage
from talktree.cli.progress import CHOICES
from talktree.cli.verbs import Verb
from talktree.conversion.options import Options
from talktree.errors import UsageError
from talktree.files import OutputGate
from talktree.formats import by_slug, resolve_alias
from talktree.formats.sources import is_one
from talktree.model.document import Document
from talktree.session.names import FORMAT as SESSION_FORMAT
from talktree.session.names import checked_id, is_id


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
        id=_session_id(id, target),
        attachments=attachments,
        strict=strict,
        allow=frozenset(allow),
        forbid=frozenset(forbid),
    )
    wish = Wish(
        paths=tuple(paths),
        target=target,
        out=None if dry_run else out,
        options=options,
        gate=OutputGate([*paths, *([onto] if onto else [])], force=force),
        source_format=source_format,
        dry_run=dry_run,
        ledger=ledger,
        onto=onto,
        each=each,
        fresh=fresh,
        jobs=jobs,
        progress=progress,
        quiet=quiet,
        as_json=as_json,
        color=color,
    )
    return _run(wish, merge=merge)


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


def _session_id(id: str | None, target: str) -> str | None:
    """The id that is given to a session, checked."""
    if id is not None and resolve_alias(target) != SESSION_FORMAT:
        raise UsageError("only sessions have an id of your choice", hint="--id is for --to sage")
    return None if id is None else checked_id(id)


def _with_folder_name(wish: Wish, document: Document) -> Wish:
    """A session that is written into a store has the name of its folder."""
    if wish.options.id is not None or wish.out in (None, "-"):
        return wish
    folder = Path(str(wish.out))
    is_in_store = folder.parent.name == "sessions" and is_id(folder.name)
    is_session = resolve_alias(wish.target) == SESSION_FORMAT and document.format != SESSION_FORMAT
    if not is_in_store or not is_session or len(document.conversations) != 1:
        return wish
    return replace(wish, options=replace(wish.options, id=folder.name))


def _run(wish: Wish, *, merge: bool) -> int:
    _refuse_odd_wishes(wish)
    by_slug(wish.target)
    if merge:
        documents = [api.read(path, format=wish.source_format) for path in wish.paths]
        for each in documents:
            tell_damage(each)
        convert_one(wish, api.merged(documents))
        return 0
    if wish.onto is not None and len(wish.paths) > 1:
        raise UsageError("--onto takes one edited conversation", hint="convert them one by one")
    if len(wish.paths) > 1 or wish.each:
        return _many(wish)
    source = api.open_source(wish.paths[0])
    if source.folder and not wish.onto and wish.source_format is None and not is_one(source):
        return _many(wish)
    document = api.read(source, format=wish.source_format)
    convert_one(_with_folder_name(wish, document), document)
    return 0


def _many(wish: Wish) -> int:
    if wish.out == "-":
        raise UsageError("several outputs cannot go to stdout", hint="name a folder with -o")
    from talktree.cli.batches import convert_many

    return convert_many(wish)


def _refuse_odd_wishes(wish: Wish) -> None:
    if wish.out is None and not wish.dry_run:
        context = click.get_current_context()
        (param,) = (each for each in context.command.params if each.name == "out")
        raise click.MissingParameter(ctx=context, param=param)
    if wish.options.allow and not wish.options.strict:
        raise UsageError("--allow is for --strict", hint="without it nothing is refused anyway")
    if wish.ledger == "-":
        raise UsageError("--ledger wants a file", hint="--json prints the same on stdout")
    if wish.out == "-":
        _refuse_odd_stdout(wish)
    if wish.ledger is not None:
        wish.gate.claim(wish.ledger, folder=False)


def _refuse_odd_stdout(wish: Wish) -> None:
    if wish.as_json:
        raise UsageError("--json and -o - both want stdout", hint="write to a file with -o")
    if output.is_terminal():
        raise UsageError(
            "the raw bytes of a conversation are not for a terminal",
            hint="name a file with -o, or pipe the output somewhere",
        )
    wish.gate.check_stdout()
