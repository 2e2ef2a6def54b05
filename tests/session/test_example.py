"""The example agent works as documented, and records a valid session."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from talktree import api
from talktree.session import Store

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "agent.py"


def test_the_example_agent_leaves_a_valid_session(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLE, tmp_path / "work"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "The next day" in done.stdout
    assert "to the model: 2 messages, thinking medium" in done.stdout
    assert "and a note: Undone: the session stands at message" in done.stdout
    store = Store(tmp_path / "work" / ".robin")
    assert store.agent == "Robin"
    # The settings of a store may hold keys of other programs, so they are never opened.
    found = [each for each in api.check(store.root).findings if each.code != "SYN406"]
    assert [f"{each.code} {each.message}" for each in found] == []
    by_title = {each.title: each for each in store.list_sessions()}
    assert by_title["A friendly script"].state == "completed"
    assert by_title["Review"].parent == by_title["A friendly script"].id
    with store.open(by_title["A friendly script"].id, write=False) as session:
        assert session.message("arguments").role == "tool"
        assert len(session.branches()) > 2
        assert session.notices == []
