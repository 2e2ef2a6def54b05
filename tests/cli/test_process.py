"""The program as a process: clean exits, exit codes, no tracebacks, fast help."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from talktree.cli import main
from talktree.cli.group import COMMANDS
from talktree.errors import INTERNAL
from tests.cli.transcript import DATA, environment

SAMPLE = DATA / "claude-messages" / "good" / "tools-and-branches.jsonl"


def started(*arguments: str, cwd: Path | None = None) -> subprocess.Popen[bytes]:
    """Start the program with pipes for all streams."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        ["talktree", *arguments],
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env=environment(),
        cwd=cwd,
    )


def long_session(path: Path, count: int = 3000) -> Path:
    """Return a conversation that fills any pipe."""
    with path.open("w") as file:
        for number in range(count):
            parent = {"parentUuid": f"m{number - 1}"} if number else {}
            line = {"type": "user", "uuid": f"m{number}", **parent, "message": "word " * 40}
            file.write(json.dumps(line) + "\n")
    return path


@pytest.mark.parametrize("command", [["show"], ["tree", "--all"], ["show", "--json"]])
def test_a_reader_that_leaves_early_is_not_an_error(command: list[str], tmp_path: Path) -> None:
    with started(*command, str(long_session(tmp_path / "long.jsonl"))) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


ENCRYPTED = (
    "--encrypt-to",
    "age1edu75d6jzx25ayyxgsxp6untq9g96xhhuq4kr62t3fcpwwc22pvq6e92t5",
)


@pytest.mark.parametrize("to", ["native", "html"])
@pytest.mark.parametrize("encrypted", [(), ENCRYPTED], ids=["plain", "encrypted"])
def test_an_export_ends_alike_when_no_one_reads_on(
    to: str, encrypted: tuple[str, ...], tmp_path: Path
) -> None:
    session = long_session(tmp_path / "long.jsonl", 300)
    words = ["export", str(session), "--to", to, "-o", "-", "--quiet", *encrypted]
    with started(*words) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(5)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
    if Path("/dev/full").exists():
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                ["talktree", *words], stdout=full, stderr=subprocess.PIPE, env=environment()
            )
        assert done.returncode == 3
        assert done.stderr == b"talktree: cannot write the result: No space left on device\n"


def test_ctrl_c_ends_with_130_and_no_words() -> None:
    process = started("show", "-")
    assert process.stdin is not None
    # More than a pipe holds: when this is written, the program is reading.
    process.stdin.write(b"x" * (1 << 20))
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err


def _no_room_for_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_output_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    with open(tmp_path / "out", "wb") as full:
        done = subprocess.run(
            ["talktree", "show", str(SAMPLE)],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
            preexec_fn=_no_room_for_files,
        )
    assert done.returncode == 3
    assert done.stderr.startswith(b"talktree: cannot write the result")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from talktree.cli.main import run; run(['--help']);"
        "print(sorted({'rich', 'msgspec', 'talktree.api', 'difflib'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_importing_the_package_imports_nothing_of_it() -> None:
    code = (
        "import sys, talktree;"
        "print([name for name in sys.modules if name.startswith('talktree.')]);"
        "talktree.read; talktree.Message; print('talktree.api' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stdout.splitlines() == ["[]", "True"]


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Return a program with a bug in it."""

    def fail(*_: object, **__: object) -> None:
        raise KeyError("gone \x1b[31m")

    monkeypatch.setattr("talktree.api.read", fail)


@pytest.mark.usefixtures("broken")
def test_an_internal_error_is_one_line_and_how_to_report_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main.run(["show", str(SAMPLE)]) == INTERNAL
    reported = capsys.readouterr().err
    assert reported.startswith("talktree: internal error: KeyError: 'gone \\x1b[31m'\nhint: ")
    assert "TALKTREE_DEBUG=1" in reported
    assert "Traceback" not in reported


@pytest.mark.usefixtures("broken")
def test_an_internal_error_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["show", "--json", str(SAMPLE)]) == INTERNAL
    error = json.loads(capsys.readouterr().err)["error"]
    assert (error["kind"], error["exit_code"]) == ("internal", INTERNAL)


@pytest.mark.usefixtures("broken")
def test_debug_mode_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TALKTREE_DEBUG", "1")
    with pytest.raises(KeyError):
        main.run(["show", str(SAMPLE)])


@pytest.mark.parametrize("command", sorted(COMMANDS))
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_begins_with_examples(
    command: str, flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run([command, flag]) == 0
    reported = capsys.readouterr().out
    assert reported.index("Examples:") < reported.index("Usage:") < reported.index("Options:")
    assert f"  talktree {command}" in reported


@pytest.mark.parametrize("command", ["formats", "detect", "show", "tree", "stats"])
def test_every_result_can_be_had_as_json(
    command: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    paths = [] if command == "formats" else [str(SAMPLE)]
    assert main.run([command, *paths, "--json"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["schema_version"] == 1
