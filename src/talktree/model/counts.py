"""The numbers of a conversation: its records, messages, threads, branches and sidechains.

`docs/definitions.md` defines each word. Every list, table, report and page uses these numbers, so
that they agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from talktree.model.conversation import Conversation
from talktree.model.findings import Finding
from talktree.model.link_repair import with_inferred_links
from talktree.model.skeleton import NO_TIME, Skeleton
from talktree.model.tree import Branch, Tree
from talktree.text.times import to_datetime

SIDECHAIN = "sidechain"


class ConversationCounts(Struct, frozen=True, kw_only=True):
    """The numbers of one conversation."""

    records: int
    messages: int
    roles: dict[str, int]
    """Messages by role."""
    threads: int
    branches: int
    """Without sidechains."""
    sidechains: int
    first_ns: int | None
    last_ns: int | None
    """Time of the first and the last message, in nanoseconds since 1970."""

    @property
    def first(self) -> datetime | None:
        """The time of its first message, in UTC."""
        return to_datetime(self.first_ns)

    @property
    def last(self) -> datetime | None:
        """The time of its last message, in UTC."""
        return to_datetime(self.last_ns)


class FindingCounts(Struct, frozen=True, kw_only=True):
    """Findings by severity."""

    errors: int
    warnings: int
    notes: int


def count_conversation(conversation: Conversation) -> ConversationCounts:
    """Count a conversation with its broken links inferred, as every view shows it."""
    shown = with_inferred_links(conversation)
    skeleton, branches = shown.skeleton, shown.branches()
    first, last = compute_time_span(skeleton)
    return ConversationCounts(
        records=conversation.record_count,
        messages=len(conversation),
        roles=count_roles(skeleton),
        threads=count_threads(shown.tree),
        branches=count_branches(branches),
        sidechains=count_sidechains(branches),
        first_ns=first,
        last_ns=last,
    )


def count_roles(skeleton: Skeleton) -> dict[str, int]:
    """Count messages by role."""
    return dict(
        Counter(role for role, trait in zip(skeleton.roles, skeleton.traits, strict=True) if trait)
    )


def count_threads(tree: Tree) -> int:
    """Count messages without a parent; those that start sidechains only if there are no others."""
    roots = tree.roots
    return sum(not tree.is_sidechain_start(root) for root in roots) or len(roots)


def count_branches(branches: Iterable[Branch]) -> int:
    """Count branches without sidechains."""
    return sum(branch.kind != SIDECHAIN for branch in branches)


def count_sidechains(branches: Iterable[Branch]) -> int:
    """Count the conversations of sub-agents inside a conversation."""
    return sum(branch.kind == SIDECHAIN for branch in branches)


def compute_time_span(skeleton: Skeleton) -> tuple[int | None, int | None]:
    """Return the times of the first and the last message."""
    times = [
        time
        for time, trait in zip(skeleton.times, skeleton.traits, strict=True)
        if trait and time != NO_TIME
    ]
    return min(times, default=None), max(times, default=None)


def count_findings(found: Iterable[Finding]) -> FindingCounts:
    """Count findings by severity."""
    counts = Counter(each.severity for each in found)
    return FindingCounts(errors=counts["error"], warnings=counts["warning"], notes=counts["note"])
