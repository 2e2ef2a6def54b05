"""Long runs as processes: stopped, killed, restarted, and shown on a terminal."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from talktree.conversion.batch import WORK
from talktree.conversion.batch_state import STATE
from tests.cli.test_terminal import on_terminal
from tests.cli.transcript import DATA, environment

COUNT = 60
SAMPLES = sorted((DATA / "studio" / "good").iterdir())


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of many small conversations."""
    folder = tmp_path_factory.mktemp("exports")
    for number in range(COUNT):
        sample = SAMPLES[number % len(SAMPLES)]
        (folder / f"{number:04}.json").write_bytes(sample.read_bytes())
    return folder


def command(exports: Path, out: Path, *more: str) -> list[str]:
    """Return the command line of the batch."""
    return ["talktree", "convert", str(exports), "-t", "chatbuilder", "-o", str(out), *more]


def started(call: list[str]) -> subprocess.Popen[bytes]:
    """Start a process that leads its own process group, as a terminal starts it."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        call,
        stdout=pipe,
        stderr=pipe,
        env=environment(),
        start_new_session=True,
    )


def run(call: list[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(call, capture_output=True, env=environment(), check=False, timeout=300)


def until_some_are_done(out: Path) -> None:
    """Wait until the batch has converted some of its files."""
    for _ in range(3000):
        if (out / STATE).exists() and (out / STATE).read_bytes().count(b"\n") >= 5:
            return
        time.sleep(0.01)
    raise AssertionError("nothing was done")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != STATE and WORK not in path.parts
    }


@pytest.fixture(scope="module")
def expected(exports: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the output of an undisturbed batch."""
    out = tmp_path_factory.mktemp("expected")
    assert run(command(exports, out, "-j", "1")).returncode == 0
    return contents(out)


def folders(files: dict[str, bytes]) -> dict[str, dict[str, bytes]]:
    """Return the outputs, one folder each."""
    out: dict[str, dict[str, bytes]] = {}
    for path, data in files.items():
        out.setdefault(path.split("/")[0], {})[path] = data
    return out


def assert_whole_or_absent(out: Path, expected: dict[str, bytes]) -> None:
    whole = folders(expected)
    found = folders(contents(out))
    assert found
    for name, files in found.items():
        assert files == whole[name]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_batch_leaves_outputs_whole_or_absent_and_goes_on(
    jobs: str, exports: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    out = tmp_path / "out"
    process = started(command(exports, out, "-j", jobs))
    until_some_are_done(out)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert_whole_or_absent(out, expected)
    done = run(command(exports, out, "-j", jobs))
    assert done.returncode == 0, done.stderr
    assert b"unchanged" in done.stderr
    assert contents(out) == expected
    assert not (out / WORK).exists()


def test_processes_end_when_the_one_that_gives_them_work_is_killed(
    exports: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    out = tmp_path / "out"
    process = started(command(exports, out, "-j", "2"))
    until_some_are_done(out)
    process.kill()
    # The pipes are closed when the last process that holds them ends.
    process.communicate(timeout=300)
    assert_whole_or_absent(out, expected)
    assert run(command(exports, out)).returncode == 0
    assert contents(out) == expected


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_stops_all_and_says_how_to_continue(
    jobs: str, exports: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    out = tmp_path / "out"
    process = started(command(exports, out, "-j", jobs))
    until_some_are_done(out)
    os.killpg(process.pid, signal.SIGINT)
    _, reported = process.communicate(timeout=300)
    assert process.returncode == 130
    assert reported.startswith(b"talktree: interrupted: ")
    assert f" of {COUNT} done; the same command again goes on".encode() in reported
    assert reported.count(b"\n") == 1
    assert not (out / WORK).exists()
    assert_whole_or_absent(out, expected)
    assert run(command(exports, out, "-j", jobs, "-q")).returncode == 0
    assert contents(out) == expected


def children(process: subprocess.Popen[bytes]) -> list[int]:
    """Return the worker processes."""
    found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [
        int(each) for each in found if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()
    ]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_a_process_that_dies_costs_no_source(
    exports: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    out = tmp_path / "out"
    process = started(command(exports, out, "-j", "2"))
    until_some_are_done(out)
    for child in children(process)[:1]:
        os.kill(child, signal.SIGKILL)
    _, reported = process.communicate(timeout=300)
    assert process.returncode == 0, reported
    assert contents(out) == expected


def test_progress_for_scripts_is_a_json_object_a_line(exports: Path, tmp_path: Path) -> None:
    done = run(command(exports, tmp_path / "out", "--progress", "json", "-j", "2"))
    assert (done.returncode, done.stdout) == (0, b"")
    steps = [json.loads(line) for line in done.stderr.splitlines()]
    assert [step["done"] for step in steps] == list(range(1, COUNT + 1))
    assert {step["total"] for step in steps} == {COUNT}
    assert {step["path"] for step in steps} == {str(path) for path in exports.iterdir()}
    assert all(step["bytes"] > 0 for step in steps)


def test_progress_for_people_is_a_bar_on_a_terminal_only(exports: Path, tmp_path: Path) -> None:
    shown, code = on_terminal(command(exports, tmp_path / "seen")[1:], tmp_path)
    assert code == 0
    assert "converting to chatbuilder" in shown
    assert f"/{COUNT}" in shown
    for more in (["--progress", "none"], ["-q"]):
        shown, code = on_terminal(command(exports, tmp_path / "unseen", *more)[1:], tmp_path)
        assert (code, "converting" in shown) == (0, False)
    assert b"converting" not in run(command(exports, tmp_path / "piped")).stderr


def test_the_summary_as_json(exports: Path, tmp_path: Path) -> None:
    exports = shutil.copytree(exports, tmp_path / "exports")
    (exports / "0000.json").write_text("torn")
    done = run(command(exports, tmp_path / "out", "--json", "-j", "2"))
    assert done.returncode == 0
    reported = json.loads(done.stdout)
    assert reported["summary"] == {
        "converted": COUNT - 1, "unchanged": 0, "skipped": 1, "failed": 0
    }  # fmt: skip
    assert {Path(each["path"]).is_file() for each in reported["written"]} == {True}
    assert {each["path"] for each in reported["losses"]} <= {
        str(path) for path in exports.iterdir()
    }
    assert sum(each["count"] for each in reported["counts"]) == len(reported["losses"]) > 0
    assert done.stderr == b""


def test_the_worst_failure_decides_on_the_exit_code(exports: Path, tmp_path: Path) -> None:
    exports = shutil.copytree(exports, tmp_path / "exports")
    paths = [str(path) for path in sorted(exports.iterdir())[:3]]
    Path(paths[0]).write_text("torn")
    out = str(tmp_path / "out")
    done = run(["talktree", "convert", *paths, "-t", "native", "-o", out, "--quiet"])
    assert done.returncode == 3
    assert done.stderr.startswith(f"talktree: {paths[0]}: no known".encode())
    assert len(contents(tmp_path / "out")) == 2
