"""What a branch cost, as numbers over its rows or as a file to download."""

from __future__ import annotations

import csv
import io
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field
from starlette.responses import Response, StreamingResponse

from talktree.formats.compactions import compaction_numbers
from talktree.library.stats.measures import Measured, most_common, summarize
from talktree.model.message import Usage
from talktree.model.parts import Event
from talktree.model.replies import total
from talktree.text.file_names import tame
from talktree.text.times import to_iso
from talktree.views.compactions import compaction_facts
from talktree.views.measures import title_of
from talktree.views.statistics import quantile
from talktree.web.documents.branch_usage import Costs, Reply, Spending
from talktree.web.documents.row_filter import survey_of
from talktree.web.documents.row_list import milliseconds
from talktree.web.download import disposition
from talktree.web.response import encoded
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.inspect import (
    Counted,
    MeasuredNumbers,
    MeasuredWords,
    UsageCompaction,
    UsageOver,
    UsagePoint,
)
from talktree.web.schemas.transcript import Tokens

if TYPE_CHECKING:
    from talktree.web.studio import Studio

MOST_POINTS = 400
MOST_FEELINGS = 2_000
MOST_NAMES = 200
COLUMNS = ("row", "time", "model", "input", "output", "cache_read", "cache_write", "cost_usd")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class UsageQuery(Struct, frozen=True, kw_only=True):
    """Of which branch, and as what."""

    leaf: str | None = None
    form: Literal["", "csv", "json"] = field(default="", name="as")


def _usage(studio: Studio, call: Call) -> UsageOver | Response:
    query: UsageQuery = call.query
    opened = studio.desk.open(call.path["cid"])
    rows = opened.rows(query.leaf)
    spending = survey_of(opened, rows).spending
    if query.form:
        return _download(spending, query.form, tame(f"{opened.title[:60]} usage.{query.form}"))
    return usage_over(spending, len(rows))


def usage_over(spending: Spending, rows: int) -> UsageOver:
    """All that is told of what a branch cost."""
    costs = Costs()
    priced = [(each, costs.of(each)) for each in spending.replies.values()]
    waits = array("d", spending.waits.values())
    return UsageOver(
        totals=_tokens(each.usage for each, _ in priced),
        cost=_sum(cost for _, cost in priced),
        points=tuple(_points(spending, priced, rows)),
        tools=tuple(_tools(spending)),
        models=tuple(_models(priced)),
        topics=tuple(
            Counted(name=name, count=count)
            for name, count in most_common(spending.words.get("topic", Counter()))[:MOST_NAMES]
        ),
        sentiment=tuple(spending.feelings[:MOST_FEELINGS]),
        seconds_median=quantile(waits, 0.5),
        seconds_p90=quantile(waits, 0.9),
        words=tuple(
            measured_words(name, most_common(spending.words[name]))
            for name in sorted(spending.words)
        ),
        numbers=tuple(
            measured_numbers(summarize(name, spending.numbers[name]))
            for name in sorted(spending.numbers)
        ),
        compactions=tuple(map(_compaction, spending.compactions[:MOST_NAMES])),
    )


def _compaction(found: tuple[int, Event]) -> UsageCompaction:
    row, event = found
    numbers = compaction_numbers(event)
    return UsageCompaction(
        row=row,
        kind=event.kind,  # type: ignore[arg-type]
        detail=compaction_facts(event),
        messages_before=numbers.messages_before,
        messages_after=numbers.messages_after,
        tokens_before=numbers.tokens_before,
        tokens_after=numbers.tokens_after,
        ratio=numbers.ratio,
    )


def measured_words(name: str, found: Sequence[tuple[str, int]]) -> MeasuredWords:
    """The words of a measure, the most frequent first, as they travel."""
    values = tuple(Counted(name=word, count=count) for word, count in found[:MOST_NAMES])
    return MeasuredWords(name=name, title=title_of(name), values=values, distinct=len(found))


def measured_numbers(found: Measured) -> MeasuredNumbers:
    """The numbers of a measure as they travel."""
    return MeasuredNumbers(
        name=found.name,
        title=title_of(found.name),
        count=found.count,
        median=found.median,
        p90=found.ninth,
        max=found.most,
    )


Priced = tuple[Reply, float | None]


def _points(spending: Spending, priced: list[Priced], rows: int) -> Iterator[UsagePoint]:
    """Rows with tokens or answers, put together so that there are not too many."""
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
            time=next((milliseconds(each.time) for each, _ in found), None),
            tokens=_tokens(each.usage for each, _ in found),
            seconds=waits.get(place),
            cost=_sum(cost for _, cost in found),
        )


def _tokens(usages: Iterable[Usage]) -> Tokens:
    listed = list(usages)
    return Tokens(
        input=sum(each.input for each in listed),
        output=sum(each.output for each in listed),
        cache_read=sum(each.cache_read for each in listed),
        cache_write=sum(each.cache_write for each in listed),
    )


def _sum(costs: Iterable[float | None]) -> float | None:
    known = [each for each in costs if each is not None]
    return sum(known) if known else None


def _tools(spending: Spending) -> Iterator[Counted]:
    ordered = sorted(spending.tools.items(), key=lambda item: (-item[1].calls, item[0]))
    for name, tool in ordered[:MOST_NAMES]:
        yield Counted(
            name=name,
            count=tool.calls,
            failures=tool.failures,
            seconds=quantile(tool.seconds, 0.5),
        )


def _models(priced: list[Priced]) -> Iterator[Counted]:
    by_model: dict[str, list[Priced]] = {}
    for each in priced:
        by_model.setdefault(each[0].model, []).append(each)
    for name, found in list(by_model.items())[:MOST_NAMES]:
        yield Counted(
            name=name,
            count=len(found),
            tokens=sum(total(each.usage) for each, _ in found),
            cost=_sum(cost for _, cost in found),
        )


# downloads


def _download(spending: Spending, form: str, name: str) -> Response:
    lines = _csv(spending) if form == "csv" else _json(spending)
    kind = "text/csv; charset=utf-8" if form == "csv" else "application/json"
    return StreamingResponse(
        lines, media_type=kind, headers={"Content-Disposition": disposition(name)}
    )


def _values(spending: Spending) -> Iterator[tuple[object, ...]]:
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
            costs.of(each),
        )


def _csv(spending: Spending) -> Iterator[bytes]:
    yield _line(COLUMNS)
    for values in _values(spending):
        yield _line(tuple(map(_plain, values)))


def _line(values: Iterable[object]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerow(["" if each is None else each for each in values])
    return out.getvalue().encode("utf-8", "replace")


def _plain(value: object) -> object:
    """A text that no spreadsheet takes for a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def _json(spending: Spending) -> Iterator[bytes]:
    yield b"["
    for number, values in enumerate(_values(spending)):
        yield b",\n" if number else b"\n"
        yield encoded(dict(zip(COLUMNS, values, strict=True)))
    yield b"\n]\n"


ROUTES = (
    Route(
        "GET", "/c/{cid}/usage", _usage, "What a branch cost; `as` csv or json downloads it.",
        query=UsageQuery, gives=UsageOver, media="text/csv",
    ),
)  # fmt: skip
