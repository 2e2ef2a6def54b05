"""Counts of a library for users and programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.library.library import Library
from talktree.library.stats.report import BY, LibraryStatistics
from talktree.library.stats.usage import UsageTotal
from talktree.views.library_shapes import build_library_stats_shape, format_library_stats_csv
from talktree.views.library_stats import format_cost, format_dollars, format_library_stats_lines
from talktree.views.lines import Line
from tests.library import made
from tests.library.made import Session, Truth

UNIT = 10**12


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    with Library.open(write=True) as opened:
        yield opened


@pytest.fixture
def counts(library: Library, tmp_path: Path) -> LibraryStatistics:
    made.history(tmp_path / "made")
    library.import_([tmp_path / "made"])
    return library.stats(seconds=True)


def text(lines: Iterator[Line]) -> list[str]:
    return ["".join(words for words, _ in line) for line in lines]


def test_people_get_totals_and_the_usual_points_of_view(counts: LibraryStatistics) -> None:
    shown = text(format_library_stats_lines(counts))
    assert shown[0] == "6 conversations, 80 messages, 8 branches, 3 sidechains"
    assert "tokens: 16 in, 160 out, 16,000 from cache, 1,600 to cache, in 16 replies" in shown
    assert "cost: $0.0331" in shown
    assert "7 tool calls, 1 failed" in shown
    assert "tasks: 2 done, 2 open" in shown
    titles = [line for line in shown if line.startswith("Cost by")]
    assert titles == ["Cost by day (UTC)", "Cost by model", "Cost by project"]
    (bash,) = [line for line in shown if line.startswith("  Bash")]
    assert bash.endswith("2, 1 failed, 1.0 s")


@pytest.mark.parametrize("by", BY)
def test_people_get_what_they_ask_for(counts: LibraryStatistics, by: str) -> None:
    shown = text(format_library_stats_lines(counts, by, width=100))
    title = "Tool calls" if by == "tool" else f"Cost by {by}"
    assert sum(line.startswith(title) for line in shown) == 1
    assert sum(line.startswith(("Cost by", "Tool calls")) for line in shown) == 1
    rows = len(counts.tools) if by == "tool" else len(counts.group_by(by))
    assert sum(line.startswith("  ") for line in shown) == rows


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_any_width_will_do(counts: LibraryStatistics, width: int) -> None:
    assert text(format_library_stats_lines(counts, width=width))


def test_an_unknown_price_is_reported(library: Library, tmp_path: Path) -> None:
    session = Session(Truth(), 1, model="\x1b[31mhouse")
    session.answer("hello")
    session.save(tmp_path / "made")
    library.import_([tmp_path / "made"])
    shown = text(format_library_stats_lines(library.stats()))
    assert "cost: no price" in shown
    (reported,) = [line for line in shown if line.startswith("No price is known")]
    assert "prices.toml" in reported
    assert "Output tokens by model" in shown
    assert not any("\x1b" in line for line in shown)


def test_an_empty_library_has_little_to_show(library: Library) -> None:
    assert text(format_library_stats_lines(library.stats())) == [
        "0 conversations, 0 messages, 0 branches"
    ]
    assert "".join(format_library_stats_csv(library.stats(), "day")) == ""


def test_amounts_are_words_for_people() -> None:
    assert [format_dollars(amount) for amount in (0, 0.0331, 0.1, 1234.5)] == [
        "$0.00", "$0.0331", "$0.10", "$1,234.50",
    ]  # fmt: skip
    assert format_cost(UsageTotal(replies=3, cost=2 * UNIT)) == "$2.00"
    reported = format_cost(UsageTotal(replies=3, cost=2 * UNIT, unpriced=1))
    assert reported == "$2.00 and 1 reply without a price"
    assert format_cost(UsageTotal(replies=3, unpriced=3)) == "no price"


def test_programs_get_everything(counts: LibraryStatistics) -> None:
    shape = build_library_stats_shape(counts)
    kinds = {key for key in shape if key.startswith("by_")}
    assert kinds == {f"by_{name}" for name in (*BY, "role")}
    totals = shape["totals"]
    assert isinstance(totals, dict)
    assert (totals["api_messages"], totals["output_tokens"]) == (16, 160)
    assert totals["cost_usd"] == pytest.approx(0.03312)
    for name in BY:
        rows = shape[f"by_{name}"]
        assert isinstance(rows, list)
        key = "calls" if name == "tool" else "api_messages"
        whole = totals["tool_calls" if name == "tool" else key]
        assert sum(row[key] for row in rows) == whole  # type: ignore[call-overload, index, misc]
    assert [key for key in build_library_stats_shape(counts, "day") if key.startswith("by_")] == [
        "by_day"
    ]


@pytest.mark.parametrize("by", BY)
def test_csv_has_the_rows_of_the_json(counts: LibraryStatistics, by: str) -> None:
    found = list(csv.DictReader(io.StringIO("".join(format_library_stats_csv(counts, by)))))
    rows = build_library_stats_shape(counts, by)[f"by_{by}"]
    assert isinstance(rows, list)
    shown = [
        {key: "" if value is None else str(value) for key, value in row.items()}
        for row in rows
        if isinstance(row, dict)
    ]
    assert found == shown


def test_no_cell_is_a_formula(library: Library, tmp_path: Path) -> None:
    session = Session(Truth(), 1, cwd='=cmd|" /C calc"!A1')
    session.answer("hello")
    session.save(tmp_path / "made")
    library.import_([tmp_path / "made"])
    lines = "".join(format_library_stats_csv(library.stats(), "project")).splitlines()
    assert next(csv.reader([lines[1]]))[0] == '\'=cmd|" /C calc"!A1'
