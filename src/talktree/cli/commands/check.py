"""`talktree check`: what is wrong with conversations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from talktree.checks.batch import Order
from talktree.checks.config import Config, nearest, read_config
from talktree.checks.registry import refuse_unknown
from talktree.cli import params
from talktree.cli.checks import Wish, check
from talktree.cli.progress import CHOICES
from talktree.cli.verbs import Verb
from talktree.errors import UsageError
from talktree.settings.attachments import attachment_settings


@click.command("check", cls=Verb)
@params.many_paths
@params.selecting
@click.option(
    "--format",
    "style",
    type=click.Choice(["human", "json", "sarif"]),
    default="human",
    help="How to print what was found.",
)
@params.as_json
@click.option("--statistics", is_flag=True, help="How often each rule is broken, nothing else.")
@click.option(
    "--most",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    metavar="N",
    help="So many findings of a rule in one source; more are only counted.",
)
@click.option("--each", is_flag=True, help="Every file of a folder alone, not the folder as one.")
@params.source_format
@params.configured
@params.jobs
@click.option(
    "--progress",
    type=click.Choice(CHOICES),
    default="auto",
    help="A bar on a terminal, a JSON object a line on stderr, or none.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print findings only.")
@params.color
def command(
    paths: Sequence[str],
    select: Sequence[str],
    ignore: Sequence[str],
    style: str,
    as_json: bool,  # noqa: FBT001
    statistics: bool,  # noqa: FBT001
    most: int,
    each: bool,  # noqa: FBT001
    source_format: str | None,
    config: str | None,
    jobs: int | None,
    progress: str,
    quiet: bool,  # noqa: FBT001
    color: str,
) -> int:
    """Find what is wrong with conversations, by rules with permanent codes.

    Exit code 1 if there is an error among the findings. `talktree rule CODE` explains one, and
    `talktree repair` mends what has a fix. Nothing is ever changed by checking.
    """
    if as_json and style == "sarif":
        raise UsageError("--json and --format sarif exclude each other", hint="name one of them")
    settled = settled_by(config, paths)
    attachment_settings()  # a mistake in there is reported once, not for every source
    wish = Wish(
        paths=tuple(paths),
        order=Order(
            select=chosen_codes(select) or settled.select,
            ignore=ignored(settled, select, ignore),
            source_format=source_format,
            most=most,
            excerpts=True,
        ),
        style="json" if as_json else style,
        statistics=statistics,
        each=each,
        jobs=jobs or settled.jobs,
        progress=progress,
        quiet=quiet,
        color=color,
    )
    refuse_unknown((*wish.order.select, *wish.order.ignore))
    return check(wish)


def settled_by(config: str | None, paths: Sequence[str]) -> Config:
    """What the configuration says: the one named, or the nearest to what is checked."""
    if config is not None:
        return read_config(Path(config), shown=config) or Config()
    return nearest(Path.cwd() if paths[0] == "-" else Path(paths[0]))


def ignored(settled: Config, select: Sequence[str], ignore: Sequence[str]) -> tuple[str, ...]:
    """What does not count; who selects rules by hand means them, whatever is settled."""
    return (*(() if select else settled.ignore), *chosen_codes(ignore))


def chosen_codes(given: Sequence[str]) -> tuple[str, ...]:
    """Codes from options that may be given often, or once with commas."""
    return tuple(code.strip() for each in given for code in each.split(",") if code.strip())


command.examples = (
    "talktree check session.jsonl",
    "talktree check ~/.claude/projects --statistics",
    "talktree check session.jsonl --select TRE,TOL --json",
    "talktree check sessions/ --format sarif > findings.sarif",
)
