"""What stands at the top of an export: what it is, how much, from when to when."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.export.walk import Walk
from talktree.formats import by_slug
from talktree.model.counts import SIDECHAIN
from talktree.model.message import META, Message
from talktree.model.skeleton import NO_TIME
from talktree.views.width import counted, moment, one_line

WIDTH = 120
LOOKED_AT = 20
"""Messages among which the first prompt is looked for."""


def title_of(walks: Sequence[Walk], name: str) -> str:
    """What the whole is called: as its source does, else by how it begins."""
    if len(walks) != 1:
        return one_line(name, WIDTH)
    title = walks[0].conversation.title or _beginning(walks[0])
    return one_line(title or name, WIDTH)


def _beginning(walk: Walk) -> str:
    """The first thing that somebody asked."""
    positions = walk.sections[0].positions[:LOOKED_AT]
    for entry in walk.conversation.entries_at(positions):
        if not isinstance(entry, Message) or entry.role != "user" or META in entry.flags:
            continue
        if text := entry.text.strip():
            return text
    return ""


def facts_of(walks: Sequence[Walk]) -> list[str]:
    """What there is to know of it all."""
    if not walks:
        return ["no conversation"]
    first, last = _extent(walks)
    messages, branches, sidechains = map(sum, zip(*map(_counts, walks), strict=True))
    format = walks[0].conversation.format
    return [
        by_slug(format).info.title,
        counted(len(walks), "conversation") if len(walks) > 1 else "",
        counted(messages, "message"),
        counted(branches, "branch", "branches") if branches > len(walks) else "",
        counted(sidechains, "sidechain") if sidechains else "",
        f"{moment(first)} to {moment(last)} UTC" if first is not None else "",
    ]


def _counts(walk: Walk) -> tuple[int, int, int]:
    """The messages, branches and sidechains that are exported."""
    tree = walk.conversation.tree
    found = walk.shown
    branches = [section.branch for section in walk.sections if section.positions]
    return (
        len(found),
        sum(branch is None or branch.kind != SIDECHAIN for branch in branches),
        sum(map(tree.starts_sidechain, found)),
    )


def _extent(walks: Sequence[Walk]) -> tuple[int | None, int | None]:
    """The first and the last time of what is told."""
    first: int | None = None
    last: int | None = None
    for walk in walks:
        times = walk.conversation.skeleton.times
        for section in walk.sections:
            told = [times[at] for at in section.positions if times[at] != NO_TIME]
            if told:
                first = min(told) if first is None else min(first, min(told))
                last = max(told) if last is None else max(last, max(told))
    return first, last
