"""The key agent holds a key only for its user, only in memory, until it is idle for a time."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.library.encryption import agent_client
from talktree.library.encryption.agent import Agent
from talktree.library.encryption.agent_protocol import SOCKET, Request
from talktree.library.encryption.key_slots import generate_key, key_id

KEY = generate_key()
ID = key_id(KEY)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    # Longer than the path of a socket may be.
    home = tmp_path / ("long" * 30)
    monkeypatch.setenv("TALKTREE_HOME", str(home))
    yield home / "agent"
    agent_client.drop_keys()


def _agent(folder: Path) -> int:
    wanted = os.fsencode(folder)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if wanted in (entry / "cmdline").read_bytes().split(b"\0"):
                    return int(entry.name)
            except OSError:
                continue
    raise AssertionError("there is no agent")


def test_a_key_is_held_until_it_is_dropped(folder: Path) -> None:
    assert agent_client.fetch_key(ID) is None
    agent_client.store_key(ID, KEY, 60)
    assert agent_client.fetch_key(ID) == KEY
    assert agent_client.fetch_key("other") is None
    assert agent_client.drop_keys(ID) == 1
    assert agent_client.fetch_key(ID) is None


def test_only_the_owner_can_reach_it_and_nothing_is_on_the_disk(folder: Path) -> None:
    agent_client.store_key(ID, KEY, 60)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / SOCKET).stat().st_mode & 0o077 == 0
    pid = _agent(folder)
    about = Path(f"/proc/{pid}")
    shown = (about / "cmdline").read_bytes() + _read(about / "environ")
    assert KEY not in shown
    assert KEY.hex().encode() not in shown
    assert "0" in (about / "limits").read_text().split("Max core file size")[1].split()[:2]
    os.kill(pid, signal.SIGKILL)
    while _is_alive(pid):
        time.sleep(0.01)
    assert agent_client.fetch_key(ID) is None
    left = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert not any(KEY in data or KEY.hex().encode() in data for data in left.values())
    agent_client.store_key(ID, KEY, 60)
    assert agent_client.fetch_key(ID) == KEY


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except PermissionError:
        return b""  # the answer for a process that cannot be inspected


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_folder_that_others_can_enter_is_not_used(folder: Path) -> None:
    agent_client.store_key(ID, KEY, 60)
    folder.chmod(0o755)
    assert agent_client.fetch_key(ID) is None
    folder.chmod(0o700)
    assert agent_client.fetch_key(ID) == KEY


def test_nonsense_does_not_end_it(folder: Path) -> None:
    agent_client.store_key(ID, KEY, 60)
    here = os.getcwd()
    os.chdir(folder)
    try:
        for data in (b"", b"{}\n", b"\xff\n", b'{"do": "put"}\n', b"x" * 10_000, b'{"do": 7}\n'):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.connect(SOCKET)
                try:
                    connection.sendall(data)
                except OSError:
                    continue
    finally:
        os.chdir(here)
    assert agent_client.fetch_key(ID) == KEY


def test_a_key_that_is_not_used_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr("talktree.library.encryption.agent.seconds_since_boot", lambda: clock[0])
    agent = Agent()
    agent.answer(Request("put", ID, KEY.hex(), 100))
    for _ in range(5):
        clock[0] += 60
        assert agent.answer(Request("get", ID)).key == KEY.hex()
    clock[0] += 60
    assert agent.answer(Request("state", ID)).count == 1
    clock[0] += 60
    assert agent.answer(Request("get", ID)).key == ""
    assert agent.is_done
