"""The library's statistics as text, with a bar for each day, model or project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from talktree.library.stats.measures import find_quantile
from talktree.library.stats.report import IN_TIME, LibraryStatistics, UsageGroup
from talktree.library.stats.usage import UsageTotal
from talktree.text.escape import escape_line
from talktree.views.lines import EMPTY, Line, line
from talktree.views.measures import collect_library_measures, format_measures_lines
from talktree.views.plots import draw_bars
from talktree.views.width import (
    format_count,
    format_duration,
    format_moment,
    to_one_line,
)

if TYPE_CHECKING:
    pass


MOST_ROWS = 20
TITLE = 40
Row = tuple[str, float, str]
USUAL = ("day", "model", "project")
"""What is shown if nothing special is asked for."""


def format_library_stats_lines(
    statistics: LibraryStatistics, by: str | None = None, *, width: int = 80
) -> Iterator[Line]:
    """Yield the totals, then the requested groupings or the default ones."""
    yield from _format_summary(statistics)
    for name in USUAL if by is None else [by] if by != "tool" else []:
        yield from _format_groups(name, statistics.group_by(name), width, everything=by is not None)
    if by in (None, "tool"):
        yield from _format_tools(statistics, width, everything=by is not None)
    if by is None:
        yield from format_measures_lines(collect_library_measures(statistics.measures), width)
    yield from _format_price_note(statistics)


def _format_summary(statistics: LibraryStatistics) -> Iterator[Line]:
    sides = statistics.sidechains
    yield line(
        (format_count(statistics.conversations, "conversation"), "title"),
        f", {format_count(statistics.messages, 'message')}",
        f", {format_count(statistics.branches, 'branch', 'branches')}",
        f", {format_count(sides, 'sidechain')}" if sides else "",
    )
    if statistics.first_ns is not None and statistics.last_ns is not None:
        yield line(
            f"from {format_moment(statistics.first_ns)} to {format_moment(statistics.last_ns)} UTC"
        )
    spent = statistics.spent
    if spent.replies:
        yield line(
            f"tokens: {spent.input:,} in, {spent.output:,} out, {spent.cache_read:,} from cache, "
            f"{spent.cache_write:,} to cache, in {format_count(spent.replies, 'reply', 'replies')}"
        )
        yield line("cost: ", (format_cost(spent), "title"))
    calls = sum(tool.calls for tool in statistics.tools)
    if calls:
        failures = sum(tool.failures for tool in statistics.tools)
        yield line(f"{format_count(calls, 'tool call')}, {failures:,} failed")
    done, left = statistics.measures.todos_done, statistics.measures.todos_open
    if done or left:
        yield line(f"tasks: {done:,} done, {left:,} open")
    shrunk, back = statistics.measures.compactions, statistics.measures.restorations
    if shrunk or back:
        yield line(f"compaction: {shrunk:,} compacted, {back:,} restored")


def format_cost(spent: UsageTotal) -> str:
    """Return a cost, and how much of it has no known price."""
    if spent.unpriced and spent.unpriced == spent.replies:
        return "no price"
    more = f" and {format_count(spent.unpriced, 'reply', 'replies')} without a price"
    return format_dollars(spent.dollars) + (more if spent.unpriced else "")


def format_dollars(amount: float) -> str:
    """Return an amount in dollars: cents from ten cents on, more digits below."""
    return f"${amount:,.2f}" if amount >= 0.1 or not amount else f"${amount:.4f}"


def _format_groups(
    name: str, groups: Sequence[UsageGroup], width: int, *, everything: bool
) -> Iterator[Line]:
    shown = groups if everything else groups[-MOST_ROWS:] if name in IN_TIME else groups[:MOST_ROWS]
    costs = any(group.spent.cost for group in groups)
    rows: list[Row] = [
        (
            _format_label(name, group),
            group.spent.cost if costs else group.spent.output,
            _describe_group(group),
        )
        for group in shown
    ]
    zone = " (UTC)" if name in IN_TIME else ""
    title = f"{'Cost' if costs else 'Output tokens'} by {name}{zone}"
    rest = "earlier" if name in IN_TIME else "more"
    yield from _format_table(title, rows, width, len(groups), rest)


def _format_label(name: str, group: UsageGroup) -> str:
    """Return a label: the beginning of a session's id, or the end of a project's path."""
    if name == "session":
        return group.name[:8] if "/" not in group.name else _shorten_path(group.name)
    return _shorten_path(group.name) if name == "project" else group.name


def _shorten_path(path: str) -> str:
    return path if len(path) <= 28 else "…" + path[-27:]


def _describe_group(group: UsageGroup) -> str:
    spent = group.spent
    title = f"  {to_one_line(group.title, TITLE)}" if group.title else ""
    replies = format_count(spent.replies, "reply", "replies")
    return f"{format_cost(spent)}, {spent.output:,} out, {replies}{title}"


def _format_tools(statistics: LibraryStatistics, width: int, *, everything: bool) -> Iterator[Line]:
    tools = statistics.tools
    rows: list[Row] = []
    for tool in tools if everything else tools[:MOST_ROWS]:
        failed = f", {tool.failures:,} failed" if tool.failures else ""
        half = f", {format_duration(find_quantile(tool.seconds, 0.5))}" if tool.seconds else ""
        rows.append((tool.tool, tool.calls, f"{tool.calls:,}{failed}{half}"))
    yield from _format_table("Tool calls", rows, width, len(tools), "other")


def _format_table(
    title: str, rows: Sequence[Row], width: int, total: int, rest: str
) -> Iterator[Line]:
    if not rows:
        return
    yield EMPTY
    yield line((title, "title"))
    yield from draw_bars(rows, width=width)
    if total > len(rows):
        yield line((f"  … and {total - len(rows):,} {rest}", "faint"))


def _format_price_note(statistics: LibraryStatistics) -> Iterator[Line]:
    if not statistics.spent.replies:
        return
    yield EMPTY
    if statistics.unpriced:
        yield line(
            f"No price is known for {', '.join(map(escape_line, statistics.unpriced))}: "
            "add it to prices.toml in the data folder."
        )
    yield line((f"List prices as of {statistics.checked}; what you pay may differ.", "faint"))
