"""A source of many conversations: several processes find the same as one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from talktree.checks import batch
from talktree.checks.batch import CheckedSource, CheckOptions, check_source
from talktree.files import load
from tests.cases import examples
from tests.checks.session import Line, Session

PROJECT = "-home-mira"


def session(number: int, names: str, faults: frozenset[str]) -> tuple[str, list[Line]]:
    """Return a session that may be broken, and the id in its file's name."""
    talk = Session()
    talk.say("What is next?")
    talk.reply(parent=7 if "dangling" in faults else 0)
    talk.say(
        "And then?",
        timestamp="1970-01-01T00:00:00Z" if "time" in faults else "2026-03-04T10:00:00Z",
    )
    id = f"{number:08x}-0000-4000-8000-000000000000"
    own = f"{ord(names):08x}-0000-4000-8000-000000000000" if "shared" in faults else id
    return id, [line | {"sessionId": own} for line in talk.lines]


def checked(folder: Path, most: int, processes: int) -> CheckedSource:
    order = CheckOptions(source_format="claude-code", most=most)
    return check_source(order, load(folder), 0, "here", processes=processes)


@examples(20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.frozensets(st.sampled_from(["dangling", "time", "shared"])), min_size=2, max_size=9
    ),
    st.sampled_from([1, 2, 1000]),
)
def test_several_processes_find_what_one_does(
    tmp_path_factory: pytest.TempPathFactory, faults: list[frozenset[str]], most: int
) -> None:
    folder = tmp_path_factory.mktemp("history")
    (folder / PROJECT).mkdir()
    for number, each in enumerate(faults):
        id, lines = session(number, "ab"[number % 2], each)
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / PROJECT / f"{id}.jsonl").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "A_SHARE", 4)
        assert checked(folder, most, 3) == checked(folder, most, 1)
