"""The usage of a branch, as numbers over its rows or as a file to download."""

from __future__ import annotations

import csv
import io
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field
from starlette.responses import Response, StreamingResponse

from talktree.formats.compactions import read_compaction_numbers
from talktree.library.stats.measures import NumberMeasure, sort_by_count, summarize_values
from talktree.model.message import Usage
from talktree.model.parts import Event
from talktree.model.replies import sum_tokens
from talktree.text.file_names import sanitize_name
from talktree.text.times import to_iso
from talktree.views.compactions import format_compaction_facts
from talktree.views.measures import format_measure_title
from talktree.views.statistics import compute_quantile
from talktree.web.documents.branch_usage import Costs, ReplyCost, Spending
from talktree.web.documents.row_filter import get_survey
from talktree.web.documents.row_list import to_milliseconds
from talktree.web.download import format_disposition
from talktree.web.response import encode_json
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.inspect import (
    MeasuredNumbers,
    MeasuredWords,
    UsageCompaction,
    UsageCount,
    UsageOver,
    UsagePoint,
)
from talktree.web.schemas.transcript import TokenUsage

if TYPE_CHECKING:
    from talktree.web.studio import StudioContext

MOST_POINTS = 400
MOST_FEELINGS = 2_000
MOST_NAMES = 200
COLUMNS = ("row", "time", "model", "input", "output", "cache_read", "cache_write", "cost_usd")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class UsageQuery(Struct, frozen=True, kw_only=True):
    """Which branch, and in which form."""

    leaf: str | None = None
    form: Literal["", "csv", "json"] = field(default="", name="as")


def _usage(studio: StudioContext, call: RouteCall) -> UsageOver | Response:
    query: UsageQuery = call.query
    opened = studio.cache.open(call.path["cid"])
    rows = opened.get_rows(query.leaf)
    spending = get_survey(opened, rows).spending
    if query.form:
        return _make_download(
            spending, query.form, sanitize_name(f"{opened.title[:60]} usage.{query.form}")
        )
    return build_usage(spending, len(rows))


def build_usage(spending: Spending, rows: int) -> UsageOver:
    """Return all usage data of a branch."""
    costs = Costs()
    priced = [(each, costs.find_price(each)) for each in spending.replies.values()]
    waits = array("d", spending.waits.values())
    return UsageOver(
        totals=_sum_tokens(each.usage for each, _ in priced),
        cost=_sum_costs(cost for _, cost in priced),
        points=tuple(_build_points(spending, priced, rows)),
        tools=tuple(_count_tools(spending)),
        models=tuple(_count_models(priced)),
        topics=tuple(
            UsageCount(name=name, count=count)
            for name, count in sort_by_count(spending.words.get("topic", Counter()))[:MOST_NAMES]
        ),
        sentiment=tuple(spending.feelings[:MOST_FEELINGS]),
        seconds_median=compute_quantile(waits, 0.5),
        seconds_p90=compute_quantile(waits, 0.9),
        words=tuple(
            to_measured_words(name, sort_by_count(spending.words[name]))
            for name in sorted(spending.words)
        ),
        numbers=tuple(
            to_measured_numbers(summarize_values(name, spending.numbers[name]))
            for name in sorted(spending.numbers)
        ),
        compactions=tuple(map(_to_usage_compaction, spending.compactions[:MOST_NAMES])),
    )


def _to_usage_compaction(found: tuple[int, Event]) -> UsageCompaction:
    row, event = found
    numbers = read_compaction_numbers(event)
    return UsageCompaction(
        row=row,
        kind=event.kind,  # type: ignore[arg-type]
        detail=format_compaction_facts(event),
        messages_before=numbers.messages_before,
        messages_after=numbers.messages_after,
        tokens_before=numbers.tokens_before,
        tokens_after=numbers.tokens_after,
        ratio=numbers.ratio,
    )


def to_measured_words(name: str, found: Sequence[tuple[str, int]]) -> MeasuredWords:
    """Return the words of a measure for the page, most frequent first."""
    values = tuple(UsageCount(name=word, count=count) for word, count in found[:MOST_NAMES])
    return MeasuredWords(
        name=name, title=format_measure_title(name), values=values, distinct=len(found)
    )


