"""What a repair came to, for people and for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from talktree.checks.report import report
from talktree.cli.errors import tell
from talktree.repairs.repair import Repair
from talktree.text.json.value import Json
from talktree.views.measure import counted


def result_told(repair: Repair, where: str | None) -> None:
    """A few lines on stderr: how many bytes are kept, what can be reached, what is left.

    `where` is the file or folder that was written; None if nothing was.
    """
    kept, quarantined = repair.bytes
    before, after = repair.reach
    start = "" if where is None else f"{where}: "
    verb = "would be made" if where is None else "made"
    tell(
        f"talktree: {start}{counted(len(repair.plan), 'change')} {verb}{_extent(repair)}; "
        f"{kept:,} of {kept + quarantined:,} bytes kept, {quarantined:,} quarantined"
    )
    if (before.reachable, before.messages) != (after.reachable, after.messages):
        tell(
            f"talktree: {before.reachable:,} of {counted(before.messages, 'message')} reachable "
            f"before, {after.reachable:,} of {after.messages:,} after"
        )
    left = [each for each in report(repair.after).findings if each.severity == "error"]
    if left:
        mendable = sum(1 for each in left if each.fix == "unsafe")
        more = f"; --unsafe mends {mendable:,} of them" if mendable else ""
        tell(f"talktree: {counted(len(left), 'error')} left{more}")


def _extent(repair: Repair) -> str:
    """In how many files of a folder something is changed."""
    before = repair.sources[0] if repair.sources else repair.source
    if not before.folder:
        return ""
    paths = {
        path
        for done in repair.rounds
        for path in (*done.gone, *done.made, *(path for path, each in done.splices.items() if each))
    }
    return f" in {len(paths):,} of {counted(len(before.files), 'file')}"


def result_shape(repair: Repair, written: Sequence[Path]) -> dict[str, Json]:
    """The result as JSON."""
    kept, quarantined = repair.bytes
    before, after = repair.reach
    plan: list[Json] = [msgspec.to_builtins(each) for each in repair.plan]
    left: dict[str, Json] = dict(report(repair.after).counts().items())
    return {
        "plan": plan,
        "written": [str(path) for path in written],
        "kept_bytes": kept,
        "quarantined_bytes": quarantined,
        "reachable_before": before.reachable,
        "reachable_after": after.reachable,
        "messages_before": before.messages,
        "messages_after": after.messages,
        "left": left,
    }
