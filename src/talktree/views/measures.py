"""Measures that formats record about messages, as text and JSON, for files and for the library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from talktree.library.stats.measures import Measures, NumberMeasure, sort_by_count, summarize_values
from talktree.model.statistics import Tally
from talktree.text.json.value import Json
from talktree.views.lines import EMPTY, Line, line
from talktree.views.plots import draw_bars
from talktree.views.width import format_duration

MOST_WORDS = 8
TITLES = {
    "tag": "Tags",
    "author": "Authors",
    "language": "Languages",
    "safe": "Safe",
    "topic": "Topics",
    "sentiment": "Sentiment",
    "plugin": "Plugins",
    "external_knowledge": "External knowledge",
    "preferred": "Preferred",
    "opt_status": "Opt status",
    "beta": "Beta request",
    "uncounted_tokens": "Tokens that are not counted",
    "input_tokens": "Input tokens",
    "output_tokens": "Output tokens",
    "total_tokens": "Total tokens",
    "seconds_until_streaming": "Until streaming",
    "seconds_until_finished": "Until finished",
}
"""Display names; their order is that of the tables."""
_ORDER = list(TITLES)


class MeasuredValues(NamedTuple):
    """Measures by name: words with their counts, and numbers."""

    words: Sequence[tuple[str, Sequence[tuple[str, int]]]]
    numbers: Sequence[NumberMeasure]


def collect_library_measures(measures: Measures) -> MeasuredValues:
    """Return the measures of a library."""
    words = [(each.name, each.words) for each in measures.words]
    return _sort_measures(words, measures.numbers)


def collect_tally_measures(tally: Tally) -> MeasuredValues:
    """Return the measures of files."""
    words = [(name, sort_by_count(counts)) for name, counts in tally.words.items()]
    numbers = [summarize_values(name, values) for name, values in tally.numbers.items()]
    return _sort_measures(words, numbers)


def _sort_measures(
    words: Iterable[tuple[str, Sequence[tuple[str, int]]]], numbers: Iterable[NumberMeasure]
) -> MeasuredValues:
    return MeasuredValues(
        sorted(words, key=lambda each: _get_sort_key(each[0])),
        sorted(numbers, key=lambda each: _get_sort_key(each.name)),
    )


def _get_sort_key(name: str) -> tuple[int, str]:
    return _ORDER.index(name) if name in _ORDER else len(_ORDER), name


def build_measures_shape(found: MeasuredValues) -> dict[str, Json]:
    """Return the member `measures` of `stats --json`."""
    words: dict[str, Json] = {
        name: [{"value": word, "count": count} for word, count in counts]
        for name, counts in found.words
    }
    numbers: dict[str, Json] = {
        each.name: {
            "count": each.count,
            "median": each.median,
            "p90": each.ninth,
            "max": each.most,
            "total": each.total,
        }
        for each in found.numbers
    }
    return {**words, **numbers}


def format_measures_lines(found: MeasuredValues, width: int) -> Iterator[Line]:
    """Yield a table with bars for each measure in words, and a line for each in numbers."""
    for name, counts in found.words:
        yield EMPTY
        yield line((format_measure_title(name), "title"))
        yield from draw_bars(
            [(word, count, f"{count:,}") for word, count in counts[:MOST_WORDS]], width=width
        )
        if len(counts) > MOST_WORDS:
            yield line((f"  … and {len(counts) - MOST_WORDS:,} other", "faint"))
    if found.numbers:
        yield EMPTY
    for each in found.numbers:
        half, most = _format_number(each.name, each.median), _format_number(each.name, each.ninth)
        yield line(
            (format_measure_title(each.name), "title"), f": {each.count:,}, p50 {half}, p90 {most}"
        )


def format_measure_title(name: str) -> str:
    """Return the display name of a measure."""
    return TITLES.get(name) or name.replace("_", " ").capitalize()


def _format_number(name: str, value: float) -> str:
    return format_duration(value) if name.startswith("seconds") else f"{value:,.0f}"
