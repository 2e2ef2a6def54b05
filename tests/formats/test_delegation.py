"""Sessions that delegate to sub-agents show their complete main line, and nothing else.

They have no branches, so the naive reading is right: everything that is not a sub-agent's is the
main line, in the order in which it was written.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import talktree
from talktree.files import Source
from talktree.model.link_repair import with_inferred_links
from tests.cases import examples
from tests.random_delegations import documented, random_delegation
from tests.session_lines import (
    SIDECHAIN,
    Line,
    ask,
    note,
    say,
    to_bytes,
    uid,
    with_null_parents,
    without_parents,
)

SEEDS = st.integers(0, 1 << 31)
Change = Callable[[list[Line], Random], list[Line]]


def shown(lines: list[Line], format: str) -> list[str]:
    """Return the ids of the default branch, as views show it."""
    document = talktree.read(Source.of_bytes(to_bytes(lines), name="s.jsonl"), format=format)
    return [message.id for message in with_inferred_links(document.conversation).path()]


def unchanged(lines: list[Line], _: Random) -> list[Line]:
    return lines


def unlinked(lines: list[Line], random: Random) -> list[Line]:
    return random.choice([without_parents, with_null_parents])(lines)


def interleaved(lines: list[Line], random: Random) -> list[Line]:
    """Write sub-agents' lines later, but never after their children."""
    written: list[Line] = []
    waiting: list[Line] = []
    for row in lines:
        if row["isSidechain"] and random.random() < 0.7:
            waiting.append(row)
            continue
        needed = [at for at, each in enumerate(waiting) if each["uuid"] == row["parentUuid"]]
        count = max([0, *(at + 1 for at in needed)])
        written += [*waiting[:count], row]
        waiting = waiting[count:]
    return written + waiting


def broken(lines: list[Line], random: Random) -> list[Line]:
    """Give some lines a parent that does not exist."""
    gone = "ffffffff-0000-4000-8000-%012x"
    return [
        {**row, "parentUuid": gone % at} if row["parentUuid"] and random.random() < 0.15 else row
        for at, row in enumerate(lines)
    ]


def noted(lines: list[Line], random: Random) -> list[Line]:
    """Insert notes beside the messages."""
    found: list[Line] = []
    for at, row in enumerate(lines, 1000):
        found.append(row)
        if random.random() < 0.3:
            beside = {"parentUuid": row["uuid"], "isSidechain": row["isSidechain"]}
            found.append({**note(at, None), **beside})
    return found


@pytest.mark.parametrize("change", [unchanged, unlinked, interleaved, broken, noted])
@given(seed=SEEDS)
@examples(60)
def test_every_message_of_the_main_line_is_shown(change: Change, seed: int) -> None:
    session = random_delegation(seed)
    lines = change(session.lines, Random(seed))
    own = set(session.main)
    assert [id for id in shown(lines, "claude-code") if id in own] == session.main


@pytest.mark.parametrize("change", [unchanged, unlinked, interleaved, broken])
@given(seed=SEEDS)
@examples(60)
def test_every_documented_message_of_the_main_line_is_shown(change: Change, seed: int) -> None:
    session = random_delegation(seed)
    lines = change(session.lines, Random(seed))
    assert shown(documented(lines), "claude-messages") == session.main


def test_a_line_written_before_its_parent_keeps_the_main_line() -> None:
    """The sub-agent has no parent, and the last two lines are swapped."""
    lines = [dict(row) for row in SIDECHAIN]
    lines[2]["parentUuid"] = None
    lines[5], lines[6] = lines[6], lines[5]
    ids = [row["uuid"] for row in SIDECHAIN]
    assert shown(lines, "claude-code") == [ids[0], ids[1], *ids[4:]]


def test_a_main_line_continues_after_all_sub_agents_without_a_parent() -> None:
    """Each of two sub-agents is answered: both answers are one line, not two."""
    lines = [
        ask(1, None, "u"),
        say(2, 1, "a"),
        ask(3, None, "first", isSidechain=True),
        say(4, 3, "first is done", isSidechain=True),
        ask(5, None, "second", isSidechain=True),
        say(6, 5, "second is done", isSidechain=True),
        say(7, 4, "the first says"),
        say(8, 6, "the second says"),
    ]
    assert shown(lines, "claude-code") == [uid(number) for number in (1, 2, 7, 8)]
