"""Totals that are updated while sources come, grow and go equal a count from scratch."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.library.database.connection import Database
from talktree.library.database.names import Names
from talktree.library.database.open_database import open_database
from talktree.library.extract.facts import (
    CallFacts,
    CallOutcome,
    ExtractedFacts,
    Heading,
    ReplyFacts,
)
from talktree.library.importing.fact_rows import FactWriter
from talktree.library.stats import totals as module
from talktree.library.stats.prices import load_prices
from talktree.library.stats.report import LibraryStatistics, compute_statistics
from talktree.library.stats.tools import ToolUse
from talktree.library.stats.totals import TotalsUpdate, are_totals_current
from talktree.library.stats.usage import UsageTotal

DAY = 86_400 * 10**9
MODELS = ["claude-opus-5", "claude-haiku-5-5", "house-model", None]
TOOLS = ["Bash", "Read"]
SUMS = ("spent", "used")
_ALL = {"spent": "SELECT * FROM spent", "used": "SELECT * FROM used"}


class Facade:
    """A library of facts without sources on a disk."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.db = open_database(root / "library.sqlite", write=True)
        self.names = Names(self.db)
        self.facts = FactWriter(self.db, self.names)
        for id in SOURCES:
            path = f"/s/{id}".encode()
            self.db.run(
                "INSERT INTO sources (id, path, format, native) VALUES (?, ?, 'claude-code', ?)",
                (id, path, f"session-{id}"),
            )


SOURCES = range(1, 5)
reply = st.builds(
    ReplyFacts,
    key=st.integers(1, 6),
    at=st.integers(0, 100),
    time=st.none() | st.integers(-2 * DAY, 3 * DAY),
    model=st.sampled_from(MODELS),
    input=st.integers(0, 3),
    output=st.integers(0, 3),
    cache_read=st.sampled_from([0, 99_999, 150_000, 250_000]),
    cache_write=st.integers(2, 3),
    cache_write_hour=st.integers(0, 2),
    sidechain=st.just(value=False),
)
call = st.builds(
    CallFacts,
    key=st.integers(11, 16),
    at=st.integers(0, 100),
    time=st.none() | st.integers(-2 * DAY, 3 * DAY),
    tool=st.sampled_from(TOOLS),
    reply=st.none(),
)
outcome = st.builds(
    CallOutcome, key=st.integers(11, 16), failed=st.booleans(), time=st.none() | st.integers(0, DAY)
)
step = st.tuples(
    st.sampled_from(["tell", "tell", "tell", "lose", "settle", "crash"]),
    st.sampled_from(list(SOURCES)),
    st.lists(reply, max_size=3),
    st.lists(call, max_size=3),
    st.lists(outcome, max_size=2),
)


