"""Calls and their outcomes: however they are batched, the tables are the same."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from talktree.library.database.connection import Database
from talktree.library.database.names import Names
from talktree.library.database.open_database import open_database
from talktree.library.extract.facts import CallFacts, CallOutcome, ExtractedFacts, Heading
from talktree.library.importing.fact_rows import FactWriter

KEYS = st.integers(1, 3)
TIMES = st.none() | st.integers(0, 50)
CALLS = st.builds(
    CallFacts,
    key=KEYS,
    at=st.integers(0, 9),
    time=TIMES,
    tool=st.sampled_from("ab"),
    reply=st.none() | KEYS,
)
OUTCOMES = st.builds(CallOutcome, key=KEYS, failed=st.booleans(), time=TIMES)
EVENTS = st.lists(st.tuples(st.integers(1, 2), CALLS | OUTCOMES), max_size=8)
BATCHES = st.lists(st.tuples(EVENTS, st.booleans()), max_size=5)
"""The facts that are added together, and whether they are written then."""


def _describe(events: list[CallFacts | CallOutcome]) -> ExtractedFacts:
    calls = [each for each in events if isinstance(each, CallFacts)]
    outcomes = [each for each in events if isinstance(each, CallOutcome)]
    return ExtractedFacts([], [], calls, outcomes, [], [], [], Heading(), 0)


def _rows(db: Database) -> list[tuple[object, ...]]:
    return db.read(
        "SELECT key, source, at, time, text, reply, state, took FROM calls"
        " JOIN names ON names.id = tool ORDER BY key, source"
    )


@given(BATCHES)
def test_calls_and_outcomes_together_are_as_one_after_the_other(
    batches: list[tuple[list[tuple[int, CallFacts | CallOutcome]], bool]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for one_by_one in (False, True):
            with open_database(Path(folder) / f"{one_by_one}.sqlite", write=True) as db:
                facts = FactWriter(db, Names(db))
                batch: list[tuple[int, CallFacts | CallOutcome]] = []
                for events, is_written in [*batches, ([], True)]:
                    if one_by_one:
                        batch += events
                    else:
                        for source in (1, 2):
                            facts.add_facts(
                                source, _describe([e for of, e in events if of == source])
                            )
                    if is_written:
                        # Calls are written before outcomes, each kind in its order.
                        for kind in (CallFacts, CallOutcome):
                            for source, event in batch:
                                if isinstance(event, kind):
                                    facts.add_facts(source, _describe([event]))
                                    facts.write()
                        batch.clear()
                        facts.write()
                found.append(_rows(db))
        together, alone = found
        assert together == alone
