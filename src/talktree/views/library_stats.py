"""Counts of a library for people: what was spent, with a bar for each day, model or project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from talktree.library.stats.measures import share_of
from talktree.library.stats.report import IN_TIME, Group, Statistics
from talktree.library.stats.usage import Spent
from talktree.text.escape import visible_line
from talktree.views.lines import EMPTY, Line, line
from talktree.views.measure import counted, duration, one_line
from talktree.views.measures import library_measures, measures_lines
from talktree.views.plots import bars
from talktree.views.when import moment

MOST_ROWS = 20
TITLE = 40
Row = tuple[str, float, str]
USUAL = ("day", "model", "project")
"""What is shown if nothing special is asked for."""


def library_stats_lines(
    statistics: Statistics, by: str | None = None, *, width: int = 80
) -> Iterator[Line]:
    """Totals, then the points of view that were asked for, or the usual ones."""
    yield from _summary(statistics)
    for name in USUAL if by is None else [by] if by != "tool" else []:
        yield from _groups(name, statistics.by(name), width, everything=by is not None)
    if by in (None, "tool"):
        yield from _tools(statistics, width, everything=by is not None)
    if by is None:
        yield from measures_lines(library_measures(statistics.measures), width)
    yield from _prices(statistics)


def _summary(statistics: Statistics) -> Iterator[Line]:
    sides = statistics.sidechains
    yield line(
        (counted(statistics.conversations, "conversation"), "title"),
        f", {counted(statistics.messages, 'message')}",
        f", {counted(statistics.branches, 'branch', 'branches')}",
        f", {counted(sides, 'sidechain')}" if sides else "",
    )
    if statistics.first_ns is not None and statistics.last_ns is not None:
        yield line(f"from {moment(statistics.first_ns)} to {moment(statistics.last_ns)} UTC")
    spent = statistics.spent
    if spent.replies:
        yield line(
            f"tokens: {spent.input:,} in, {spent.output:,} out, {spent.cache_read:,} from cache, "
            f"{spent.cache_write:,} to cache, in {counted(spent.replies, 'reply', 'replies')}"
        )
        yield line("cost: ", (cost_words(spent), "title"))
    calls = sum(tool.calls for tool in statistics.tools)
    if calls:
        failures = sum(tool.failures for tool in statistics.tools)
        yield line(f"{counted(calls, 'tool call')}, {failures:,} failed")
    done, left = statistics.measures.todos_done, statistics.measures.todos_open
    if done or left:
        yield line(f"tasks: {done:,} done, {left:,} open")
    shrunk, back = statistics.measures.compactions, statistics.measures.restorations
    if shrunk or back:
        yield line(f"compaction: {shrunk:,} compacted, {back:,} restored")


def cost_words(spent: Spent) -> str:
    """What something cost, and how much of it nobody knows the price of."""
    if spent.unpriced and spent.unpriced == spent.replies:
        return "no price"
    more = f" and {counted(spent.unpriced, 'reply', 'replies')} without a price"
    return dollars(spent.dollars) + (more if spent.unpriced else "")


def dollars(amount: float) -> str:
    """An amount for people: cents from ten cents on, and more digits for less."""
    return f"${amount:,.2f}" if amount >= 0.1 or not amount else f"${amount:.4f}"


def _groups(name: str, groups: Sequence[Group], width: int, *, everything: bool) -> Iterator[Line]:
    shown = groups if everything else groups[-MOST_ROWS:] if name in IN_TIME else groups[:MOST_ROWS]
    costs = any(group.spent.cost for group in groups)
    rows: list[Row] = [
        (
            _label(name, group),
            group.spent.cost if costs else group.spent.output,
            _words(group),
        )
        for group in shown
    ]
    zone = " (UTC)" if name in IN_TIME else ""
    title = f"{'Cost' if costs else 'Output tokens'} by {name}{zone}"
    rest = "earlier" if name in IN_TIME else "more"
    yield from _table(title, rows, width, len(groups), rest)


def _label(name: str, group: Group) -> str:
    """A session goes by the beginning of its id, a project by the end of its path."""
    if name == "session":
        return group.name[:8] if "/" not in group.name else _end(group.name)
    return _end(group.name) if name == "project" else group.name


def _end(path: str) -> str:
    return path if len(path) <= 28 else "…" + path[-27:]


def _words(group: Group) -> str:
    spent = group.spent
    title = f"  {one_line(group.title, TITLE)}" if group.title else ""
    replies = counted(spent.replies, "reply", "replies")
    return f"{cost_words(spent)}, {spent.output:,} out, {replies}{title}"


def _tools(statistics: Statistics, width: int, *, everything: bool) -> Iterator[Line]:
    tools = statistics.tools
    rows: list[Row] = []
    for tool in tools if everything else tools[:MOST_ROWS]:
        failed = f", {tool.failures:,} failed" if tool.failures else ""
        half = f", {duration(share_of(tool.seconds, 0.5))}" if tool.seconds else ""
        rows.append((tool.tool, tool.calls, f"{tool.calls:,}{failed}{half}"))
    yield from _table("Tool calls", rows, width, len(tools), "other")


def _table(title: str, rows: Sequence[Row], width: int, total: int, rest: str) -> Iterator[Line]:
    if not rows:
        return
    yield EMPTY
    yield line((title, "title"))
    yield from bars(rows, width=width)
    if total > len(rows):
        yield line((f"  … and {total - len(rows):,} {rest}", "faint"))


def _prices(statistics: Statistics) -> Iterator[Line]:
    if not statistics.spent.replies:
        return
    yield EMPTY
    if statistics.unpriced:
        yield line(
            f"No price is known for {', '.join(map(visible_line, statistics.unpriced))}: "
            "add it to prices.toml in the data folder."
        )
    yield line((f"List prices as of {statistics.checked}; what you pay may differ.", "faint"))
