"""`talktree check`: find problems in conversations.

Checks sources and reports the findings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from msgspec import Struct

from talktree import __version__, api
from talktree.checks.batch import CheckedSource, CheckOptions, check_all, check_source
from talktree.checks.config import Config, find_nearest_config, read_config
from talktree.checks.registry import all_rules, refuse_unknown, severities_of
from talktree.checks.report import SEVERITIES, ShownFinding
from talktree.cli import output, params
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.progress import CHOICES, print_step, show_bar, wants_bar
from talktree.errors import UnknownFormat, UsageError
from talktree.formats import slugs
from talktree.formats.sources import SourceCandidate, find_sources
from talktree.model.findings import Finding, Severity
from talktree.settings.attachments import attachment_settings
from talktree.text.json.value import Json
from talktree.views.findings import (
    format_finding_lines,
    format_omitted,
    format_reach_line,
    format_statistics_lines,
    format_summary_line,
)
from talktree.views.lines import EMPTY, Line
from talktree.views.sarif import LocatedFinding, SarifRule, build_sarif
from talktree.views.shapes import format_document, format_json


class CheckRequest(Struct, frozen=True, kw_only=True):
    """The options of one call."""

    paths: tuple[str, ...]
    order: CheckOptions
    style: str = "human"
    statistics: bool = False
    each: bool = False
    jobs: int | None = None
    progress: str = "auto"
    quiet: bool = False
    color: str = "auto"


def check_sources(wish: CheckRequest) -> int:
    """Check all sources, report the findings, and return the exit code."""
    results = sorted(_with_progress(wish), key=lambda result: result.number)
    if all(result.skipped for result in results):
        raise UnknownFormat(wish.paths[0], slugs(), why="no conversation in it")
    _print_results(wish, results)
    for result in results:
        if result.failure is not None and not result.skipped:
            print_stderr(f"talktree: {result.failure.message}")
            if result.failure.hint:
                print_stderr(f"hint: {result.failure.hint}")
    codes = [
        result.failure.exit_code for result in results if result.failure and not result.skipped
    ]
    worst = max(codes, default=0)
    return worst or int(any(_count_severities([result])["error"] for result in results))


def _with_progress(wish: CheckRequest) -> Iterator[CheckedSource]:
    if "-" in wish.paths and len(wish.paths) == 1:
        yield check_source(wish.order, api.open_source("-"), 0, "-")
        return
    sources = find_sources(wish.paths, each=wish.each, format=wish.order.source_format)
    results = check_all(wish.order, sources, jobs=wish.jobs)
    if len(sources) > 1 and wants_bar(wish.progress, quiet=wish.quiet):
        with show_bar("checking", len(sources)) as tick:
            for result in results:
                tick(result.path)
                yield result
        return
    for done, result in enumerate(results, 1):
        if wish.progress == "json":
            print_step(_build_step_shape(result, done, sources))
        yield result


def _build_step_shape(
    result: CheckedSource, done: int, sources: Sequence[SourceCandidate]
) -> dict[str, Json]:
    counts: dict[str, Json] = dict(_count_severities([result]))
    return {"done": done, "total": len(sources), "path": result.path, **counts}


def _print_results(wish: CheckRequest, results: Sequence[CheckedSource]) -> None:
    match wish.style:
        case "json":
            output.print_text([format_document(_build_shape(results))])
        case "sarif":
            output.print_text([f"{format_json(_build_sarif(results))}\n"])
        case _:
            if any(result.findings or result.failure is None for result in results):
                color = output.use_color(wish.color)
                output.print_lines(_format_lines(wish, results), color=color)


# text


def _format_lines(wish: CheckRequest, results: Sequence[CheckedSource]) -> Iterator[Line]:
    if wish.statistics:
        counts = Counter[str]()
        for result in results:
            counts.update(result.counts)
        worst = _find_worst_severities(results)
        rules = {
            rule.code: (rule.name, worst[rule.code], rule.fix.safety if rule.fix else None)
            for rule in all_rules()
            if rule.code in worst
        }
        yield from format_statistics_lines(counts, rules)
    else:
        for result in results:
            yield from _format_source_lines(result)
    if not wish.quiet:
        checked = [result for result in results if result.failure is None]
        messages = sum(result.reach.messages for result in checked)
        reachable = sum(result.reach.reachable for result in checked)
        yield format_summary_line(_count_severities(results), len(checked))
        if reachable < messages:
            yield format_reach_line(messages, reachable)


def _format_source_lines(result: CheckedSource) -> Iterator[Line]:
    for shown in result.findings:
        path = _find_finding_path(result, shown.finding)
        yield from format_finding_lines(shown.finding, shown.excerpt, path=path)
    yield from format_omitted([shown.finding for shown in result.findings], result.counts)
    if result.findings:
        yield EMPTY


def _find_finding_path(result: CheckedSource, found: Finding) -> str:
    """Return the file of a finding, as the user gave it."""
    if not result.folder or found.path in (None, result.main):
        return result.path
    if result.main is not None:
        return str(Path(result.path).parent / found.path)
    return str(Path(result.path) / found.path)


def _count_severities(results: Sequence[CheckedSource]) -> dict[str, int]:
    counts = {"error": 0, "warning": 0, "note": 0}
    for result in results:
        for code, count in result.counts.items():
            counts[_find_severity(result, code)] += count
    return counts


def _find_severity(result: CheckedSource, code: str) -> Severity:
    assert result.format is not None
    return severities_of(result.format)[code]


def _find_worst_severities(results: Sequence[CheckedSource]) -> dict[str, Severity]:
    """Return the severity of each broken rule, in the format where it is most severe."""
    found: dict[str, Severity] = {}
    for result in results:
        for code in result.counts:
            both = (found.get(code, "note"), _find_severity(result, code))
            found[code] = min(both, key=SEVERITIES.index)
    return found


# JSON


def _build_shape(results: Sequence[CheckedSource]) -> dict[str, Json]:
    checked = [result for result in results if result.failure is None]
    findings = [
        _build_finding_shape(result, shown) for result in results for shown in result.findings
    ]
    by_code = Counter[str]()
    for result in results:
        by_code.update(result.counts)
    severities: dict[str, Json] = dict(_count_severities(results))
    return {
        "findings": findings,
        "summary": {
            **severities,
            "by_code": dict(sorted(by_code.items())),
            "omitted": sum(by_code.values()) - len(findings),
            "sources": len(checked),
            "messages": sum(result.reach.messages for result in checked),
            "reachable": sum(result.reach.reachable for result in checked),
            "on_path": sum(result.reach.on_path for result in checked),
        },
        "failed": [
            {"path": result.path, "kind": result.failure.kind, "message": result.failure.message}
            for result in results
            if result.failure is not None and not result.skipped
        ],
    }


def _build_finding_shape(result: CheckedSource, shown: ShownFinding) -> Json:
    found, place = shown.finding, shown.excerpt
    return {
        "code": found.code,
        "name": found.name,
        "severity": found.severity,
        "message": found.message,
        "path": _find_finding_path(result, found),
        "line": place.line if place is not None else found.line,
        "column": place.column if place is not None else None,
        "entry": found.entry,
        "fix": found.fix,
    }


def _build_sarif(results: Sequence[CheckedSource]) -> dict[str, Json]:
    used = {code for result in results for code in result.counts}
    rules = [
        SarifRule(rule.code, rule.name, rule.severity, rule.explanation.what, rule.text)
        for rule in all_rules()
        if rule.code in used
    ]
    located = [
        LocatedFinding(shown.finding, _find_finding_path(result, shown.finding), shown.excerpt)
        for result in results
        for shown in result.findings
    ]
    return build_sarif(rules, located, version=__version__)


@click.command("check", cls=Verb)
@params.many_paths
@params.rule_selection
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
    settled = load_config(config, paths)
    attachment_settings()  # report a mistake in there once, not for every source
    wish = CheckRequest(
        paths=tuple(paths),
        order=CheckOptions(
            select=split_codes(select) or settled.select,
            ignore=find_ignored(settled, select, ignore),
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
    return check_sources(wish)


def load_config(config: str | None, paths: Sequence[str]) -> Config:
    """Return the configuration: the named one, or the nearest to what is checked."""
    if config is not None:
        return read_config(Path(config), shown=config) or Config()
    return find_nearest_config(Path.cwd() if paths[0] == "-" else Path(paths[0]))


def find_ignored(settled: Config, select: Sequence[str], ignore: Sequence[str]) -> tuple[str, ...]:
    """Return the ignored rules; selecting rules on the command line overrides the configuration."""
    return (*(() if select else settled.ignore), *split_codes(ignore))


def split_codes(given: Sequence[str]) -> tuple[str, ...]:
    """Return codes from options that may be repeated, or list several with commas."""
    return tuple(code.strip() for each in given for code in each.split(",") if code.strip())


command.examples = (
    "talktree check session.jsonl",
    "talktree check ~/.claude/projects --statistics",
    "talktree check session.jsonl --select TRE,TOL --json",
    "talktree check sessions/ --format sarif > findings.sarif",
)
