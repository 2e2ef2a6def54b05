"""The tree with its linear runs folded, and the comparison of two branches."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Segment(Struct, frozen=True, kw_only=True):
    """Messages in a line, from the first to a fork or the end."""

    first: str
    last: str
    parent: str | None
    """The `first` of its parent segment."""
    at: str | None
    """The message in the parent segment after which it branches off."""
    kind: Literal["line", "fork", "sidechain", "problem"]
    messages: int
    leaf: str
    """The last message of the line that continues from here."""
    current: bool
    """Whether it is on the current branch."""
    label: str
    roles: str
    """One letter for each message, at most 200, evenly sampled if there are more: u(ser)
    a(ssistant) t(ool) s(ystem) o(ther), in capitals where it is deleted or aborted."""
    start: int | None
    end: int | None
    compactions: int = 0


class Graph(Struct, frozen=True, kw_only=True):
    """All segments in the order in which they begin; at most 5,000."""

    stamp: str
    total: int
    messages: int
    segments: tuple[Segment, ...]


class TreeNode(Struct, frozen=True, kw_only=True):
    """A message of a run, in one line."""

    id: str
    role: str
    speaker: str
    """Who wrote it, as in `Row`."""
    label: str
    time: int | None
    flags: tuple[str, ...] = ()


class FoldedRun(Struct, frozen=True, kw_only=True):
    """A range of a folded run."""

    total: int
    start: int
    nodes: tuple[TreeNode, ...]


class ComparedSide(Struct, frozen=True, kw_only=True):
    """One of two branches after the fork."""

    leaf: str
    name: str
    messages: int
    tokens: int
    first: int | None
    last: int | None


class ComparedRow(Struct, frozen=True, kw_only=True):
    """Aligned rows: equal, changed, or only on one side."""

    kind: Literal["same", "changed", "added", "removed", "moved"]
    a: str | None
    b: str | None
    a_label: str = ""
    b_label: str = ""
    html: str = ""
    """How the words differ, for changed rows."""
    what: tuple[str, ...] = ()


class BranchComparison(Struct, frozen=True, kw_only=True):
    """Two branches: what they share, and the rest of both."""

    ancestor: str | None
    shared: int
    a: ComparedSide
    b: ComparedSide
    rows: tuple[ComparedRow, ...]
    """At most 1,000."""
    total: int
