"""Measures that some formats have of their messages, and the state of tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from msgspec import Struct

from talktree.library.database.connection import Database
from talktree.library.extract.collector import COMPACTIONS
from talktree.library.stats.filter import FilteredSources
from talktree.model.compaction import COMPACTED, RESTORED

TODOS_DONE, TODOS_OPEN = "todos_done", "todos_open"
_MEASURES = "SELECT source, time, name, value FROM measures ORDER BY id"


class WordCounts(Struct, frozen=True):
    """A measure in words: how often each word occurred."""

    name: str
    words: tuple[tuple[str, int], ...]
    """Most frequent first."""


class NumberMeasure(Struct, frozen=True):
    """A measure in numbers."""

    name: str
    count: int
    median: float
    ninth: float
    """The 90th percentile."""
    most: float
    total: float
    """Their sum."""


class Measures(Struct, frozen=True):
    """All measures of the selected sources."""

    words: tuple[WordCounts, ...] = ()
    numbers: tuple[NumberMeasure, ...] = ()
    todos_done: int = 0
    todos_open: int = 0
    compactions: int = 0
    restorations: int = 0


def collect_measures(db: Database, chosen: FilteredSources, sources: Collection[int]) -> Measures:
    """Return the counts of words, the quantiles of numbers, and the last tasks of each session."""
    words: dict[str, Counter[str]] = {}
    numbers: dict[str, list[float]] = {}
    todos: dict[tuple[str, str], float] = {}
    compactions: Counter[str] = Counter()
    for source, time, number, value in db.iter_rows(_MEASURES):
        if source not in sources or not chosen.has_time(time):
            continue
        name = chosen.names.get(number, "")
        if name in (TODOS_DONE, TODOS_OPEN):
            todos[chosen.sources[source].session, name] = value
        elif name == COMPACTIONS:
            compactions[value] += 1
        elif isinstance(value, str):
            words.setdefault(name, Counter())[value] += 1
        else:
            numbers.setdefault(name, []).append(value)
    return Measures(
        words=tuple(WordCounts(name, sort_by_count(words[name])) for name in sorted(words)),
        numbers=tuple(summarize_values(name, numbers[name]) for name in sorted(numbers)),
        todos_done=_sum_todos(todos, TODOS_DONE),
        todos_open=_sum_todos(todos, TODOS_OPEN),
        compactions=compactions[COMPACTED],
        restorations=compactions[RESTORED],
    )


def _sum_todos(todos: dict[tuple[str, str], float], name: str) -> int:
    return int(sum(value for (_, each), value in todos.items() if each == name))


def sort_by_count(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    """Return words and their counts, most frequent first, then alphabetically."""
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def summarize_values(name: str, values: Sequence[float]) -> NumberMeasure:
    """Return the distribution of some numbers; there is at least one."""
    ordered = sorted(values)
    return NumberMeasure(
        name,
        len(ordered),
        find_quantile(ordered, 0.5),
        find_quantile(ordered, 0.9),
        ordered[-1],
        sum(ordered),
    )


def find_quantile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which that share of all values lies."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
