"""`talktree export`: conversations for other people, and tables of the library for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from talktree.cli import libraries, params
from talktree.cli.commands.export_tables import KINDS, TABLES, Target, export_table
from talktree.cli.encryption import Encryption
from talktree.cli.progress import CHOICES
from talktree.cli.verbs import Verb
from talktree.errors import UsageError
from talktree.files import OutputGate

if TYPE_CHECKING:
    from talktree.export.choice import Choice

SHORTEST_WORD = 2
OF_TABLES = ("include_deleted", "redact_words", "no_redact")
"""Options of pages that tables have, too."""
DETAILS = ("full", "high", "low", "minimal", "user-only")


@click.command("export", cls=Verb)
@click.argument("what", nargs=-1, required=True, type=params.PATH, metavar="PATH|ID|TABLE...")
@click.option(
    "-o",
    "--output",
    "out",
    metavar="OUT",
    required=True,
    type=params.PATH,
    help="A file, or a folder (OUT/) for several; - is stdout.",
)
@params.force
@click.option(
    "--to",
    metavar="[html|md|text|FORMAT]",
    help=f"What to write, else what OUT ends with; of a table {', '.join(KINDS)}.",
)
@click.option("--branch", metavar="[active|ID]", help="Only the branch through this message.")
@click.option("--ids", metavar="ID,...", help="Only these messages.")
@click.option(
    "--detail",
    type=click.Choice(DETAILS),
    default="full",
    help="How much: high has no thinking and cuts long outputs, low has one line for each tool "
    "call, minimal has only what was said, user-only what people said.",
)
@click.option(
    "--redact",
    "redact_words",
    metavar="WORD",
    multiple=True,
    help="Also replace this word, or with `pii` personal data; repeatable.",
)
@click.option("--no-redact", is_flag=True, help="Leave keys, tokens and passwords as they are.")
@click.option(
    "--images",
    type=click.Choice(("keep", "link", "drop")),
    default="keep",
    help="Images: in the file, only links to those elsewhere, or none.",
)
@click.option(
    "--include-deleted",
    is_flag=True,
    help="Also deleted messages, messages that are not shown to the user, and hidden artifacts.",
)
@click.option("--theme", type=click.Choice(("system", "light", "dark")), default="system")
@click.option(
    "--encrypt-to",
    "recipients",
    metavar="RECIPIENT",
    multiple=True,
    help="Encrypt it with age to age1…, ssh-ed25519 … or the recipients in a file; OUT ends with "
    ".age. Needs the extra `encryption`.",
)
@params.source_format
@params.jobs
@click.option(
    "--progress",
    type=click.Choice(CHOICES),
    default="auto",
    help="A bar on a terminal, a JSON object a line on stderr, or none.",
)
@click.option("-q", "--quiet", is_flag=True, help="Tell nothing but errors.")
@libraries.within
@click.option("--project", metavar="TEXT", help="Of a table: only projects with this in the path.")
@click.option("--model", metavar="TEXT", help="Of a table: only models with this in the name.")
@click.option("--format", "format", type=params.FORMAT, help="Of a table: only this format.")
@click.option("--conversation", metavar="ID", help="Only this conversation.")
@params.as_json
@libraries.at
@click.pass_context
def command(
    context: click.Context,
    /,
    what: Sequence[str],
    out: str,
    force: bool,  # noqa: FBT001
    to: str | None,
    since: str | None,
    until: str | None,
    project: str | None,
    model: str | None,
    format: str | None,
    conversation: str | None,
    as_json: bool,  # noqa: FBT001
    library: str | None,
    recipients: Sequence[str],
    **wishes: object,
) -> int:
    """Write a conversation as a page for other people, or a TABLE of the library for programs.

    A page holds all it needs and no script. If OUT has the ending of a file (.html, .jsonl), one
    file is written; several conversations are refused unless they are in one file, or in a folder
    of one format, and one file can hold them. Any other OUT is a folder if there are several
    conversations or if it ends with a slash: of pages with an index, or with a file or folder of
    FORMAT for each; without --to and an ending, of pages. A folder that is in FORMAT already keeps
    its layout.

    Files that belong to no conversation are left out and named. Keys, tokens and passwords that are
    found are replaced unless --no-redact is given; without it, files of a conversation that are not
    text are left out, too.

    TABLE is one of messages, calls, usage or files and needs the extra `data` (exit code 6 without
    it); a path of that name is written `./messages`.

    Deleted messages, and messages that are not shown to the user, are left out of pages and have no
    texts in tables unless --include-deleted. An output that exists is replaced only with --force,
    and the input never. Exit code 3 if something could not be read; the rest is written.
    """
    encryption = Encryption(recipients, out) if recipients else None
    if len(what) == 1 and what[0] in TABLES:
        _refuse(context, "a table", [name for name in wishes if name not in OF_TABLES])
        choice = libraries.Choice(library, since, until, project, model, format)
        target = Target(
            out,
            to,
            conversation,
            force,
            as_json,
            include_deleted=bool(wishes["include_deleted"]),
            encryption=encryption,
            redaction=_redaction(wishes),
        )
        return export_table(what[0], target, choice)
    _refuse_tables(what)
    _refuse(context, "a conversation", ("since", "until", "project", "model", "format", "library"))
    gate = OutputGate(libraries.inputs(what, library), force=force)
    wishes["encryption"] = encryption
    return _conversations(what, out, to, conversation, wishes, gate, as_json=as_json)


command.examples = (
    "talktree export session.jsonl -o session.html",
    "talktree export session.jsonl -o prompts.md --detail user-only",
    "talktree export session.jsonl -o session.html --redact pii --redact Orchard",
    "talktree export ~/.claude/projects --to html -o pages/",
    "talktree export session.jsonl --to native -o clean.jsonl --branch active",
    "talktree export usage -o usage.csv --since 4w --project app",
    "talktree export session.jsonl -o session.html.age --encrypt-to age1…",
)


def _conversations(
    what: Sequence[str],
    out: str,
    to: str | None,
    conversation: str | None,
    wishes: dict[str, object],
    gate: OutputGate,
    *,
    as_json: bool,
) -> int:
    import msgspec

    from talktree.cli.exporting import Wish, export_conversations, target
    from talktree.export.choice import Choice

    ids = str(wishes["ids"] or "")
    encryption = wishes["encryption"]
    assert encryption is None or isinstance(encryption, Encryption)
    inner = out if encryption is None else encryption.inner_name(out)
    shape = {
        "to": target(to, inner, what),
        "scope": {"leaf": wishes["branch"], "ids": [each for each in ids.split(",") if each]},
        "detail": wishes["detail"],
        **_redaction_shape(wishes),
        "images": wishes["images"],
        "theme": wishes["theme"],
        "include_deleted": wishes["include_deleted"],
    }
    wish = {
        "paths": tuple(what),
        "out": out,
        "choice": shape,
        "conversation": conversation,
        "as_json": as_json,
        **{name: wishes[name] for name in ("source_format", "jobs", "progress", "quiet")},
    }
    assert msgspec.convert(shape, Choice)
    return export_conversations(msgspec.convert(wish, Wish), gate, encryption)


def _redaction(wishes: dict[str, object]) -> Choice | None:
    """What is redacted in a table; None for nothing."""
    import msgspec

    from talktree.export.choice import Choice

    choice = msgspec.convert(_redaction_shape(wishes), Choice)
    return choice if choice.redact else None


def _redaction_shape(wishes: dict[str, object]) -> dict[str, object]:
    """The members of a choice that say what is redacted."""
    from talktree.export.targets import PII

    words = _redacted_words(wishes)
    return {
        "redact": not wishes["no_redact"],
        "words": [word for word in words if word.lower() != PII],
        "personal": any(word.lower() == PII for word in words),
    }


def _redacted_words(wishes: dict[str, object]) -> tuple[str, ...]:
    given = wishes["redact_words"]
    words = tuple(map(str, given)) if isinstance(given, tuple) else ()
    if words and wishes["no_redact"]:
        raise UsageError("--redact and --no-redact contradict each other", hint="give one of them")
    if any(len(word.strip()) < SHORTEST_WORD for word in words):
        raise UsageError("a word to redact is too short", hint="use at least two characters")
    return words


def _refuse_tables(what: Sequence[str]) -> None:
    """Raise for a table among conversations."""
    for each in what:
        if each in TABLES:
            raise UsageError(
                f"{each}: a table is exported alone",
                hint=f"a path of that name is written ./{each}",
            )


def _refuse(context: click.Context, of: str, names: Sequence[str]) -> None:
    """Options that say nothing here are a mistake of whoever gave them."""
    given = click.core.ParameterSource.COMMANDLINE
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in names and context.get_parameter_source(name) is given:
            raise UsageError(
                f"{parameter.opts[-1]} says nothing about {of}",
                hint="see `talktree export --help`",
            )
