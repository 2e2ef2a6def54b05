"""The ledger of a conversion for people and scripts: what the target had no place for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from talktree.text.escape import visible_json
from talktree.text.json.encode import PRETTY
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.shapes import SCHEMA_VERSION, Object, json_text
from talktree.views.width import counted, one_line, size

Counts = Mapping[tuple[str, str], int]
"""Kind and how it is kept, to how often."""
Examples = Mapping[tuple[str, str], Sequence[tuple[str, str]]]
"""The same to some ids and what is meant of them."""
KEPT = {"carried": "faint", "rendered": "mark", "lost": "error"}
"""How a thing is kept, from best to worst, and how that looks."""


class Sums(NamedTuple):
    """What a ledger comes to."""

    counts: Counts
    carried_bytes: int


def ledger_lines(
    sums: Sums, meanings: Mapping[str, str], examples: Examples | None = None
) -> Iterator[Line]:
    """One line a kind, in the order of their meanings, and what the carry costs."""
    kinds = [kind for kind in meanings if any(named == kind for named, _ in sums.counts)]
    wide = max((len(kind) for kind in kinds), default=0)
    for kind in kinds:
        yield _kind_line(kind, sums.counts, meanings[kind], wide)
        if examples is not None:
            yield from _example_lines(kind, sums.counts, examples)
    yield _total(sums)


def _kind_line(kind: str, counts: Counts, meaning: str, wide: int) -> Line:
    told = [(f"{counts[kind, how]:,} {how}", how) for how in KEPT if (kind, how) in counts]
    spans: list[tuple[str, str]] = []
    for text, how in told:
        spans += [(", " if spans else "", ""), (text, KEPT[how])]
    room = " " * max(2, 22 - sum(len(text) for text, _ in spans))
    return line(f"  {kind.ljust(wide)}  ", *spans, room, (meaning, "faint"))


def _example_lines(kind: str, counts: Counts, examples: Examples) -> Iterator[Line]:
    for how in KEPT:
        shown = examples.get((kind, how), ())
        for entry, what in shown:
            said = "" if what in (kind, entry) else f": {one_line(what, 60)}"
            yield line(("      ", ""), (f"{one_line(entry, 50)}{said}", "faint"))
        more = counts.get((kind, how), 0) - len(shown)
        if shown and more:
            yield line("      ", (f"… {more:,} more {how}", "faint"))


def _total(sums: Sums) -> Line:
    if not sums.counts:
        return line("  the target holds everything as it is", _carry_cost(sums.carried_bytes))
    lost = sum(count for (_, how), count in sums.counts.items() if how == "lost")
    told = (f"{counted(lost, 'thing')} lost", "error") if lost else ("nothing lost", "added")
    return line("  ", told, _carry_cost(sums.carried_bytes))


def _carry_cost(carried_bytes: int) -> str:
    return f"; {size(carried_bytes)} added by the carry" if carried_bytes else ""


def counts_shape(counts: Counts) -> Json:
    """How often which kind is kept how."""
    return [
        {"kind": kind, "kept": kept, "count": count}
        for (kind, kept), count in sorted(counts.items())
    ]


def ledger_text(head: Object, losses: Iterable[str], tail: Object) -> Iterator[str]:
    """A ledger as one JSON document, a loss a line, written as the losses are read."""
    yield json_text({"schema_version": SCHEMA_VERSION, **head}, PRETTY).removesuffix("\n}")
    yield ',\n  "losses": ['
    between = "\n    "
    for each in losses:
        yield f"{between}{visible_json(each)}"
        between = ",\n    "
    yield "],\n" if between == "\n    " else "\n  ],\n"
    yield json_text(tail, PRETTY).removeprefix("{\n") + "\n"
