"""Counts of a library as JSON values and CSV.

Keys are only ever added; a change of meaning raises `SCHEMA_VERSION`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from talktree.library.stats.measures import find_quantile
from talktree.library.stats.report import BY, LibraryStatistics, UsageGroup
from talktree.library.stats.usage import UsageTotal
from talktree.text.json.value import Json
from talktree.views.measures import build_measures_shape, collect_library_measures
from talktree.views.shapes import Object
from talktree.views.width import format_stamp


def build_library_stats_shape(statistics: LibraryStatistics, by: str | None = None) -> Object:
    """Return the document of `stats --json`: the totals, and one list or all of them."""
    names = BY if by is None else (by,)
    return {
        "totals": _build_totals(statistics),
        **{
            f"by_{name}": _build_tool_shapes(statistics)
            if name == "tool"
            else [_build_group_shape(name, group) for group in statistics.group_by(name)]
            for name in names
        },
        **({} if by else {"by_role": _build_role_shapes(statistics)}),
        "measures": build_measures_shape(collect_library_measures(statistics.measures)),
        "unpriced_models": list(statistics.unpriced),
        "prices_checked": statistics.checked,
    }


def _build_totals(statistics: LibraryStatistics) -> Object:
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
        **_build_spent_shape(statistics.spent),
        "replies": statistics.spent.replies,
        "first": format_stamp(statistics.first_ns) or None,
        "last": format_stamp(statistics.last_ns) or None,
        "todos_done": statistics.measures.todos_done,
        "todos_open": statistics.measures.todos_open,
    }


def _build_spent_shape(spent: UsageTotal) -> Object:
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


def _build_group_shape(name: str, group: UsageGroup) -> Object:
    title: Object = {"title": group.title} if name == "session" else {}
    return {name: group.name, **title, **_build_spent_shape(group.spent)}


def _build_tool_shapes(statistics: LibraryStatistics) -> list[Json]:
    return [
        {
            "tool": tool.tool,
            "calls": tool.calls,
            "answered": tool.answered,
            "failures": tool.failures,
            "median_seconds": find_quantile(tool.seconds, 0.5) if tool.seconds else None,
        }
        for tool in statistics.tools
    ]


def _build_role_shapes(statistics: LibraryStatistics) -> list[Json]:
    return [{"role": role, "messages": messages} for role, messages in statistics.roles]


def format_library_stats_csv(statistics: LibraryStatistics, by: str) -> Iterator[str]:
    """Return one grouping as CSV with a header; the keys are those of the JSON."""
    shape = build_library_stats_shape(statistics, by)[f"by_{by}"]
    rows = shape if isinstance(shape, list) else []
    page = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        assert isinstance(row, dict)
        if writer is None:
            writer = csv.DictWriter(page, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow({key: _escape_formula(value) for key, value in row.items()})
        yield page.getvalue()
        page.seek(0)
        page.truncate()


def _escape_formula(value: Json) -> Json:
    """Escape a text so that no spreadsheet reads it as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value
