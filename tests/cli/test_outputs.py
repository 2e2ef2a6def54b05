"""One policy for outputs: existing files need --force, and an input is always refused."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from talktree.cli.main import run
from tests.cli.transcript import DATA

SESSION = DATA / "claude-code" / "good" / "one-session.jsonl"


def command(*arguments: str) -> tuple[int, str]:
    """Return the exit code of a command, and its stderr."""
    out, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(errors):
        code = run(list(arguments))
    errors.flush()
    assert isinstance(errors.buffer, io.BytesIO)
    return code, errors.buffer.getvalue().decode()


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a session that is in the library."""
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "in.jsonl").write_bytes(SESSION.read_bytes())
    assert command("import", "in.jsonl")[0] == 0
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files in a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("link", [False, True])
def test_restoring_adds_to_a_folder_and_replaces_nothing(work: Path, link: bool) -> None:
    (work / "was").mkdir()
    (work / "was" / "other.txt").write_text("mine")
    assert command("library", "restore", "in.jsonl", "--into", "was")[0] == 0
    restored = work / "was" / "in.jsonl"
    assert restored.read_bytes() == SESSION.read_bytes()
    restored.unlink()
    if link:
        restored.symlink_to("../in.jsonl")
    else:
        restored.write_text("mine, too")
    before = contents(work)
    for folder in ("was", "."):
        code, errors = command("library", "restore", "in.jsonl", "--into", folder)
        assert (code, "in.jsonl: already exists" in errors) == (2, True)
    assert contents(work) == before


@pytest.mark.parametrize("into", ["../home/library", "../home/library/new"])
def test_nothing_is_restored_into_the_library(work: Path, into: str) -> None:
    code, errors = command("library", "restore", "in.jsonl", "--into", into)
    assert code == 2
    assert "the input" in errors


@pytest.mark.parametrize(
    ("paths", "options", "report"),
    [
        ("in.jsonl", "-t chatbuilder -o new", "new/lost.json"),
        ("in.jsonl", "-t native -o new.jsonl", "new.jsonl"),
        (".", "--each -t muse -o ../new", "../new/in.json"),
    ],
)
def test_a_report_does_not_go_into_the_output(
    work: Path, paths: str, options: str, report: str
) -> None:
    before = contents(work.parent)
    for force in ([], ["--force"]):
        code, errors = command("convert", paths, *options.split(), "--ledger", report, *force)
        assert (code, "two outputs go there" in errors) == (2, True), errors
    assert contents(work.parent) == before


def test_many_outputs_are_added_to_their_own_folder_only(work: Path) -> None:
    (work / "in").mkdir()
    (work / "in.jsonl").rename(work / "in" / "a.jsonl")
    (work / "out").mkdir()
    (work / "out" / "a.jsonl").write_text("mine")
    arguments = ("convert", "in", "--each", "-t", "native", "-o", "out", "-q")
    code, errors = command(*arguments)
    assert (code, "out: already exists" in errors) == (2, True)
    assert contents(work / "out") == {"a.jsonl": b"mine"}
    assert command(*arguments, "--force")[0] == 0
    (work / "in" / "b.jsonl").write_bytes(SESSION.read_bytes())
    assert command(*arguments)[0] == 0
    assert {"a.jsonl", "b.jsonl"} <= contents(work / "out").keys()


@pytest.mark.parametrize("verb", ["convert in -t chatbuilder", "export in --to html"])
def test_not_even_force_removes_files_of_others(work: Path, verb: str) -> None:
    (work / "in").mkdir()
    (work / "in.jsonl").rename(work / "in" / "a.jsonl")
    (work / "in" / "b.jsonl").write_bytes(SESSION.read_bytes())
    (work / "out").mkdir()
    (work / "out" / "own.txt").write_text("mine")
    code, _ = command(*verb.split(), "-o", "out", "--force", "-q")
    assert (work / "out" / "own.txt").read_text() == "mine"
    assert code in (0, 2)
