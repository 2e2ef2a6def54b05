"""The loss report of a conversion as text and JSON: what the target cannot hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from talktree.text.escape import escape_json
from talktree.text.json.encode import PRETTY
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.shapes import SCHEMA_VERSION, Object, format_json
from talktree.views.width import format_count, format_size, to_one_line

Counts = Mapping[tuple[str, str], int]
"""Kind and outcome, to the number of losses."""
Examples = Mapping[tuple[str, str], Sequence[tuple[str, str]]]
"""Kind and outcome, to some ids and their details."""
KEPT = {"carried": "faint", "rendered": "mark", "lost": "error"}
"""The outcomes of a loss from best to worst, with their styles."""


class LossTotals(NamedTuple):
    """The totals of a loss report."""

    counts: Counts
    carried_bytes: int


def format_loss_lines(
    sums: LossTotals, meanings: Mapping[str, str], examples: Examples | None = None
) -> Iterator[Line]:
    """Yield one line for each kind and outcome, and the size of the embedded source data."""
    kinds = [kind for kind in meanings if any(named == kind for named, _ in sums.counts)]
    wide = max((len(kind) for kind in kinds), default=0)
    for kind in kinds:
        yield _format_kind_line(kind, sums.counts, meanings[kind], wide)
        if examples is not None:
            yield from _format_example_lines(kind, sums.counts, examples)
    yield _format_total(sums)


def _format_kind_line(kind: str, counts: Counts, meaning: str, wide: int) -> Line:
    words = [(f"{counts[kind, how]:,} {how}", how) for how in KEPT if (kind, how) in counts]
    spans: list[tuple[str, str]] = []
    for text, how in words:
        spans += [(", " if spans else "", ""), (text, KEPT[how])]
    room = " " * max(2, 22 - sum(len(text) for text, _ in spans))
    return line(f"  {kind.ljust(wide)}  ", *spans, room, (meaning, "faint"))


def _format_example_lines(kind: str, counts: Counts, examples: Examples) -> Iterator[Line]:
    for how in KEPT:
        shown = examples.get((kind, how), ())
        for entry, what in shown:
            said = "" if what in (kind, entry) else f": {to_one_line(what, 60)}"
            yield line(("      ", ""), (f"{to_one_line(entry, 50)}{said}", "faint"))
        more = counts.get((kind, how), 0) - len(shown)
        if shown and more:
            yield line("      ", (f"… {more:,} more {how}", "faint"))


def _format_total(sums: LossTotals) -> Line:
    if not sums.counts:
        return line(
            "  the target holds everything as it is", _format_embedded_size(sums.carried_bytes)
        )
    lost = sum(count for (_, how), count in sums.counts.items() if how == "lost")
    words = (f"{format_count(lost, 'thing')} lost", "error") if lost else ("nothing lost", "added")
    return line("  ", words, _format_embedded_size(sums.carried_bytes))


def _format_embedded_size(carried_bytes: int) -> str:
    return f"; {format_size(carried_bytes)} added by the carry" if carried_bytes else ""


def build_counts_shape(counts: Counts) -> Json:
    """Return the number of losses of each kind and outcome."""
    return [
        {"kind": kind, "kept": kept, "count": count}
        for (kind, kept), count in sorted(counts.items())
    ]


def format_loss_json(head: Object, losses: Iterable[str], tail: Object) -> Iterator[str]:
    """Yield a loss report as one JSON document with one loss on a line, written as losses are
    read."""
    yield format_json({"schema_version": SCHEMA_VERSION, **head}, PRETTY).removesuffix("\n}")
    yield ',\n  "losses": ['
    between = "\n    "
    for each in losses:
        yield f"{between}{escape_json(each)}"
        between = ",\n    "
    yield "],\n" if between == "\n    " else "\n  ],\n"
    yield format_json(tail, PRETTY).removeprefix("{\n") + "\n"
