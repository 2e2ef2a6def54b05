"""Many sources into one folder, and what to tell about it."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from talktree.cli import output
from talktree.cli.commands.convert import Wish, ledger_document, save_ledger, tell_ledger
from talktree.cli.errors import tell
from talktree.cli.progress import bar, tell_step, wants_bar
from talktree.conversion.batch import Batch, Outcome, Status
from talktree.conversion.losses import KINDS
from talktree.errors import UnknownFormat, WouldLose
from talktree.formats import slugs
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.losses import Sums, ledger_lines
from talktree.views.shapes import json_text
from talktree.views.width import counted, size

INTERRUPTED = 130
MOST_TOLD = 20
"""How many failures are told one by one."""
STATUSES: tuple[Status, ...] = ("converted", "unchanged", "skipped", "failed")
EACH = "--ledger FILE and --json tell each"


def convert_many(wish: Wish) -> int:
    """Convert all, tell what came of them, and return the worst exit code."""
    with tempfile.TemporaryDirectory(prefix="talktree-") as folder:
        each = wish.as_json or wish.ledger is not None
        with _opened(wish, folder if each else None) as batch:
            outcomes: list[Outcome] = []
            try:
                for outcome in _watched(wish, batch):
                    outcomes.append(outcome)  # noqa: PERF402
            except KeyboardInterrupt:
                _tell_interrupted(wish, outcomes, len(batch))
                return INTERRUPTED
        if all(each.status == "skipped" for each in outcomes):
            raise UnknownFormat(wish.paths[0], slugs(), why="no conversation in it")
        outcomes.sort(key=lambda outcome: outcome.number)
        _conclude(wish, outcomes)
    failures = [outcome.failure for outcome in outcomes if outcome.status == "failed"]
    codes = [failure.exit_code for failure in failures if failure]
    if _refuses_skipped(wish) and any(outcome.status == "skipped" for outcome in outcomes):
        codes.append(WouldLose.exit_code)
    return max(codes, default=0)


def _refuses_skipped(wish: Wish) -> bool:
    """Whether a file that is not converted is an error."""
    return "file" in wish.options.forbid or (
        wish.options.strict and "file" not in wish.options.allow
    )


def _opened(wish: Wish, losses: str | None) -> Batch:
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


# while it runs


def _watched(wish: Wish, batch: Batch) -> Iterator[Outcome]:
    if wants_bar(wish.progress, quiet=wish.quiet):
        with bar(f"converting to {wish.target}", len(batch)) as tick:
            for outcome in batch.outcomes():
                tick(outcome.path)
                yield outcome
        return
    for done, outcome in enumerate(batch.outcomes(), 1):
        if wish.progress == "json":
            tell_step(_step(outcome, done, len(batch)))
        yield outcome


def _step(outcome: Outcome, done: int, total: int) -> dict[str, Json]:
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


def _tell_interrupted(wish: Wish, outcomes: Sequence[Outcome], total: int) -> None:
    done = sum(outcome.status != "failed" for outcome in outcomes)
    again = "" if wish.dry_run else "; the same command again goes on from there"
    tell(f"talktree: interrupted: {done:,} of {total:,} done{again}")


# when it is done


def _conclude(wish: Wish, outcomes: Sequence[Outcome]) -> None:
    sums = _sums(outcomes)
    if wish.ledger is not None:
        save_ledger(wish.ledger, _document(wish, outcomes, sums), wish.gate)
    if wish.as_json:
        output.print_text(_document(wish, outcomes, sums))
        return
    if wish.dry_run:
        lines = _preview_lines(wish, outcomes, sums)
        output.print_lines(lines, color=output.use_color(wish.color))
    elif wish.speaks:
        total = sum(each.size for outcome in outcomes for each in outcome.written)
        tell(f"talktree: {wish.out}: {_tally(outcomes)} ({size(total)})")
        tell_ledger(sums, hint=EACH)
    if wish.progress != "json":
        if wish.speaks or _refuses_skipped(wish):
            _tell_skipped(outcomes, strict=_refuses_skipped(wish))
        _tell_failures(outcomes)


def _sums(outcomes: Sequence[Outcome]) -> Sums:
    counts: Counter[tuple[str, str]] = Counter()
    for outcome in outcomes:
        for kind, kept, count in outcome.counts:
            counts[kind, kept] += count
    return Sums(counts, sum(outcome.carried_bytes for outcome in outcomes))


def _tally(outcomes: Sequence[Outcome]) -> str:
    found = Counter(outcome.status for outcome in outcomes)
    words: dict[Status, str] = {"skipped": "not converted"}
    told = [f"{found[each]:,} {words.get(each, each)}" for each in STATUSES if found[each]]
    return ", ".join(told) or "nothing to convert"


def _preview_lines(wish: Wish, outcomes: Sequence[Outcome], sums: Sums) -> Iterator[Line]:
    found = [outcome for outcome in outcomes if outcome.status == "converted"]
    yield line((counted(len(found), "source"), "title"), f" as {wish.target}")
    yield from ledger_lines(sums, KINDS)


def _tell_skipped(outcomes: Sequence[Outcome], *, strict: bool) -> None:
    """Name the files that are not conversations."""
    skipped = [outcome for outcome in outcomes if outcome.status == "skipped"]
    for outcome in skipped[:MOST_TOLD]:
        reason = outcome.failure.message if outcome.failure else "no known conversation format"
        tell(f"talktree: not converted: {_where(outcome.path, reason)}")
    if len(skipped) > MOST_TOLD:
        tell(f"talktree: {len(skipped) - MOST_TOLD:,} more not converted (use --json)")
    if skipped and strict:
        tell("hint: files that are not converted count as lost: move them away, or --allow file")


def _tell_failures(outcomes: Sequence[Outcome]) -> None:
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    hints: dict[str, None] = {}
    for outcome in failed[:MOST_TOLD]:
        assert outcome.failure is not None
        is_refused = outcome.failure.kind == WouldLose.kind
        refused = "not written: " if is_refused else ""
        message = f"{refused}{outcome.failure.message}"
        tell(f"talktree: {_where(outcome.path, message)}")
        if outcome.failure.hint:
            hints[outcome.failure.hint] = None
    if len(failed) > MOST_TOLD:
        tell(f"talktree: {len(failed) - MOST_TOLD:,} more failed (use --json)")
    for hint in hints:
        tell(f"hint: {hint}")


def _where(path: str, message: str) -> str:
    """A message that begins with the whole path of what it is about."""
    if path in message:
        return message
    return f"{path}: {message.removeprefix(f'{Path(path).name}: ')}"


def _document(wish: Wish, outcomes: Sequence[Outcome], sums: Sums) -> Iterator[str]:
    written: list[Json] = [
        {"path": str(Path(wish.out or "") / each.name), "bytes": each.size}
        for outcome in outcomes
        if outcome.status == "converted"
        for each in outcome.written
    ]
    found = Counter(outcome.status for outcome in outcomes)
    return ledger_document(
        written,
        _losses(outcomes),
        sums,
        summary={status: found[status] for status in STATUSES},
        sources=[_shape(wish, outcome) for outcome in outcomes],
    )


def _shape(wish: Wish, outcome: Outcome) -> Json:
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


def _losses(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for outcome in outcomes:
        if outcome.losses is None:
            continue
        start = f'{{"path":{json_text(outcome.path)},'
        with open(outcome.losses, "rb") as file:
            for each in file:
                yield start + each.decode().removesuffix("\n").removeprefix("{")
