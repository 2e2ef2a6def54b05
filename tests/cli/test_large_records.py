"""One very long record: commands hold it about twice, as bytes and as text."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.session_lines import ask, say

LONG = 40 << 20
RUN = """
import resource, sys
from talktree.cli.main import run
code = run(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(code, peak, file=sys.stderr)
"""
COMMANDS = {
    "check": (["check", "{}"], 2.5),
    "stats": (["stats", "{}"], 2.5),
    "show": (["show", "--no-pager", "{}"], 2.5),
    "native": (["convert", "{}", "--to", "native", "-q", "-o", "{}.native"], 2.5),
}
"""Commands, and how many times the length of the line they may use."""


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a session, and the same with a long line in it."""
    folder = tmp_path_factory.mktemp("sessions")
    made = []
    for name, text in (("short", "hello"), ("long", "hello world, some words. " * (LONG // 25))):
        path = folder / f"{name}.jsonl"
        lines = [ask(1, None, "hi"), say(2, 1, text), ask(3, 2, "thanks")]
        path.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
        made.append(path)
    return made[0], made[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_long_line_is_held_about_twice(sessions: tuple[Path, Path], name: str) -> None:
    command, most = COMMANDS[name]
    short, long = (_peak([each.format(path) for each in command]) for path in sessions)
    assert long - short < most * LONG


def _peak(command: list[str]) -> int:
    """Return the peak memory of a command in bytes."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=True,
        text=True,
    )
    code, peak = done.stderr.splitlines()[-1].split()
    assert code == "0", done.stderr
    return int(peak) * 1024