def to_measured_numbers(found: NumberMeasure) -> MeasuredNumbers:
    """Return the numbers of a measure for the page."""
    return MeasuredNumbers(
        name=found.name,
        title=format_measure_title(found.name),
        count=found.count,
        median=found.median,
        p90=found.ninth,
        max=found.most,
    )


Priced = tuple[ReplyCost, float | None]


def _build_points(spending: Spending, priced: list[Priced], rows: int) -> Iterator[UsagePoint]:
    """Return rows with tokens or replies, grouped to limit their number."""
    wide = max(1, -(-rows // MOST_POINTS))
    by_place: dict[int, list[Priced]] = {}
    for each in priced:
        by_place.setdefault(each[0].row // wide, []).append(each)
    waits: dict[int, float] = {}
    for row, seconds in spending.waits.items():
        waits[row // wide] = max(seconds, waits.get(row // wide, 0.0))
    for place in sorted({*by_place, *waits}):
        found = by_place.get(place, [])
        yield UsagePoint(
            start=place * wide,
            time=next((to_milliseconds(each.time) for each, _ in found), None),
            tokens=_sum_tokens(each.usage for each, _ in found),
            seconds=waits.get(place),
            cost=_sum_costs(cost for _, cost in found),
        )


def _sum_tokens(usages: Iterable[Usage]) -> TokenUsage:
    listed = list(usages)
    return TokenUsage(
        input=sum(each.input for each in listed),
        output=sum(each.output for each in listed),
        cache_read=sum(each.cache_read for each in listed),
        cache_write=sum(each.cache_write for each in listed),
    )


def _sum_costs(costs: Iterable[float | None]) -> float | None:
    known = [each for each in costs if each is not None]
    return sum(known) if known else None


def _count_tools(spending: Spending) -> Iterator[UsageCount]:
    ordered = sorted(spending.tools.items(), key=lambda item: (-item[1].calls, item[0]))
    for name, tool in ordered[:MOST_NAMES]:
        yield UsageCount(
            name=name,
            count=tool.calls,
            failures=tool.failures,
            seconds=compute_quantile(tool.seconds, 0.5),
        )


def _count_models(priced: list[Priced]) -> Iterator[UsageCount]:
    by_model: dict[str, list[Priced]] = {}
    for each in priced:
        by_model.setdefault(each[0].model, []).append(each)
    for name, found in list(by_model.items())[:MOST_NAMES]:
        yield UsageCount(
            name=name,
            count=len(found),
            tokens=sum(sum_tokens(each.usage) for each, _ in found),
            cost=_sum_costs(cost for _, cost in found),
        )


# downloads


def _make_download(spending: Spending, form: str, name: str) -> Response:
    lines = _format_csv(spending) if form == "csv" else _format_json(spending)
    kind = "text/csv; charset=utf-8" if form == "csv" else "application/json"
    return StreamingResponse(
        lines, media_type=kind, headers={"Content-Disposition": format_disposition(name)}
    )


def _list_values(spending: Spending) -> Iterator[tuple[object, ...]]:
    costs = Costs()
    for each in spending.replies.values():
        usage = each.usage
        yield (
            each.row,
            "" if each.time is None else to_iso(each.time),
            each.model,
            usage.input,
            usage.output,
            usage.cache_read,
            usage.cache_write,
            costs.find_price(each),
        )


def _format_csv(spending: Spending) -> Iterator[bytes]:
    yield _format_csv_line(COLUMNS)
    for values in _list_values(spending):
        yield _format_csv_line(tuple(map(_escape_formula, values)))


def _format_csv_line(values: Iterable[object]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerow(["" if each is None else each for each in values])
    return out.getvalue().encode("utf-8", "replace")


def _escape_formula(value: object) -> object:
    """Escape a text so that no spreadsheet reads it as a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def _format_json(spending: Spending) -> Iterator[bytes]:
    yield b"["
    for number, values in enumerate(_list_values(spending)):
        yield b",\n" if number else b"\n"
        yield encode_json(dict(zip(COLUMNS, values, strict=True)))
    yield b"\n]\n"


ROUTES = (
    Route(
        "GET", "/c/{cid}/usage", _usage, "What a branch cost; `as` csv or json downloads it.",
        query=UsageQuery, gives=UsageOver, media="text/csv",
    ),
)  # fmt: skip
