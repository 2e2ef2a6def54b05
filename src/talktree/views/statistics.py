"""Counts as text and as JSON: tables with bars, and the same numbers as plain values."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from talktree.model.compaction import COMPACTED, OPERATIONS, RESTORED
from talktree.model.parts import Event
from talktree.model.statistics import Tally, TokenTally
from talktree.text.json.value import Json
from talktree.views.compactions import build_compaction_shape, format_compaction_facts
from talktree.views.lines import EMPTY, Line, line
from talktree.views.measures import (
    build_measures_shape,
    collect_tally_measures,
    format_measures_lines,
)
from talktree.views.plots import draw_bars
from talktree.views.width import (
    format_count,
    format_day,
    format_duration,
    format_moment,
    format_stamp,
)

MOST_ROWS = 20
MOST_COMPACTIONS = 5
Row = tuple[str, float, str]


# JSON


def build_statistics_shape(tally: Tally) -> dict[str, Json]:
    """Return the document of `stats --json`."""
    return {
        "totals": _build_totals(tally),
        "by_day": [
            {
                "day": format_day(number),
                "messages": found.messages,
                **_build_tokens_shape(found.tokens),
            }
            for number, found in sorted(tally.days.items())
        ],
        "by_model": [
            {"model": name, "messages": found.messages, **_build_tokens_shape(found.tokens)}
            for name, found in tally.models.items()
        ],
        "by_tool": [
            {
                "tool": name,
                "calls": found.calls,
                "answered": found.answered,
                "failures": found.failures,
                "median_seconds": compute_quantile(found.seconds, 0.5),
            }
            for name, found in tally.tools.items()
        ],
        "compactions": [build_compaction_shape(each) for each in tally.compactions],
        "by_role": [{"role": role, "messages": count} for role, count in tally.roles.most_common()],
        "measures": build_measures_shape(collect_tally_measures(tally)),
    }


def _build_totals(tally: Tally) -> dict[str, Json]:
    span = None if tally.first is None or tally.last is None else tally.last - tally.first
    return {
        "conversations": tally.conversations,
        "messages": tally.messages,
        "records": tally.records,
        "threads": tally.threads,
        "branches": tally.branches,
        "sidechains": tally.sidechains,
        "branches_by_kind": dict(sorted(tally.kinds.items())),
        "compactions": sum(each.kind == COMPACTED for each in tally.compactions),
        "restorations": sum(each.kind == RESTORED for each in tally.compactions),
        "tool_calls": sum(tool.calls for tool in tally.tools.values()),
        "tool_failures": sum(tool.failures for tool in tally.tools.values()),
        **_build_tokens_shape(tally.tokens),
        "first": format_stamp(tally.first) or None,
        "last": format_stamp(tally.last) or None,
        "seconds": None if span is None else span / 1e9,
        "replies": tally.tokens.api_messages,
        "timed_replies": len(tally.waits),
        "reply_seconds_median": compute_quantile(tally.waits, 0.5),
        "reply_seconds_p90": compute_quantile(tally.waits, 0.9),
        "reply_seconds_max": max(tally.waits, default=None),
        "todos_done": tally.todos_done,
        "todos_open": tally.todos_open,
    }


def _build_tokens_shape(tokens: TokenTally) -> dict[str, Json]:
    return {
        "api_messages": tokens.api_messages,
        "input_tokens": tokens.input,
        "output_tokens": tokens.output,
        "cache_read_tokens": tokens.cache_read,
        "cache_write_tokens": tokens.cache_write,
    }


def compute_quantile(values: array[float], share: float) -> float | None:
    """Return the value below which this share of all values lies."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


# text


