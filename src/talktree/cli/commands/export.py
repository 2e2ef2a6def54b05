"""`talktree export`: conversations as pages or files, and tables of the library.

Conversations become one page or file, or a folder of them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from msgspec import Struct, structs

from talktree import api
from talktree.cli import library_arguments, output, params
from talktree.cli.commands.export_tables import KINDS, TABLES, TableTarget, export_table
from talktree.cli.encryption import Encryption
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.notices import report_findings
from talktree.cli.params import choose_conversations
from talktree.cli.progress import CHOICES, print_step, show_bar, wants_bar
from talktree.errors import UnknownFormat, UsageError
from talktree.export.batch import ExportJobResult, Told, export_many
from talktree.export.choice import PAGES, ExportOptions
from talktree.export.export import ExportResult, export_document, make_redactor
from talktree.export.walk import OFTEN
from talktree.files import OutputGate, input_paths, load, strip_compression_suffix
from talktree.formats import get_format, slugs
from talktree.formats.detect import detect
from talktree.formats.secrets import without_secrets
from talktree.formats.sources import is_one
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.text.json.value import Json
from talktree.views.width import format_count, format_size

FILE_ENDINGS = (".json", ".jsonl", ".xml")
"""File suffixes besides those of pages and of the output format."""
ENCRYPTED = ".age"
LARGE = 2000
"""From this many messages on, a progress bar is shown."""
MAX_REPORTED = 20
PARTLY = 3
"""Exit code if something could not be read and the rest was written."""
_PLURALS = {"message not shown to the user": "messages not shown to the user"}
_ENDINGS = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".txt": "text"}


class ExportRequest(Struct, frozen=True, kw_only=True):
    """The options of one call."""

    paths: tuple[str, ...]
    out: str
    choice: ExportOptions
    conversation: str | None = None
    source_format: str | None = None
    jobs: int | None = None
    progress: str = "auto"
    quiet: bool = False
    as_json: bool = False

    @property
    def speaks(self) -> bool:
        """Whether to report on stderr."""
        return not (self.quiet or self.as_json or self.progress == "json")


def find_target(to: str | None, out: str, what: Sequence[str]) -> str:
    """Return the output format: the requested one, else that of the output's suffix.

    A folder without a suffix is a folder of pages.
    """
    if to is None:
        found = _ENDINGS.get(Path(out).suffix.lower())
        several = len(what) > 1 or os.path.isdir(what[0]) or out.endswith(("/", os.sep))
        if found is None and several and out != "-" and not Path(out).suffix:
            found = "html"
        if found is None:
            hint = f"one of {', '.join(PAGES)}, or a format: `talktree formats` lists them"
            raise UsageError(f"{out}: nothing says what to write", hint=f"--to is {hint}")
        return found
    return to if to in PAGES else get_format(to).info.slug


def export_conversations(
    wish: ExportRequest, gate: OutputGate, encryption: Encryption | None = None
) -> int:
    """Write the export where the gate allows it, and return the exit code."""
    if wish.out == "-":
        if wish.as_json:
            raise UsageError("--json and -o - both want stdout", hint="write to a file with -o")
        gate.check_stdout()
    else:
        gate.claim(wish.out)
    if _is_many(wish, encryption):
        if encryption:
            encryption.refuse_folder()
        return _export_many(wish, gate)
    return _export_one(wish, gate, encryption)


def _is_many(wish: ExportRequest, encryption: Encryption | None) -> bool:
    """Whether several conversations are written, each into its own file or folder.

    A name with the suffix of a file is one file, so several sources are refused. Any other name is
    a folder if there are several conversations, or if it ends with a slash.
    """
    several = len(wish.paths) > 1 or _is_collection(wish)
    if _is_file_output(wish) or wish.out == "-":
        if several and encryption:
            encryption.refuse_folder()
        if several:
            raise UsageError(
                f"{wish.out}: several conversations cannot become one file",
                hint=_make_folder_hint(wish),
            )
        return False
    if several or wish.choice.to in PAGES:
        return several or _is_folder_output(wish) or os.path.isdir(wish.paths[0])
    if wish.conversation or wish.choice.scope.leaf or wish.choice.scope.ids:
        return False
    return _is_split(wish)


def _is_collection(wish: ExportRequest) -> bool:
    """Whether the only path is a folder of several sources."""
    path = wish.paths[0]
    return wish.source_format is None and os.path.isdir(path) and not is_one(load(path))


def _is_split(wish: ExportRequest) -> bool:
    """Whether the only source becomes a folder of conversations in a format.

    In its own format a folder stays as it is.
    """
    path = wish.paths[0]
    if not os.path.isdir(path):
        return _is_folder_output(wish)
    source = load(path)
    format = get_format(wish.source_format) if wish.source_format else detect(source).format
    if format.info.slug == wish.choice.to:
        return False
    groups = {sheet.group for sheet in format.split(without_secrets(source, [format])).sheets}
    return _is_folder_output(wish) or len(groups) > 1


def _is_folder_output(wish: ExportRequest) -> bool:
    return wish.out.endswith(("/", os.sep)) or Path(wish.out).is_dir()


def _is_file_output(wish: ExportRequest) -> bool:
    """Whether the name of the output has the suffix of a file."""
    if _is_folder_output(wish):
        return False
    to = wish.choice.to
    endings = {*_ENDINGS, *FILE_ENDINGS, *(() if to in PAGES else get_format(to).info.suffixes)}
    name = Path(wish.out).name.removesuffix(ENCRYPTED)
    return Path(strip_compression_suffix(name)).suffix.lower() in endings


def _make_folder_hint(wish: ExportRequest) -> str:
    if wish.out == "-":
        return "name a folder with -o"
    name = wish.out.removesuffix(ENCRYPTED)
    return f"name a folder: -o {name.removesuffix(Path(name).suffix)}/"


# one conversation


def _export_one(wish: ExportRequest, gate: OutputGate, encryption: Encryption | None) -> int:
    (path,) = wish.paths
    document = library_arguments.read_source(path, format=wish.source_format)
    gate.protect(input_paths(api.source_of(document)))
    found = choose_conversations(document, wish.conversation)
    only = [number for number, each in enumerate(document.conversations) if each in found]
    total = sum(len(each.tree) for each in found)
    if total >= LARGE and wants_bar(wish.progress, quiet=wish.quiet):
        with show_bar(f"exporting to {wish.choice.to}", total // OFTEN) as tick:
            made = export_document(
                document, wish.choice, only=only, tell=lambda done: tick(document.name)
            )
            written = _save_export(wish, _encrypt_export(made, encryption), gate)
    else:
        made = export_document(document, wish.choice, only=only)
        written = _save_export(wish, _encrypt_export(made, encryption), gate)
    _report_result(wish, document, found, made, written)
    return 0


def _encrypt_export(made: ExportResult, encryption: Encryption | None) -> ExportResult:
    """Yield the output, encrypted if requested."""
    if not encryption:
        return made
    if made.folder or len(made.files) != 1:
        encryption.refuse_folder()
    files = {name: encryption.encrypt_pieces(pieces) for name, pieces in made.files.items()}
    return structs.replace(made, files=files)


def _save_export(
    wish: ExportRequest, made: ExportResult, gate: OutputGate
) -> list[tuple[str, int]]:
    if wish.out != "-" and not made.is_file and _is_file_output(wish):
        raise UsageError(
            f"{wish.out}: this becomes a folder in the format {wish.choice.to}",
            hint=_make_folder_hint(wish).removesuffix("/"),
        )
    if wish.out != "-":
        return [(str(path), path.stat().st_size) for path in made.save(wish.out, gate=gate)]
    output.write_file(made.files, folder=made.folder)
    return []


def _report_result(
    wish: ExportRequest,
    document: Document,
    found: Sequence[Conversation],
    made: ExportResult,
    written: Sequence[tuple[str, int]],
) -> None:
    if wish.as_json:
        _print_json(
            written, made.secrets, made.left_out, [], made.other_files, looked_for=made.looked_for
        )
        return
    if not wish.speaks:
        return
    if written:
        total = format_size(sum(count for _, count in written))
        files = "" if len(written) == 1 else f"{format_count(len(written), 'file')}, "
        print_stderr(f"talktree: wrote {wish.out} ({files}{total})")
    report_redacted(made.secrets, made.looked_for)
    _report_left_out(made.left_out)
    _report_other_files(made.other_files)
    report_findings(document, chosen=found)


# several conversations


def _export_many(wish: ExportRequest, gate: OutputGate) -> int:
    if wish.conversation or wish.choice.scope.leaf or wish.choice.scope.ids:
        raise UsageError("a choice of messages needs one conversation", hint="name just one")
    outcomes = _with_progress(wish, gate)
    pages = [outcome for outcome in outcomes if outcome.page]
    failed = [outcome for outcome in outcomes if outcome.failure and not outcome.skipped]
    if not pages and not failed:
        raise UnknownFormat(wish.paths[0], slugs(), why="no conversation in it")
    others = _find_other_files(outcomes)
    secrets: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for outcome in outcomes:
        secrets.update(outcome.secrets)
        left_out.update(outcome.left_out)
    looked_for = make_redactor(wish.choice).targets.describe() if wish.choice.redact else ""
    if wish.as_json:
        _print_json(
            [(str(Path(wish.out) / each.page), each.size) for each in pages],
            secrets,
            left_out,
            failed,
            others,
            looked_for=looked_for,
        )
    elif wish.speaks and pages:
        total = format_size(sum(each.size for each in pages))
        what = format_count(len(pages), "page" if wish.choice.to in PAGES else "conversation")
        print_stderr(f"talktree: wrote {wish.out} ({what}, {total})")
        report_redacted(secrets, looked_for)
        _report_left_out(left_out)
        _report_other_files(others)
    if not wish.as_json and wish.progress != "json":
        _report_failures(failed)
    codes = [each.failure.exit_code for each in failed if each.failure]
    return PARTLY if pages and codes else max(codes, default=0)


def _with_progress(wish: ExportRequest, gate: OutputGate) -> list[ExportJobResult]:
    if wish.progress == "json":
        return _run_exports(wish, gate, _print_step)
    if wants_bar(wish.progress, quiet=wish.quiet):
        with show_bar(f"exporting to {wish.choice.to}", 1) as tick:
            return _run_exports(wish, gate, lambda outcome, done, total: tick(outcome.path))
    return _run_exports(wish, gate, lambda outcome, done, total: None)


def _run_exports(wish: ExportRequest, gate: OutputGate, facts: Told) -> list[ExportJobResult]:
    return export_many(
        wish.paths,
        wish.out,
        wish.choice,
        gate=gate,
        format=wish.source_format,
        archived=library_arguments.find_archived(wish.paths),
        processes=wish.jobs,
        facts=facts,
    )


def _print_step(outcome: ExportJobResult, done: int, total: int) -> None:
    print_step({"done": done, "total": total, "path": outcome.path, "bytes": outcome.size})


def _find_other_files(outcomes: Sequence[ExportJobResult]) -> list[str]:
    """Return the files that were left out: those in no known format, and those beside
    conversations."""
    found: dict[str, None] = {}
    for outcome in outcomes:
        found |= dict.fromkeys([outcome.path] if outcome.skipped else outcome.other_files)
    return [*found]


def _report_failures(failed: Sequence[ExportJobResult]) -> None:
    for outcome in failed[:MAX_REPORTED]:
        assert outcome.failure is not None
        print_stderr(f"talktree: {outcome.failure.message}")
    if len(failed) > MAX_REPORTED:
        print_stderr(f"talktree: {len(failed) - MAX_REPORTED:,} more failed; --json tells all")


# both


def report_redacted(secrets: Mapping[str, int], looked_for: str) -> None:
    """Report what was searched for, and how many values of each kind were replaced."""
    if not looked_for:
        print_stderr("talktree: nothing was redacted (--no-redact)")
        return
    total = sum(secrets.values())
    kinds = ", ".join(f"{count} × {what}" for what, count in sorted(secrets.items()))
    print_stderr(f"talktree: redacted {format_count(total, 'value')}{': ' if total else ''}{kinds}")
    print_stderr(f"talktree: looked for {looked_for}")


def _report_left_out(left_out: Mapping[str, int]) -> None:
    """Report how many deleted and hidden items are not in the output."""
    if left_out:
        kinds = [
            format_count(count, what, _PLURALS.get(what, "")) for what, count in left_out.items()
        ]
        print_stderr(f"talktree: {', '.join(kinds)} left out; --include-deleted exports them, too")


def _report_other_files(paths: Sequence[str]) -> None:
    """List the files that are not in the output."""
    if paths:
        some = ", ".join(paths[:MAX_REPORTED])
        more = ", …; --json names all" if len(paths) > MAX_REPORTED else ""
        print_stderr(f"talktree: {format_count(len(paths), 'other file')} left out: {some}{more}")


def _print_json(
    written: Sequence[tuple[str, int]],
    secrets: Mapping[str, int],
    left_out: Mapping[str, int],
    failed: Sequence[ExportJobResult],
    other_files: Sequence[str] = (),
    *,
    looked_for: str = "",
) -> None:
    from talktree.views.shapes import format_document

    shape: dict[str, Json] = {
        "written": [{"path": path, "bytes": count} for path, count in written],
        "redacted": dict(sorted(secrets.items())),
        "looked_for": looked_for,
        "left_out": dict(sorted(left_out.items())),
        "failed": [
            {"path": each.path, "error": each.failure.message} for each in failed if each.failure
        ],
        "skipped": [*other_files],
    }
    output.print_text([format_document(shape)])


SHORTEST_WORD = 2
OF_TABLES = ("include_deleted", "redact_words", "no_redact")
"""Options of pages that also apply to tables."""
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
@library_arguments.date_range_options
@click.option("--project", metavar="TEXT", help="Of a table: only projects with this in the path.")
@click.option("--model", metavar="TEXT", help="Of a table: only models with this in the name.")
@click.option("--format", "format", type=params.FORMAT, help="Of a table: only this format.")
@click.option("--conversation", metavar="ID", help="Only this conversation.")
@params.as_json
@library_arguments.at
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
        _refuse_options(context, "a table", [name for name in wishes if name not in OF_TABLES])
        choice = library_arguments.LibrarySelection(library, since, until, project, model, format)
        target = TableTarget(
            out,
            to,
            conversation,
            force,
            as_json,
            include_deleted=bool(wishes["include_deleted"]),
            encryption=encryption,
            redaction=_choose_redaction(wishes),
        )
        return export_table(what[0], target, choice)
    _refuse_tables(what)
    _refuse_options(
        context, "a conversation", ("since", "until", "project", "model", "format", "library")
    )
    gate = OutputGate(library_arguments.resolve_inputs(what, library), force=force)
    wishes["encryption"] = encryption
    return _export_conversations(what, out, to, conversation, wishes, gate, as_json=as_json)


command.examples = (
    "talktree export session.jsonl -o session.html",
    "talktree export session.jsonl -o prompts.md --detail user-only",
    "talktree export session.jsonl -o session.html --redact pii --redact Orchard",
    "talktree export ~/.claude/projects --to html -o pages/",
    "talktree export session.jsonl --to native -o clean.jsonl --branch active",
    "talktree export usage -o usage.csv --since 4w --project app",
    "talktree export session.jsonl -o session.html.age --encrypt-to age1…",
)


def _export_conversations(
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

    from talktree.export.choice import ExportOptions

    ids = str(wishes["ids"] or "")
    encryption = wishes["encryption"]
    assert encryption is None or isinstance(encryption, Encryption)
    inner = out if encryption is None else encryption.inner_name(out)
    shape = {
        "to": find_target(to, inner, what),
        "scope": {"leaf": wishes["branch"], "ids": [each for each in ids.split(",") if each]},
        "detail": wishes["detail"],
        **_read_redaction_options(wishes),
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
    assert msgspec.convert(shape, ExportOptions)
    return export_conversations(msgspec.convert(wish, ExportRequest), gate, encryption)


def _choose_redaction(wishes: dict[str, object]) -> ExportOptions | None:
    """Return what is redacted in a table; None for nothing."""
    import msgspec

    from talktree.export.choice import ExportOptions

    choice = msgspec.convert(_read_redaction_options(wishes), ExportOptions)
    return choice if choice.redact else None


def _read_redaction_options(wishes: dict[str, object]) -> dict[str, object]:
    """Return the redaction options of a call."""
    from talktree.export.targets import PII

    words = _read_redacted_words(wishes)
    return {
        "redact": not wishes["no_redact"],
        "words": [word for word in words if word.lower() != PII],
        "personal": any(word.lower() == PII for word in words),
    }


def _read_redacted_words(wishes: dict[str, object]) -> tuple[str, ...]:
    given = wishes["redact_words"]
    words = tuple(map(str, given)) if isinstance(given, tuple) else ()
    if words and wishes["no_redact"]:
        raise UsageError("--redact and --no-redact contradict each other", hint="give one of them")
    if any(len(word.strip()) < SHORTEST_WORD for word in words):
        raise UsageError("a word to redact is too short", hint="use at least two characters")
    return words


def _refuse_tables(what: Sequence[str]) -> None:
    """Raise if a table is named among conversations."""
    for each in what:
        if each in TABLES:
            raise UsageError(
                f"{each}: a table is exported alone",
                hint=f"a path of that name is written ./{each}",
            )


def _refuse_options(context: click.Context, of: str, names: Sequence[str]) -> None:
    """Raise for options that have no effect here."""
    given = click.core.ParameterSource.COMMANDLINE
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in names and context.get_parameter_source(name) is given:
            raise UsageError(
                f"{parameter.opts[-1]} says nothing about {of}",
                hint="see `talktree export --help`",
            )
