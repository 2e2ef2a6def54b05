"""What a repair came to, for people and for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from talktree.checking.report import report
from talktree.cli.failures import tell
from talktree.mending.repair import Repair
from talktree.text.json_value import Json
from talktree.views.measure import counted


def result_told(repair: Repair, written: Sequence[Path], *, dry_run: bool) -> None:
    """A few lines on stderr: how many bytes are kept, what can be reached, what is left."""
    kept, quarantined = repair.bytes
    before, after = repair.reach
    where = f"{written[0]}: " if written else ""
    verb = "would be made" if dry_run else "made"
    tell(
        f"talktree: {where}{counted(len(repair.plan), 'change')} {verb}; "
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
