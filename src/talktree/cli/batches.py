"""Convert many sources into one folder, and report the outcome."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from talktree.cli import output
from talktree.cli.commands.convert import (
    ConvertRequest,
    format_loss_document,
    print_loss_summary,
    save_loss_report,
)
from talktree.cli.errors import print_stderr
from talktree.cli.progress import print_step, show_bar, wants_bar
from talktree.conversion.batch import Batch, ConversionJobResult, Status
from talktree.conversion.losses import KINDS
from talktree.errors import UnknownFormat, WouldLose
from talktree.formats import slugs
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.losses import LossTotals, format_loss_lines
from talktree.views.shapes import format_json
from talktree.views.width import format_count, format_size

INTERRUPTED = 130
MAX_REPORTED = 20
"""Maximum number of failures reported individually."""
STATUSES: tuple[Status, ...] = ("converted", "unchanged", "skipped", "failed")
EACH = "--ledger FILE and --json tell each"


def convert_many(wish: ConvertRequest) -> int:
    """Convert all sources, report the outcome, and return the worst exit code."""
    with tempfile.TemporaryDirectory(prefix="talktree-") as folder:
        each = wish.as_json or wish.loss_report is not None
        with _open_batch(wish, folder if each else None) as batch:
            outcomes: list[ConversionJobResult] = []
            try:
                for outcome in _with_progress(wish, batch):
                    outcomes.append(outcome)  # noqa: PERF402
            except KeyboardInterrupt:
                _report_interrupted(wish, outcomes, len(batch))
                return INTERRUPTED
        if all(each.status == "skipped" for each in outcomes):
            raise UnknownFormat(wish.paths[0], slugs(), why="no conversation in it")
        outcomes.sort(key=lambda outcome: outcome.number)
        _report_results(wish, outcomes)
    failures = [outcome.failure for outcome in outcomes if outcome.status == "failed"]
    codes = [failure.exit_code for failure in failures if failure]
    if _is_strict(wish) and any(outcome.status == "skipped" for outcome in outcomes):
        codes.append(WouldLose.exit_code)
    return max(codes, default=0)


def _is_strict(wish: ConvertRequest) -> bool:
    """Whether a file that is not converted is an error."""
    return "file" in wish.options.forbid or (
        wish.options.strict and "file" not in wish.options.allow
    )


def _open_batch(wish: ConvertRequest, losses: str | None) -> Batch:
    return Batch(
        wish.paths,
        to=wish.target,
        out=None if wish.dry_run else wish.out,
        options=wish.options,
        source_format=wish.source_format,
        each=wish.each,
        fresh=wish.fresh,
        gate=wish.gate,
        jobs=wish.jobs,
        losses=losses,
    )


# during the run


def _with_progress(wish: ConvertRequest, batch: Batch) -> Iterator[ConversionJobResult]:
    if wants_bar(wish.progress, quiet=wish.quiet):
        with show_bar(f"converting to {wish.target}", len(batch)) as tick:
            for outcome in batch.outcomes():
                tick(outcome.path)
                yield outcome
        return
    for done, outcome in enumerate(batch.outcomes(), 1):
        if wish.progress == "json":
            print_step(_build_step_shape(outcome, done, len(batch)))
        yield outcome


def _build_step_shape(outcome: ConversionJobResult, done: int, total: int) -> dict[str, Json]:
    step: dict[str, Json] = {
        "done": done,
        "total": total,
        "path": outcome.path,
        "status": outcome.status,
        "bytes": sum(each.size for each in outcome.written),
    }
    if outcome.status == "failed" and outcome.failure is not None:
        step["error"] = outcome.failure.message
    return step


def _report_interrupted(
    wish: ConvertRequest, outcomes: Sequence[ConversionJobResult], total: int
) -> None:
    done = sum(outcome.status != "failed" for outcome in outcomes)
    again = "" if wish.dry_run else "; the same command again goes on from there"
    print_stderr(f"talktree: interrupted: {done:,} of {total:,} done{again}")


# at the end


def _report_results(wish: ConvertRequest, outcomes: Sequence[ConversionJobResult]) -> None:
    sums = _sum_losses(outcomes)
    if wish.loss_report is not None:
        save_loss_report(wish.loss_report, _format_json_document(wish, outcomes, sums), wish.gate)
    if wish.as_json:
        output.print_text(_format_json_document(wish, outcomes, sums))
        return
    if wish.dry_run:
        lines = _format_preview_lines(wish, outcomes, sums)
        output.print_lines(lines, color=output.use_color(wish.color))
    elif wish.speaks:
        total = sum(each.size for outcome in outcomes for each in outcome.written)
        print_stderr(f"talktree: {wish.out}: {_format_tally(outcomes)} ({format_size(total)})")
        print_loss_summary(sums, hint=EACH)
    if wish.progress != "json":
        if wish.speaks or _is_strict(wish):
            _report_skipped(outcomes, strict=_is_strict(wish))
        _report_failures(outcomes)


def _sum_losses(outcomes: Sequence[ConversionJobResult]) -> LossTotals:
    counts: Counter[tuple[str, str]] = Counter()
    for outcome in outcomes:
        for kind, kept, count in outcome.counts:
            counts[kind, kept] += count
    return LossTotals(counts, sum(outcome.carried_bytes for outcome in outcomes))


def _format_tally(outcomes: Sequence[ConversionJobResult]) -> str:
    found = Counter(outcome.status for outcome in outcomes)
    words: dict[Status, str] = {"skipped": "not converted"}
    details = [f"{found[each]:,} {words.get(each, each)}" for each in STATUSES if found[each]]
    return ", ".join(details) or "nothing to convert"


def _format_preview_lines(
    wish: ConvertRequest, outcomes: Sequence[ConversionJobResult], sums: LossTotals
) -> Iterator[Line]:
    found = [outcome for outcome in outcomes if outcome.status == "converted"]
    yield line((format_count(len(found), "source"), "title"), f" as {wish.target}")
    yield from format_loss_lines(sums, KINDS)


def _report_skipped(outcomes: Sequence[ConversionJobResult], *, strict: bool) -> None:
    """List the files that are not conversations."""
    skipped = [outcome for outcome in outcomes if outcome.status == "skipped"]
    for outcome in skipped[:MAX_REPORTED]:
        reason = outcome.failure.message if outcome.failure else "no known conversation format"
        print_stderr(f"talktree: not converted: {_prefix_path(outcome.path, reason)}")
    if len(skipped) > MAX_REPORTED:
        print_stderr(f"talktree: {len(skipped) - MAX_REPORTED:,} more not converted (use --json)")
    if skipped and strict:
        print_stderr(
            "hint: files that are not converted count as lost: move them away, or --allow file"
        )


def _report_failures(outcomes: Sequence[ConversionJobResult]) -> None:
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    hints: dict[str, None] = {}
    for outcome in failed[:MAX_REPORTED]:
        assert outcome.failure is not None
        is_refused = outcome.failure.kind == WouldLose.kind
        refused = "not written: " if is_refused else ""
        message = f"{refused}{outcome.failure.message}"
        print_stderr(f"talktree: {_prefix_path(outcome.path, message)}")
        if outcome.failure.hint:
            hints[outcome.failure.hint] = None
    if len(failed) > MAX_REPORTED:
        print_stderr(f"talktree: {len(failed) - MAX_REPORTED:,} more failed (use --json)")
    for hint in hints:
        print_stderr(f"hint: {hint}")


def _prefix_path(path: str, message: str) -> str:
    """Return a message that begins with the whole path of its source."""
    if path in message:
        return message
    return f"{path}: {message.removeprefix(f'{Path(path).name}: ')}"


def _format_json_document(
    wish: ConvertRequest, outcomes: Sequence[ConversionJobResult], sums: LossTotals
) -> Iterator[str]:
    written: list[Json] = [
        {"path": str(Path(wish.out or "") / each.name), "bytes": each.size}
        for outcome in outcomes
        if outcome.status == "converted"
        for each in outcome.written
    ]
    found = Counter(outcome.status for outcome in outcomes)
    return format_loss_document(
        written,
        _format_losses(outcomes),
        sums,
        summary={status: found[status] for status in STATUSES},
        sources=[_build_outcome_shape(wish, outcome) for outcome in outcomes],
    )


def _build_outcome_shape(wish: ConvertRequest, outcome: ConversionJobResult) -> Json:
    failure = outcome.failure
    return {
        "path": outcome.path,
        "status": outcome.status,
        "outputs": [str(Path(wish.out or "") / each.name) for each in outcome.written],
        "carried_bytes": outcome.carried_bytes,
        "error": None
        if failure is None
        else {
            "kind": failure.kind,
            "message": failure.message,
            "hint": failure.hint,
            "exit_code": failure.exit_code,
        },
    }


def _format_losses(outcomes: Sequence[ConversionJobResult]) -> Iterator[str]:
    for outcome in outcomes:
        if outcome.losses is None:
            continue
        start = f'{{"path":{format_json(outcome.path)},'
        with open(outcome.losses, "rb") as file:
            for each in file:
                yield start + each.decode().removesuffix("\n").removeprefix("{")
