"""Messages that survived a compaction: they hang below it and are older than it."""

from __future__ import annotations

from talktree.model.skeleton import ROOT, Skeleton


def carried_over(bones: Skeleton) -> set[int]:
    """Those from below each compaction down to the message that it says it follows."""
    carried: set[int] = set()
    for position, origin in bones.astray.items():
        if bones.astray_because(position) is not None:
            continue
        at = bones.by_id[origin]
        while at not in (ROOT, position) and at not in carried:
            carried.add(at)
            at = bones.parents[at]
    return carried
