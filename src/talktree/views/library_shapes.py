"""Counts of a library for programs: plain values for JSON, and CSV.

Keys only ever get added; a change of meaning raises `SCHEMA_VERSION`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from talktree.library.stats.measures import share_of
from talktree.library.stats.report import BY, Group, Statistics
from talktree.library.stats.usage import Spent
from talktree.text.json.value import Json
from talktree.views.measures import library_measures, measures_shape
from talktree.views.shapes import Object
from talktree.views.width import stamp


def library_stats_shape(statistics: Statistics, by: str | None = None) -> Object:
    """The document of `stats --json`: the totals, and one list or all of them."""
    names = BY if by is None else (by,)
    return {
        "totals": _totals(statistics),
        **{
            f"by_{name}": _tools(statistics)
            if name == "tool"
            else [_group(name, group) for group in statistics.by(name)]
            for name in names
        },
        **({} if by else {"by_role": _roles(statistics)}),
        "measures": measures_shape(library_measures(statistics.measures)),
        "unpriced_models": list(statistics.unpriced),
        "prices_checked": statistics.checked,
    }


def _totals(statistics: Statistics) -> Object:
    return {
        "sources": statistics.sources,
        "conversations": statistics.conversations,
        "messages": statistics.messages,
        "threads": statistics.threads,
        "branches": statistics.branches,
        "sidechains": statistics.sidechains,
        "errors": statistics.errors,
        "compactions": statistics.measures.compactions,
        "restorations": statistics.measures.restorations,
        "tool_calls": sum(tool.calls for tool in statistics.tools),
        "tool_failures": sum(tool.failures for tool in statistics.tools),
        **_spent(statistics.spent),
        "replies": statistics.spent.replies,
        "first": stamp(statistics.first_ns) or None,
        "last": stamp(statistics.last_ns) or None,
        "todos_done": statistics.measures.todos_done,
        "todos_open": statistics.measures.todos_open,
    }


def _spent(spent: Spent) -> Object:
    return {
        "api_messages": spent.replies,
        "input_tokens": spent.input,
        "output_tokens": spent.output,
        "cache_read_tokens": spent.cache_read,
        "cache_write_tokens": spent.cache_write,
        "cache_write_hour_tokens": spent.cache_write_hour,
        "cost_usd": spent.dollars,
        "unpriced_api_messages": spent.unpriced,
    }


def _group(name: str, group: Group) -> Object:
    title: Object = {"title": group.title} if name == "session" else {}
    return {name: group.name, **title, **_spent(group.spent)}


def _tools(statistics: Statistics) -> list[Json]:
    return [
        {
            "tool": tool.tool,
            "calls": tool.calls,
            "answered": tool.answered,
            "failures": tool.failures,
            "median_seconds": share_of(tool.seconds, 0.5) if tool.seconds else None,
        }
        for tool in statistics.tools
    ]


def _roles(statistics: Statistics) -> list[Json]:
    return [{"role": role, "messages": messages} for role, messages in statistics.roles]


def library_stats_csv(statistics: Statistics, by: str) -> Iterator[str]:
    """One point of view as CSV, with a line of names; the keys are those of the JSON."""
    shape = library_stats_shape(statistics, by)[f"by_{by}"]
    rows = shape if isinstance(shape, list) else []
    page = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        assert isinstance(row, dict)
        if writer is None:
            writer = csv.DictWriter(page, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow({key: _safe(value) for key, value in row.items()})
        yield page.getvalue()
        page.seek(0)
        page.truncate()


def _safe(value: Json) -> Json:
    """A text that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value
