"""Sessions on the command line as processes: prompts, signals, fast starts."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.transcript import environment


def talktree(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        ["talktree", "session", *arguments],
        cwd=folder,
        env=settings(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def settings(folder: Path) -> dict[str, str]:
    return {**environment(), "TALKTREE_HOME": f"{folder}-home"}


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Return a workspace in which a session has created a file."""
    talktree(tmp_path, "new")
    talktree(tmp_path, "append", "Make it")
    done = talktree(tmp_path, "step", "--", "sh", "-c", "echo one > made.txt")
    assert done.returncode == 0, done.stderr
    return tmp_path


def answered(folder: Path, answer: bytes) -> tuple[str, int]:
    """Return the output and exit code of an undo on a terminal, with a typed answer."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        ["talktree", "session", "undo"],
        cwd=folder,
        env=settings(folder),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            shown += os.read(ours, 1 << 16)
        except OSError:
            break
        if shown.endswith(b"[y/N] "):
            os.write(ours, answer)
    os.close(ours)
    return shown.decode(), process.wait(60)


def test_a_person_is_asked_and_may_agree(recorded: Path) -> None:
    shown, code = answered(recorded, b"y\n")
    assert code == 0
    assert "delete" in shown
    assert not (recorded / "made.txt").exists()


@pytest.mark.parametrize("answer", [b"n\n", b"\n", b"what?\n", b"\x04"])
def test_anything_but_yes_changes_nothing(recorded: Path, answer: bytes) -> None:
    shown, code = answered(recorded, answer)
    assert code == 2
    assert "nothing was changed" in shown
    assert (recorded / "made.txt").read_text() == "one\n"


def test_ctrl_c_is_for_the_command_and_what_it_did_is_recorded(recorded: Path) -> None:
    script = "trap 'exit 9' INT; echo two > made.txt; echo ready; sleep 60 & wait"
    process = subprocess.Popen(
        ["talktree", "session", "step", "-q", "--", "sh", "-c", script],
        cwd=recorded,
        env=settings(recorded),
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    os.killpg(process.pid, signal.SIGINT)
    process.stdout.close()
    assert process.wait(60) == 9
    assert talktree(recorded, "undo", "--yes").returncode == 0
    assert (recorded / "made.txt").read_text() == "one\n"


def test_a_step_whose_program_is_killed_can_still_be_undone(recorded: Path) -> None:
    """What the tool left is unknown then, so nothing is overwritten without confirmation."""
    script = "echo two > made.txt; echo ready; sleep 60"
    process = subprocess.Popen(
        ["talktree", "session", "step", "-q", "--file", "made.txt", "--", "sh", "-c", script],
        cwd=recorded,
        env=settings(recorded),
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    os.killpg(process.pid, signal.SIGKILL)
    process.stdout.close()
    process.wait(60)
    plan = talktree(recorded, "undo", "--yes", "--json")
    assert plan.returncode == 1
    assert json.loads(plan.stdout)["conflicts"] == ["made.txt"]
    assert (recorded / "made.txt").read_text() == "two\n"
    assert talktree(recorded, "undo", "--operation", "--yes").returncode == 0
    assert talktree(recorded, "undo", "--yes", "--theirs", "made.txt").returncode == 0
    assert (recorded / "made.txt").read_text() == "one\n"


def test_while_a_step_is_at_work_nothing_is_moved(recorded: Path) -> None:
    process = subprocess.Popen(
        ["talktree", "session", "step", "-q", "--", "sh", "-c", "echo ready; read line"],
        cwd=recorded,
        env=settings(recorded),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    refused = talktree(recorded, "undo", "--yes")
    assert refused.returncode == 5
    assert "Traceback" not in refused.stderr
    process.communicate(b"\n", timeout=300)
    assert talktree(recorded, "undo", "--yes").returncode == 0


def test_stdin_is_what_is_said(recorded: Path) -> None:
    done = subprocess.run(
        ["talktree", "session", "append", "--role", "assistant", "--json"],
        cwd=recorded,
        env=settings(recorded),
        input="Line one\nLine two\n",
        capture_output=True,
        text=True,
        check=True,
    )
    id = json.loads(done.stdout)["message"]
    shown = json.loads(talktree(recorded, "show", "--json", "-n", "1").stdout)
    assert shown["at"] == id
    assert shown["messages"][0]["parts"] == [{"type": "text", "text": "Line one\nLine two\n"}]


def test_a_session_is_found_from_folders_below_and_by_its_beginning(recorded: Path) -> None:
    below = recorded / "a" / "b"
    below.mkdir(parents=True)
    listed = json.loads(talktree(below, "list", "--json", "--root", "../../.sage").stdout)
    id = listed["sessions"][0]["id"]
    env = settings(recorded)
    for how in ([], [id], [id[:6]], [str(recorded / ".sage" / "sessions" / id)]):
        done = subprocess.run(
            ["talktree", "session", "log", *how, "--json"],
            cwd=below,
            env=env,
            capture_output=True,
            check=True,
        )
        assert json.loads(done.stdout)["session"] == id


def test_hostile_names_reach_the_terminal_only_to_be_seen(recorded: Path) -> None:
    name = "a\x1b[2J\u202e.txt"
    talktree(recorded, "append", f"Say \x1b]0;title\x07{name}")
    talktree(recorded, "step", "--", "sh", "-c", f"echo x > '{name}'")
    odd = os.fsencode(recorded) + b"/odd-\xff"
    talktree(recorded, "step", "--", "python3", "-c", f"open({odd!r}, 'w').close()")
    for command in (["log"], ["show"], ["undo", "--dry-run"], ["list"], ["undo", "--yes"]):
        done = talktree(recorded, *command)
        assert done.returncode == 0, done.stderr
        assert not set("\x1b\x07\u202e") & set(done.stdout + done.stderr)


def test_help_of_sessions_imports_nothing_heavy() -> None:
    code = (
        "import sys; from talktree.cli.main import run; run(['session', '--help']);"
        "print(sorted({'rich', 'msgspec', 'talktree.session', 'sqlite3'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stdout.splitlines()[-1] == "[]"