def format_statistics_lines(tally: Tally, *, width: int = 80) -> Iterator[Line]:
    """Yield the totals, then a table with bars for each grouping that is not empty."""
    yield from _format_summary(tally)
    roles: list[Row] = [(role, count, f"{count:,}") for role, count in tally.roles.most_common()]
    days: list[Row] = [
        (format_day(number), found.messages, _format_day(found.messages, found.tokens))
        for number, found in sorted(tally.days.items())
    ]
    spent = tally.tokens.output
    models: list[Row] = [
        (
            name,
            found.tokens.output if spent else found.messages,
            _format_model(found.messages, found.tokens),
        )
        for name, found in tally.models.items()
    ]
    tools: list[Row] = [
        (name, found.calls, _format_tool(found.calls, found.failures, found.seconds))
        for name, found in sorted(tally.tools.items(), key=lambda item: -item[1].calls)
    ]
    yield from _format_table("Messages by role", roles, width)
    yield from _format_table(
        "Messages by day (UTC)", days[-MOST_ROWS:], width, len(days), "earlier"
    )
    yield from _format_table(f"{'Output tokens' if spent else 'Messages'} by model", models, width)
    yield from _format_table("Tool calls", tools[:MOST_ROWS], width, len(tools), "other")
    yield from format_measures_lines(collect_tally_measures(tally), width)


def _format_summary(tally: Tally) -> Iterator[Line]:
    sides = f", {format_count(tally.sidechains, 'sidechain')}" if tally.sidechains else ""
    branches = format_count(tally.branches, "branch", "branches")
    yield line(
        (format_count(tally.conversations, "conversation"), "title"),
        f", {format_count(tally.messages, 'message')}, {branches}{sides}",
    )
    if tally.first is not None and tally.last is not None:
        long = format_duration((tally.last - tally.first) / 1e9)
        yield line(f"from {format_moment(tally.first)} to {format_moment(tally.last)} UTC ({long})")
    tokens = tally.tokens
    if tokens.api_messages:
        yield line(
            f"tokens: {tokens.input:,} in, {tokens.output:,} out, "
            f"{tokens.cache_read:,} from cache, {tokens.cache_write:,} to cache, "
            f"in {format_count(tokens.api_messages, 'reply', 'replies')}"
        )
    if tally.waits:
        half, most = (
            compute_quantile(tally.waits, 0.5) or 0,
            compute_quantile(tally.waits, 0.9) or 0,
        )
        what = format_count(len(tally.waits), "answer")
        yield line(f"{what} timed: p50 {format_duration(half)}, p90 {format_duration(most)}")
    if tally.compactions:
        yield line(f"compaction: {_format_compactions(tally.compactions)}")
    if tally.todos_done or tally.todos_open:
        yield line(f"tasks: {tally.todos_done:,} done, {tally.todos_open:,} open")


def _format_compactions(events: Sequence[Event]) -> str:
    """Yield how often the context was compacted and restored, each time with its numbers."""
    words = []
    for kind in OPERATIONS:
        found = [each for each in events if each.kind == kind]
        if found:
            numbers = list(filter(None, map(format_compaction_facts, found[:MOST_COMPACTIONS])))
            more = "; …" if len(found) > MOST_COMPACTIONS else ""
            words.append(
                f"{len(found):,} {kind}" + (f" ({'; '.join(numbers)}{more})" if numbers else "")
            )
    return ", ".join(words)


def _format_table(
    title: str, rows: Sequence[Row], width: int, total: int = 0, rest: str = ""
) -> Iterator[Line]:
    if not rows:
        return
    yield EMPTY
    yield line((title, "title"))
    yield from draw_bars(rows, width=width)
    if total > len(rows):
        yield line((f"  … and {total - len(rows):,} {rest}", "faint"))


def _format_day(messages: int, tokens: TokenTally) -> str:
    return f"{messages:,}" + (f", {tokens.output:,} tokens out" if tokens.api_messages else "")


def _format_model(messages: int, tokens: TokenTally) -> str:
    if not tokens.api_messages:
        return format_count(messages, "message")
    return f"{tokens.output:,} out, {tokens.input:,} in, {tokens.cache_read:,} cached"


def _format_tool(calls: int, failures: int, seconds: array[float]) -> str:
    failed = f", {failures:,} failed" if failures else ""
    half = compute_quantile(seconds, 0.5)
    return f"{calls:,}{failed}" + ("" if half is None else f", {format_duration(half)}")
