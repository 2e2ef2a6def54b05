"""Sub-agents belong to their session: in every command, and in conversions in both directions."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from talktree import api
from talktree.cli.main import run
from talktree.model.edit import set_text
from tests.companion_samples import FILES, LONE, LOST, OF_ONE, OF_TWO, ONE, TWO, files_in, write

TASKS = {"task 10", "report 10", "task 20", "report 20"}
"""The texts of the first session's sub-agents."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "project", FILES)


def texts(shape: object) -> set[str]:
    """Return all strings in a JSON value that are texts of the samples."""
    if isinstance(shape, dict):
        return {text for each in shape.values() for text in texts(each)}
    if isinstance(shape, list):
        return {text for each in shape for text in texts(each)}
    return {shape} if isinstance(shape, str) and shape[:4] in ("task", "repo", "ques") else set()


@pytest.mark.parametrize("words", [["show", "--all"], ["tree"]])
def test_a_session_file_is_shown_with_its_sub_agents(
    words: list[str], folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run([*words, str(folder / f"{ONE}.jsonl"), "--json"]) == 0
    assert texts(json.loads(capfd.readouterr().out)) == {"question 1", *TASKS}
    assert run([*words, str(folder / f"{TWO}.jsonl"), "--json"]) == 0
    assert texts(json.loads(capfd.readouterr().out)) == {"question 2", "task 30", "report 30"}
    assert run([*words, str(folder / f"{LONE}.jsonl"), "--json"]) == 0
    assert texts(json.loads(capfd.readouterr().out)) == {"question 3"}


def test_the_session_is_the_branch_that_is_shown(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(folder / f"{ONE}.jsonl"), "--json"]) == 0
    assert texts(json.loads(capfd.readouterr().out)) == {"question 1"}


def test_an_export_of_a_session_has_its_sub_agents(folder: Path) -> None:
    assert run(["export", str(folder / f"{ONE}.jsonl"), "--to", "md", "-o", "one.md"]) == 0
    assert all(task in Path("one.md").read_text() for task in TASKS)
    many = ["export", *map(str, sorted(folder.iterdir())), "--to", "md", "-o", "pages/"]
    assert run(many) == 0
    pages = [page for page in files_in(Path("pages")).values() if b"task 10" in page]
    assert len(pages) == 1


