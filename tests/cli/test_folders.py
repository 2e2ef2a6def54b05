"""Folders on the command line: nothing in them is silently left out, renamed or misreported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from talktree.cli.main import run
from tests.cli.transcript import DATA

SESSION = DATA / "claude-code" / "good" / "one-session.jsonl"
MUSE = DATA / "muse" / "good" / "application.json"
STUDIO = DATA / "studio" / "good" / "app-export.json"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of conversations in two formats, with two files that are not
    conversations."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "mixed"
    folder.mkdir()
    shutil.copy(MUSE, folder / "a.json")
    shutil.copy(STUDIO, folder / "b.json")
    (folder / "notes.md").write_text("to do")
    (folder / "x.json").write_text('{"a": 1}')
    return folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of sessions of one format, one of them damaged, and one unrelated file."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "project"
    folder.mkdir()
    data = SESSION.read_bytes()
    for name in ("aaa", "-rf", ".hidden"):
        text = data.replace(b"0000abc1-0000-4000-8000-00000000abc1", name.encode())
        (folder / f"{name}.jsonl").write_bytes(text)
    with (folder / "aaa.jsonl").open("ab") as file:
        file.write(b'{"broken\n')
    (folder / "notes.txt").write_text("to do")
    return folder


def test_files_that_are_left_out_are_named_and_counted(mixed: Path, capsys: Captured) -> None:
    assert run(["convert", "mixed", "-t", "native", "-o", "out"]) == 0
    reported = capsys.readouterr().err
    assert "2 converted, 2 not converted" in reported
    assert "2 things lost" in reported
    assert "mixed/notes.md: no known conversation format" in reported
    assert "mixed/x.json: no known conversation format" in reported
    # A second run reports the same, though it does nothing.
    assert run(["convert", "mixed", "-t", "native", "-o", "out"]) == 0
    again = capsys.readouterr().err
    assert "2 unchanged, 2 not converted" in again
    assert "mixed/notes.md: no known conversation format" in again


@pytest.mark.parametrize("more", [[], ["--dry-run"], ["--quiet"]])
def test_a_file_that_is_left_out_is_a_loss(mixed: Path, capsys: Captured, more: list[str]) -> None:
    call = ["convert", "mixed", "-t", "native", "-o", "out", "--strict", *more]
    assert run(call) == 4
    assert "mixed/notes.md" in capsys.readouterr().err
    assert run([*call, "--allow", "file"]) == 0
    assert run(["convert", "mixed", "-t", "native", "-o", "out2", "--forbid", "file"]) == 4


def test_a_strict_batch_writes_what_loses_nothing(mixed: Path, capsys: Captured) -> None:
    (mixed / "notes.md").unlink()
    (mixed / "x.json").unlink()
    call = ["convert", "mixed", "-t", "studio", "-o", "out", "--clean", "--strict"]
    assert run(call) == 4
    reported = capsys.readouterr().err
    assert "1 converted, 1 failed" in reported
    assert "mixed/a.json: not written: the target cannot hold everything" in reported
    assert [path.name for path in Path("out").glob("[!.]*")] == ["b.json"]


def test_a_strict_batch_with_a_foreign_file_writes_the_others(
    mixed: Path, capsys: Captured
) -> None:
    assert run(["convert", "mixed", "-t", "native", "-o", "out", "--strict"]) == 4
    reported = capsys.readouterr().err
    assert "2 converted, 2 not converted" in reported
    assert f"not converted: {mixed.name}/notes.md: no known conversation format" in reported
    assert sorted(path.name for path in Path("out").glob("[!.]*")) == ["a.jsonl", "b.jsonl"]


def test_scripts_learn_what_was_left_out(mixed: Path, capsys: Captured) -> None:
    assert run(["convert", "mixed", "-t", "native", "-o", "out", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    lost = {(each["kind"], each["path"], each["kept"]) for each in found["losses"]}
    assert {("file", "mixed/notes.md", "lost"), ("file", "mixed/x.json", "lost")} <= lost
    assert run(["export", "mixed", "--to", "md", "-o", "pages/", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["skipped"] == ["mixed/notes.md", "mixed/x.json"]


@pytest.mark.parametrize("target", ["studio", "muse", "chatbuilder", "sage"])
def test_files_keep_their_names(project: Path, target: str) -> None:
    assert run(["convert", "project", "-t", target, "-o", "out", "--quiet"]) == 0
    stems = {path.name.removesuffix(".json") for path in Path("out").iterdir()}
    assert {"-rf", ".hidden", "aaa"} <= stems
    assert run(["convert", "out", "-t", "claude-code", "-o", "back", "--quiet"]) == 0
    for path in project.iterdir():
        assert (Path("back") / path.name).read_bytes() == path.read_bytes()


def test_a_repaired_folder_is_reported_by_its_own_name(project: Path, capsys: Captured) -> None:
    assert run(["repair", "project", "-o", "fixed"]) == 0
    reported = capsys.readouterr().err
    assert "talktree: fixed: " in reported
    assert "in 1 of 4 files" in reported


def test_only_files_that_were_edited_are_called_so(project: Path, capsys: Captured) -> None:
    call = ["edit", "project", "--conversation", "-rf", "--reply", "root", "--text", "hi"]
    assert run([*call, "-o", "edited", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["changed"] == ["edited/-rf.jsonl"]
    assert len(found["written"]) == 4
    assert run([*call, "-o", "again"]) == 0
    reported = capsys.readouterr().err
    assert "again/-rf.jsonl: message" in reported
    assert "again: 3 other files copied unchanged" in reported
    assert "again/aaa.jsonl" not in reported


def test_saving_an_edit_keeps_a_verified_backup(project: Path, capsys: Captured) -> None:
    path = project / "-rf.jsonl"
    before = path.read_bytes()
    call = ["edit", str(path), "--reply", "root", "--text", "hi", "--save", "--json"]
    for _ in range(2):
        assert run(call) == 0
    found = json.loads(capsys.readouterr().out.partition("}\n{")[0] + "}")
    (backup,) = found["backups"]
    assert Path(backup).read_bytes() == before
    assert len(list(project.glob("*.backup"))) == 2


def test_a_log_of_a_repair_is_never_replaced(project: Path) -> None:
    for force in ([], ["--force"]):
        assert run(["repair", "project", "-o", "fixed", "--quiet", *force]) == 0
    logs = sorted(Path().glob("fixed*.repair"))
    assert len(logs) == 2
    kept = [log.read_bytes() for log in logs]
    assert run(["convert", str(SESSION), "-t", "native", "-o", str(logs[0]), "--force"]) == 2
    assert [log.read_bytes() for log in logs] == kept
    assert run(["repair", "fixed", "--back", "-o", "back", "--quiet"]) == 0
    for path in project.iterdir():
        assert (Path("back") / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("of", ["claude-code", "sage"])
def test_a_conversation_of_another_format_in_the_folder_is_a_source(
    of: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "folder"
    if of == "sage":
        shutil.copytree(DATA.parent.parent / "demo" / "sage", folder)
    else:
        folder.mkdir()
        shutil.copy(SESSION, folder / SESSION.name)
    foreign = {
        "messages": [{"role": "user", "content": f"foreign{n}", "id": f"{n}"} for n in range(3)]
    }
    muse = {"_id": "other", "conversation_id": "other", "schema_version": 2}
    lines = json.dumps({**muse, "message_history": foreign["messages"]})
    (folder / "other.json").write_text(lines)
    assert run(["convert", "folder", "-t", "native", "-o", "out"]) == 0
    written = {path.name for path in (tmp_path / "out").iterdir() if path.suffix == ".jsonl"}
    assert {"other.jsonl", "folder.jsonl"} <= written
    assert "foreign2" in (tmp_path / "out" / "other.jsonl").read_text()
    assert "foreign2" not in (tmp_path / "out" / "folder.jsonl").read_text()
    assert run(["export", "folder", "--to", "html", "-o", "pages"]) == 0
    pages = "".join(path.read_text() for path in (tmp_path / "pages").rglob("*.html"))
    assert "foreign2" in pages
    (folder / "other.json").write_text(lines[:-10])
    capsys.readouterr()
    assert run(["check", "folder"]) == 1
    assert "other.json" in capsys.readouterr().out
