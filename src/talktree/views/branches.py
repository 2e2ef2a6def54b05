"""The branches of a session, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.width import format_count

SHORT = 8


class BranchLike(Protocol):
    """A line of messages."""

    @property
    def leaf(self) -> str: ...
    @property
    def fork(self) -> str | None: ...
    @property
    def name(self) -> str | None: ...
    @property
    def messages(self) -> int: ...
    @property
    def current(self) -> bool: ...


def format_branch_lines(branches: Iterable[BranchLike], names: Mapping[str, str]) -> Iterator[Line]:
    """Yield one line for each branch, with a star at the current one, then the named messages in
    it."""
    leaves = set()
    for each in branches:
        leaves.add(each.leaf)
        fork = f"from {each.fork[:SHORT]}" if each.fork else ""
        yield line(
            ("* " if each.current else "  ", "active"),
            (f"{each.leaf[:SHORT]:8}", "mark"),
            f"  {format_count(each.messages, 'message')}",
            (f"  {fork}" if fork else "", "faint"),
            (f"  {each.name}" if each.name else "", "title"),
        )
    for name, message in names.items():
        if message not in leaves:
            yield line("  ", (f"{message[:SHORT]:8}", "mark"), (f"  {name}", "title"))
    if not leaves:
        yield line(("no messages yet", "faint"))


def build_branch_shape(branch: BranchLike) -> dict[str, Json]:
    """Return the branches as JSON values."""
    return {
        "leaf": branch.leaf,
        "fork": branch.fork,
        "name": branch.name,
        "messages": branch.messages,
        "current": branch.current,
    }