def details(
    replies: list[ReplyFacts], calls: list[CallFacts], outcomes: list[CallOutcome]
) -> ExtractedFacts:
    return ExtractedFacts([], replies, calls, outcomes, [], [], [], Heading(project="/home/ana"), 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("settle")


def sums(db: Database) -> list[Counter[tuple[object, ...]]]:
    return [Counter(db.read(_ALL[name])) for name in SUMS]


def numbers(found: LibraryStatistics) -> tuple[object, ...]:
    days = {group.name: group.spent for group in found.group_by("day")}
    return found.spent, days, found.tools, found.unpriced


@given(st.lists(step, max_size=12), st.integers(1, 10_000))
def test_kept_sums_are_those_of_a_count_from_scratch(
    folder: Path,
    steps: list[tuple[str, int, list[ReplyFacts], list[CallFacts], list[CallOutcome]]],
    number: int,
) -> None:
    library = Facade(folder / str(len(list(folder.iterdir()))))
    db = library.db
    for what, source, replies, calls, outcomes in steps:
        with db.transaction():
            if what == "tell":
                library.facts.add_facts(source, details(replies, calls, outcomes))
                library.facts.write()
            elif what == "lose":
                library.facts.forget(source)
            elif what == "settle":
                library.facts.update_totals()
        if what == "crash":  # pending facts are dropped, written ones stay
            library.facts = FactWriter(db, library.names)
    meanwhile = numbers(compute_statistics(library))
    since, until = number * 10**9, DAY + number * 10**9
    meanwhile_between = numbers(compute_statistics(library, since=since, until=until))
    with db.transaction():
        library.facts.update_totals()
    assert are_totals_current(db)
    assert numbers(compute_statistics(library)) == meanwhile == by_hand(db)
    assert numbers(compute_statistics(library, since=since, until=until)) == meanwhile_between
    kept = sums(db)
    with db.transaction():
        TotalsUpdate(db).recompute_totals()
    assert sums(db) == kept
    db.close()


def by_hand(db: Database) -> tuple[object, ...]:
    """Compute the same independently: each reply and call once, from its most complete copy."""
    names: dict[int | None, str] = dict(db.read("SELECT id, text FROM names"))
    best: dict[int, tuple[Any, ...]] = {}
    for key, source, _, time, model, _, *tokens in db.read("SELECT * FROM replies"):
        rank = (-sum(tokens[:4]), source)
        if key not in best or rank < best[key][0]:
            best[key] = (rank, time, names.get(model), tokens)
    days: dict[str, Counter[str]] = {}
    unpriced: set[str] = set()
    for _, time, model, tokens in best.values():
        day = "unknown" if time is None else f"{_date(time)}"
        prompt = tokens[0] + tokens[2] + tokens[3]
        price = load_prices().find_price(
            model, None if time is None else time // DAY, (prompt > 100_000) + (prompt > 200_000)
        )
        book = days.setdefault(day, Counter())
        book.update(dict(zip(UsageTotal.__struct_fields__[1:6], tokens, strict=True)), replies=1)
        if price is None:
            book["unpriced"] += 1
            unpriced.add(model or "unknown")
        else:
            book["cost"] += price.compute_cost(*tokens)
    total: Counter[str] = sum(days.values(), Counter())
    calls: dict[int, tuple[Any, ...]] = {}
    for row in db.read("SELECT key, at, source, tool, state FROM calls"):
        key, at, source, tool, state = row
        rank = (state == 0, source)
        if at >= 0 and (key not in calls or rank < calls[key][0]):
            calls[key] = (rank, names[tool], state)
    tools = [
        ToolUse(
            tool,
            len(states),
            sum(state > 0 for state in states),
            sum(state == 2 for state in states),
        )
        for tool in {name for _, name, _ in calls.values()}
        for states in [[state for _, name, state in calls.values() if name == tool]]
    ]
    tools.sort(key=lambda use: (-use.calls, use.tool))
    spent = {day: UsageTotal(**book) for day, book in days.items()}
    return UsageTotal(**total), spent, tuple(tools), tuple(sorted(unpriced))


def _date(time: int) -> str:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=time // DAY)).date().isoformat()


@pytest.mark.parametrize("limit", ["MOST_KEYS", "FEW_KEYS"])
def test_many_keys_are_added_up_in_one_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(module, limit, 3)
    library = Facade(tmp_path)
    many = [ReplyFacts(key, key, 0, "claude-opus-5", 1, 0, 0, 0, 0, False) for key in range(10)]
    with library.db.transaction():
        library.facts.add_facts(1, details(many, [], []))
        library.facts.update_totals()
    assert compute_statistics(library).spent.input == 10
    assert are_totals_current(library.db)


def _forget_and_fail(library: Facade) -> None:
    library.facts.forget(1)
    raise KeyError


def test_a_transaction_that_is_taken_back_leaves_the_sums_alone(tmp_path: Path) -> None:
    library = Facade(tmp_path)
    one = ReplyFacts(1, 0, 0, "claude-opus-5", 5, 0, 0, 0, 0, False)
    with library.db.transaction():
        library.facts.add_facts(1, details([one], [], []))
        library.facts.update_totals()
    before = sums(library.db)
    with pytest.raises(KeyError), library.db.transaction():
        _forget_and_fail(library)
    assert sums(library.db) == before
    assert are_totals_current(library.db)
