"""The header of an export: title, counts and time range."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.export.walk import ExportWalk
from talktree.formats import get_format
from talktree.model.counts import SIDECHAIN
from talktree.model.message import META, Message
from talktree.model.skeleton import NO_TIME
from talktree.views.width import format_count, format_moment, to_one_line

WIDTH = 120
LOOKED_AT = 20
"""Number of messages in which the first prompt is searched."""


def title_of(walks: Sequence[ExportWalk], name: str) -> str:
    """Return the title: that of the source, or else made from its first prompt."""
    if len(walks) != 1:
        return to_one_line(name, WIDTH)
    title = walks[0].conversation.title or _find_first_prompt(walks[0])
    return to_one_line(title or name, WIDTH)


def _find_first_prompt(walk: ExportWalk) -> str:
    """Return the first prompt."""
    positions = walk.sections[0].positions[:LOOKED_AT]
    for entry in walk.conversation.entries_at(positions):
        if not isinstance(entry, Message) or entry.role != "user" or META in entry.flags:
            continue
        if text := entry.text.strip():
            return text
    return ""


def facts_of(walks: Sequence[ExportWalk]) -> list[str]:
    """Return the facts of all conversations."""
    if not walks:
        return ["no conversation"]
    first, last = _find_time_range(walks)
    messages, branches, sidechains = map(sum, zip(*map(_count_exported, walks), strict=True))
    format = walks[0].conversation.format
    return [
        get_format(format).info.title,
        format_count(len(walks), "conversation") if len(walks) > 1 else "",
        format_count(messages, "message"),
        format_count(branches, "branch", "branches") if branches > len(walks) else "",
        format_count(sidechains, "sidechain") if sidechains else "",
        f"{format_moment(first)} to {format_moment(last)} UTC" if first is not None else "",
    ]


def _count_exported(walk: ExportWalk) -> tuple[int, int, int]:
    """Return how many messages, branches and sidechains are exported."""
    tree = walk.conversation.tree
    found = walk.shown
    branches = [section.branch for section in walk.sections if section.positions]
    return (
        len(found),
        sum(branch is None or branch.kind != SIDECHAIN for branch in branches),
        sum(map(tree.is_sidechain_start, found)),
    )


def _find_time_range(walks: Sequence[ExportWalk]) -> tuple[int | None, int | None]:
    """Return the first and the last time of the exported messages."""
    first: int | None = None
    last: int | None = None
    for walk in walks:
        times = walk.conversation.skeleton.times
        for section in walk.sections:
            words = [times[at] for at in section.positions if times[at] != NO_TIME]
            if words:
                first = min(words) if first is None else min(first, min(words))
                last = max(words) if last is None else max(last, max(words))
    return first, last
