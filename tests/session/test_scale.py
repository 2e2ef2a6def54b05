"""Large and many sessions: queries are answered, in memory that stays small."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from talktree.session import Session, Store
from tests.cases import TORTURE

MESSAGES = 200_000 if TORTURE else 20_000
"""About 5 KB each, so 1 GB in all or a tenth of it, in one chain."""
SESSIONS = 10_000 if TORTURE else 300
LONG = 16 << 20
MEGABYTE = 1 << 20
MOST_MEMORY = 300 * MEGABYTE
_ASK = r"""
import re, sys
from talktree.session import Store
with Store(sys.argv[1]).open("large", write=False) as session:
    {question}
# Not ru_maxrss, which a new program inherits from the process that started it.
with open("/proc/self/status") as told:
    print(answer, int(re.search(r"VmHWM:\s*(\d+)", told.read())[1]) * 1024)
"""


def asked(root: Path, question: str) -> tuple[int, int]:
    """Return the answer to a query, and the memory it took."""
    done = subprocess.run(
        [sys.executable, "-c", _ASK.format(question=question), str(root)],
        capture_output=True,
        check=True,
        text=True,
    )
    answer, memory = done.stdout.split()
    return int(answer), int(memory)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("scale")
    words = "All work and no play. " * 215
    with Store(place / "store").create(id="large", workspace=place, durability="fast") as session:
        for number in range(MESSAGES):
            session.user(f"{number} {words}")
    return place / "store"


def test_the_end_of_a_long_session_is_found_without_an_index(large: Path) -> None:
    count, memory = asked(large, "answer = len(session.opened.index.last_messages(20))")
    assert count == 20
    assert memory < MOST_MEMORY
    assert not (large / "cache" / "large.sqlite").exists()


def test_a_chain_as_long_as_the_session_is_walked(large: Path) -> None:
    question = "index = session.opened.index; answer = len(index.chain(index.leaf().id))"
    count, memory = asked(large, question)
    assert count == MESSAGES
    assert memory < MOST_MEMORY


def test_a_session_with_one_huge_line_goes_on(tmp_path: Path) -> None:
    with _session(tmp_path) as session:
        session.user("before")
        huge = session.user("x" * LONG)
        after = session.user("after")
        assert session.message(after).parent == huge
        assert len(session.message(huge).text) == LONG
        assert session.check(read_data=True) == []


def _session(place: Path) -> Session:
    return Store(place / "store").create(workspace=place, durability="fast")


def test_many_sessions_are_listed(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    for number in range(SESSIONS):
        store.create(id=f"s{number}", workspace=tmp_path, durability="fast").close()
    assert len(store.list_ids()) == SESSIONS
    assert len(store.list_sessions()) == SESSIONS
    assert store.find_newest() == f"s{SESSIONS - 1}"
