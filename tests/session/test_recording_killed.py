"""Several processes record to one session and are killed: what was acknowledged is there."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from talktree import api
from talktree.session import Store

HERE = Path(__file__).parent.parent.parent
LEFT = ("SAG504", "TOL101", "TOL108", "TRE108")
"""Findings that killed writers cause: unnamed contents, unanswered calls, branches that grew at the
same time."""


def writer(root: Path, id: str, name: str, durability: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.session.recording", str(root), id, name, durability]
    return subprocess.Popen(command, stdout=subprocess.PIPE, cwd=HERE)


def killed(process: subprocess.Popen[bytes]) -> dict[str, str]:
    """Kill a writer; return what it had reported as acknowledged, by id."""
    os.kill(process.pid, signal.SIGKILL)
    reported, _ = process.communicate()
    lines = (line.partition(" ") for line in reported.decode().split("\n")[:-1])
    return {id: text for id, _, text in lines}


def round_of_kills(root: Path, id: str, seed: int, *, writers: int) -> dict[str, str]:
    """Start some writers and kill them one by one; return what they were acknowledged."""
    chance = random.Random(seed)
    running = [
        writer(root, id, f"w{seed}-{number}", chance.choice(["safe", "fast"]))
        for number in range(writers)
    ]
    # The first word of each reports that it is at work.
    firsts = [process.stdout.readline().decode() for process in running if process.stdout]
    saved = {line.split(" ", 1)[0]: line.split(" ", 1)[1].rstrip("\n") for line in firsts}
    for process in running:
        time.sleep(chance.random() * 0.1)
        saved |= killed(process)
    return saved


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_writers_lose_nothing_they_were_promised(tmp_path: Path, seed: int) -> None:
    _check(tmp_path, [seed], writers=2)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(50))
def test_many_kills(tmp_path: Path, seed: int) -> None:
    _check(tmp_path, [seed * 100 + number for number in range(5)], writers=4)


def _check(tmp_path: Path, seeds: list[int], *, writers: int) -> None:
    store = Store(tmp_path / ".sage")
    with store.create(workspace=tmp_path) as session:
        session.user("start")
        id = session.id
    saved: dict[str, str] = {}
    for seed in seeds:
        saved |= round_of_kills(store.root, id, seed, writers=writers)
    assert saved
    with store.open(id) as session:
        for call in session.find_unanswered():
            session.results({"call": call.id, "output": "interrupted", "error": True})
        session.user("still works")
        for message, text in saved.items():
            assert session.message(message).text == text
    found = [each for each in api.check(store.root).findings if each.code not in LEFT]
    assert [f"{each.code} {each.message}" for each in found] == []