@pytest.mark.parametrize("kind", ["folder", "files", "files and folders"])
def test_nothing_is_counted_twice(
    kind: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    # Without the sub-agent of the deleted session, which alone is a separate conversation.
    (folder / LOST / "subagents" / "agent-b.jsonl").unlink()
    paths = [folder]
    if kind == "files":
        paths = sorted(folder.rglob("*.jsonl"))
    elif kind == "files and folders":
        paths = [path for path in sorted(folder.iterdir()) if path.name != LOST]
    assert run(["stats", *map(str, paths), "--json"]) == 0
    counted = json.loads(capfd.readouterr().out)["totals"]
    assert (counted["conversations"], counted["messages"]) == (3, 12)


def test_check_names_the_file_that_a_finding_is_in(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = folder / ONE / "subagents" / "agent-a1.jsonl"
    broken.write_bytes(broken.read_bytes() + b'{"type":"user","uuid":"cut')
    run(["check", str(folder / f"{ONE}.jsonl"), "--json", "--select", "SYN101"])
    (found,) = json.loads(capfd.readouterr().out)["findings"]
    assert found["path"] == str(broken)


@pytest.mark.parametrize("to", ["native", "claude-messages", "muse", "sage", "chatbuilder"])
@pytest.mark.parametrize("files", [OF_ONE, OF_TWO], ids=["nested", "beside"])
def test_there_and_back_restores_all_files(to: str, files: dict[str, bytes], folder: Path) -> None:
    (name, *_) = files
    assert run(["convert", str(folder / name), "-t", to, "-o", "there", "-q"]) == 0
    assert run(["convert", "there", "-t", "claude-code", "-o", "back", "-q"]) == 0
    assert files_in(Path("back")) == files
    assert run(["convert", "there", "-t", "claude-code", "-o", f"beside/{name}", "-q"]) == 0
    assert files_in(Path("beside")) == files


def test_a_renamed_session_keeps_its_sub_agents(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for number, name in enumerate((ONE, TWO)):
        out = f"out{number}/renamed.jsonl"
        convert = ["convert", str(folder / f"{name}.jsonl"), "-t", "claude-code", "-o", out, "-q"]
        assert run(convert) == 0
        assert run(["tree", out, "--json"]) == 0
        assert len(texts(json.loads(capfd.readouterr().out))) == (5, 3)[number]
        assert len(files_in(Path(f"out{number}"))) == len((OF_ONE, OF_TWO)[number])


def test_an_unedited_document_is_written_as_it_was(folder: Path, tmp_path: Path) -> None:
    document = api.read(folder / f"{ONE}.jsonl")
    written = api.write(document, tmp_path / "copy" / f"{ONE}.jsonl")
    assert files_in(tmp_path / "copy") == OF_ONE
    assert len(written) == len(OF_ONE)


def test_companions_replace_other_files_only_by_force(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    other = {f"out/{ONE}/subagents/agent-a1.jsonl": b"something else\n"}
    write(Path(), other)
    words = ["convert", str(folder / f"{ONE}.jsonl"), "-t", "claude-code", "-o", f"out/{ONE}.jsonl"]
    assert run(words) == 2
    assert "already exists and is different" in capfd.readouterr().err
    assert files_in(Path("out")) == {path[4:]: data for path, data in other.items()}
    assert run([*words, "--force"]) == 0
    assert files_in(Path("out")) == OF_ONE


def test_all_is_as_it_was_if_one_file_cannot_be_written(folder: Path) -> None:
    there = {f"{ONE}.jsonl": b"old\n", f"{ONE}/subagents/agent-a1.jsonl": b"older\n"}
    write(Path("out"), {**there, f"{ONE}/tool-results": b"a file where a folder must be\n"})
    before = files_in(Path("out"))
    words = ["convert", str(folder / f"{ONE}.jsonl"), "-t", "claude-code", "-o", f"out/{ONE}.jsonl"]
    assert run([*words, "--force"]) != 0
    assert files_in(Path("out")) == before


@pytest.mark.parametrize("verb", ["convert", "export"])
def test_an_output_never_replaces_a_companion_of_the_input(
    verb: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = files_in(folder)
    for path in (f"{ONE}/subagents/agent-a1.jsonl", f"{ONE}/subagents/new.jsonl"):
        words = [verb, str(folder / f"{ONE}.jsonl"), "--to", "native", "-o", str(folder / path)]
        assert run([*words, "--force"]) == 2
        assert "the input" in capfd.readouterr().err
    assert files_in(folder) == before
    beside = str(folder / "copy.jsonl")
    assert run([verb, str(folder / f"{TWO}.jsonl"), "--to", "native", "-o", beside]) == 0


def test_an_edit_elsewhere_comes_back_to_the_file_of_the_sub_agent(folder: Path) -> None:
    name = f"{ONE}.jsonl"
    assert run(["convert", str(folder / name), "-t", "native", "-o", "n.jsonl", "-q"]) == 0
    document = api.read("n.jsonl")
    task = next(each for each in document.conversation.messages() if each.text == "task 10")
    changed = set_text(document.conversation, task.id, "task 11")
    api.save_edited(document.with_conversation(changed), "n.jsonl")
    assert run(["convert", "n.jsonl", "-t", "claude-code", "-o", f"back/{name}", "-q"]) == 0
    agent = f"{ONE}/subagents/agent-a1.jsonl"
    edited = OF_ONE[agent].replace(b'"task 10"', b'"task 11"')
    assert files_in(Path("back")) == {**OF_ONE, agent: edited}


def test_several_sessions_come_back_side_by_side(folder: Path) -> None:
    for name in (ONE, TWO):
        there = ["-t", "native", "-o", f"there/{name}.jsonl", "-q"]
        assert run(["convert", str(folder / f"{name}.jsonl"), *there]) == 0
    assert run(["convert", "there", "-t", "claude-code", "-o", "back", "-q"]) == 0
    assert files_in(Path("back")) == {**OF_ONE, **OF_TWO}


def test_forged_names_do_not_get_beside_the_output(folder: Path) -> None:
    assert run(["convert", str(folder / f"{TWO}.jsonl"), "-t", "native", "-o", "n.jsonl"]) == 0
    forged = Path("n.jsonl").read_text().replace("agent-a1.jsonl", "Makefile.jsonl")
    Path("n.jsonl").write_text(forged)
    run(["convert", "n.jsonl", "-t", "claude-code", "-o", "out/x.jsonl", "-q"])
    assert not Path("out/Makefile.jsonl").exists()


def test_edit_and_repair_write_only_the_file_that_was_named(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = folder / f"{ONE}.jsonl"
    before = files_in(folder)
    edit = ["edit", str(path), "--text", "more"]
    assert run([*edit, "--reply", "00010001-0000-4000-8000-000000000000", "-o", "out/e.jsonl"]) == 0
    assert "left out 6 files that belong to" in capfd.readouterr().err
    assert list(files_in(Path("out"))) == ["e.jsonl"]
    assert run([*edit, "--reply", "00010011-0000-4000-8000-000000000000", "--save"]) == 2
    reported = capfd.readouterr().err
    assert f"is a message of {folder / ONE / 'subagents' / 'agent-a1.jsonl'}" in reported
    assert files_in(folder) == before
    assert run([*edit, "--reply", "00010001-0000-4000-8000-000000000000", "--save"]) == 0
    after = files_in(folder)
    changed = {name for name in after if after[name] != before.get(name)}
    assert {name for name in changed if not name.endswith(".backup")} == {path.name}
    path.write_bytes(path.read_bytes() + b'{"type":"user","uuid":"cut')
    broken = folder / ONE / "subagents" / "agent-a1.jsonl"
    broken.write_bytes(broken.read_bytes() + b'{"type":"user","uuid":"cut')
    os.utime(path, (1, 1))
    damaged = files_in(folder)
    assert run(["repair", str(path), "-o", "fixed/r.jsonl"]) == 0
    assert "left out 6 files" in capfd.readouterr().err
    assert [name for name in files_in(Path("fixed")) if name.endswith(".jsonl")] == ["r.jsonl"]
    assert files_in(folder) == damaged


def test_an_edit_of_a_document_changes_the_file_of_the_message(folder: Path) -> None:
    document = api.read(folder / f"{ONE}.jsonl")
    conversation = document.conversation
    task = next(each for each in conversation.messages() if each.text == "task 10")
    edited = document.with_conversation(set_text(conversation, task.id, "task 11"))
    before = files_in(folder)
    (written,), (backup,) = api.save_edited(edited, folder / f"{ONE}.jsonl")
    assert written == folder / ONE / "subagents" / "agent-a1.jsonl"
    assert backup.parent == written.parent
    assert backup.read_bytes() == before[f"{ONE}/subagents/agent-a1.jsonl"]
    backup.unlink()
    after = files_in(folder)
    assert [name for name in after if after[name] != before[name]] == [
        f"{ONE}/subagents/agent-a1.jsonl"
    ]


def test_packed_sessions_and_links_have_their_sub_agents(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    packed = {
        f"{path}.gz" if path.endswith(".jsonl") else path: gzip.compress(data)
        if path.endswith(".jsonl")
        else data
        for path, data in OF_ONE.items()
    }
    write(tmp_path / "packed", packed)
    (tmp_path / "link.jsonl").symlink_to(write(tmp_path / "plain", OF_ONE) / f"{ONE}.jsonl")
    (tmp_path / "folder").symlink_to(tmp_path / "plain")
    (tmp_path / "outside").mkdir()
    for path in (f"packed/{ONE}.jsonl.gz", "link.jsonl", f"folder/{ONE}.jsonl", "packed"):
        assert run(["tree", str(tmp_path / path), "--json"]) == 0
        assert texts(json.loads(capfd.readouterr().out)) == {"question 1", *TASKS}


def test_links_in_the_folder_of_a_session_are_not_followed(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / ONE).rename(tmp_path / "elsewhere")
    (folder / ONE).symlink_to(tmp_path / "elsewhere")
    path = str(folder / f"{ONE}.jsonl")
    assert run(["tree", path, "--json"]) == 0
    assert texts(json.loads(capfd.readouterr().out)) == {"question 1"}


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    write(
        tmp_path,
        {**OF_ONE, f"{ONE}/src/main.py": b"x", f"{ONE}/notes.jsonl": FILES[f"{ONE}.jsonl"]},
    )
    document = api.read(tmp_path / f"{ONE}.jsonl")
    assert len(document.conversations) == 1
    assert {*api.to_bytes(document)} == {*OF_ONE}


def test_odd_names(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("-rf", "a b", "ä\n☃", "x.y", os.fsdecode(b"\xff")):
        files = {path.replace(ONE, name, 1): data for path, data in OF_ONE.items()}
        write(tmp_path / "odd", files)
        document = api.read(tmp_path / "odd" / f"{name}.jsonl")
        assert len(document.conversation.tree) == 6, name
        assert api.to_bytes(document) == files
        capfd.readouterr()


@pytest.mark.parametrize("verb", ["show", "tree", "export"])
def test_damage_of_other_conversations_is_not_reported(
    verb: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = folder / f"{TWO}.jsonl"
    broken.write_bytes(broken.read_bytes() + b'{"type":"user","uuid":"cut')
    more = ["--to", "md", "-o", "x.md"] if verb == "export" else []
    run([verb, str(folder), "--conversation", ONE, *more])
    assert "error" not in capfd.readouterr().err
    Path("x.md").unlink(missing_ok=True)
    run([verb, str(folder), "--conversation", TWO, *more])
    assert "1 error: line 3 torn-record" in capfd.readouterr().err
    if verb != "export":
        for name, errors in ((ONE, 0), (TWO, 1)):
            run([verb, str(folder), "--conversation", name, "--json"])
            assert json.loads(capfd.readouterr().out)["findings"]["error"] == errors


def test_damage_of_other_conversations_in_one_file_is_not_reported(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["convert", str(folder), "-t", "native", "-o", "all.jsonl", "-q"]) == 0
    lines = Path("all.jsonl").read_bytes().splitlines(keepends=True)
    (damaged,) = (number for number, each in enumerate(lines) if b'"question 3"' in each)
    lines[damaged] = lines[damaged].replace(b'"question 3"', b'"question 3')
    Path("all.jsonl").write_bytes(b"".join(lines))
    reported = {}
    for name in (ONE, LONE):
        run(["show", "all.jsonl", "--conversation", name])
        reported[name] = capfd.readouterr().err
    assert "error" not in reported[ONE]
    assert "error" in reported[LONE]
