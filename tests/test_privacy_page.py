"""The privacy page: its commands work, and the files it lists are those that exist."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.transcript import environment

PAGE = (Path(__file__).parent.parent / "docs" / "privacy.md").read_text()
NAME = "Marta Lindqvist"


def commands(name: str) -> list[str]:
    """Return the commands of a block that is marked as tested."""
    found = re.search(rf"<!-- tested: {name} -->\n```console\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return [line.removeprefix("$ ") for line in found[1].splitlines()]


def write_session(
    folder: Path, number: int, text: str, project: str = "-home-ana-app", **members: object
) -> Path:
    """Write a session of Claude Code with a text."""
    id = f"{number:08x}-0000-4000-8000-{number:012x}"
    line = {
        "type": "user", "uuid": id, "parentUuid": None, "sessionId": id, "cwd": "/home/ana/app",
        "timestamp": "2026-03-04T09:00:00.000Z", "message": {"role": "user", "content": text},
        **members,
    }  # fmt: skip
    path = folder / ".claude" / "projects" / project / f"{id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(line) + "\n")
    return path


def run(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", command],
        cwd=home,
        env={**environment(), "HOME": str(home), "TALKTREE_HOME": str(home / "data")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def run_all(names: list[str], home: Path) -> None:
    """Run some commands, each of which must succeed."""
    for command in names:
        done = run(command, home)
        assert done.returncode == 0, (command, done.stderr)


def exported(home: Path) -> list[bytes]:
    """Return the bytes of all conversations that were exported."""
    return [path.read_bytes() for path in (home / "marta").rglob("*.jsonl")]


def forgotten(home: Path) -> set[bytes]:
    """Return all versions of all files that the erase command of the page would erase."""
    command, _ = commands("erase")
    shown = json.loads(run(command.replace("--yes", "--json"), home).stdout)
    named = shown.get("conversations", [shown] if "path" in shown else [])
    found: set[bytes] = set()
    for path in (*(each["path"] for each in named), *shown["companions"]):
        listed = run(f"talktree library versions '{path}' --json", home)
        # A file that is not a conversation is stored with one.
        versions = json.loads(listed.stdout)["versions"] if listed.returncode == 0 else []
        for number in range(1, len(versions) + 1):
            into = home / "versions" / str(len(found)) / str(number)
            run(f"talktree library restore '{path}' --version {number} --into {into}", home)
            found.update(each.read_bytes() for each in into.rglob("*") if each.is_file())
    return found


def is_kept(id: str, home: Path) -> bool:
    return run(f"talktree show {id}", home).returncode == 0


def test_everything_about_a_person_can_be_exported_and_erased(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "lookup", "input": {NAME: 1}}
    in_call = {"role": "assistant", "content": [call]}
    about = [
        write_session(tmp_path, 1, f"A letter to {NAME}."),
        write_session(tmp_path, 2, f"Ask {NAME.upper()} about the roof."),
        write_session(tmp_path, 2, "The roof of Marta\nLindqvist.", project="-home-ana-other"),
        write_session(tmp_path, 3, "The folder.", cwd="/home/marta@example.org/roof"),
        write_session(tmp_path, 4, "The branch.", gitBranch="roof-of-Marta@example.org"),
        write_session(tmp_path, 5, "The result.", toolUseResult={"for": [NAME]}),
        write_session(tmp_path, 6, "", type="assistant", message=in_call),
        write_session(tmp_path, 10, "Only the path.", project="-about-Marta Lindqvist"),
        write_session(tmp_path, 11, f"Equal titles: {NAME}."),
        write_session(tmp_path, 12, f"Equal titles: {NAME}."),
    ]
    other = write_session(tmp_path, 7, "Nothing about her.")
    named = write_session(tmp_path, 8, f"Once it named {NAME}.")
    edited = write_session(tmp_path, 9, "An edit names her.")
    first = named.read_bytes()
    assert run("talktree import --known", tmp_path).returncode == 0
    named.write_bytes(first.replace(NAME.encode(), b"another person"))
    edit = f"talktree edit {edited.stem} --reply {edited.stem} --text 'Hello {NAME}'"
    assert run(edit, tmp_path).returncode == 0
    run_all(commands("export"), tmp_path)
    assert len(exported(tmp_path)) == len(about) + 3
    assert {*exported(tmp_path)} == {
        *(path.read_bytes() for path in (*about, edited, named)), first
    }  # fmt: skip
    assert forgotten(tmp_path) == {*exported(tmp_path)}
    pages = [path.read_text() for path in (tmp_path / "marta-pages").rglob("*.html")]
    assert len(pages) == len(about) + 4, "a page for each version, and the index"
    found = json.loads((tmp_path / "found.json").read_text())["found"]
    assert all(each["id"] and each["versions"] for each in found)
    edits = {each["path"]: each["edits"] for each in found if each["edits"]}
    assert [*edits] == [str(edited)]
    assert f"Hello {NAME}" in json.dumps(edits)
    (work,) = (tmp_path / "marta").rglob("edits-and-names.json")
    assert f"Hello {NAME}" in work.read_text()
    *erasing, looking = commands("erase")
    run_all(erasing, tmp_path)
    assert run(looking, tmp_path).returncode == 1
    assert is_kept(other.stem, tmp_path)
    assert not any(is_kept(path.stem, tmp_path) for path in (*about, named, edited))
    kept = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
    for word in (b"roof", b"Lindqvist", b"arta@example"):
        assert word not in kept, "not even compressed text is left in one piece"


@pytest.mark.parametrize("only", ["path", "edit", "older version", "sub-agent", "copy"])
def test_everything_forgotten_was_exported(tmp_path: Path, only: str) -> None:
    project = f"-about-{NAME}" if only == "path" else "-home-ana-app"
    session = write_session(tmp_path, 1, "The first question.", project=project)
    agent = {"isSidechain": True, "agentId": "a1", "sessionId": session.stem}
    agent_session = write_session(tmp_path, 2, "The task.", project=project, **agent)
    agents = session.parent / session.stem / "subagents"
    agents.mkdir(parents=True)
    agent_session.rename(agents / "agent-a1.jsonl")
    result = session.parent / session.stem / "tool-results" / "t.txt"
    result.parent.mkdir()
    result.write_text("The first result.")
    copy = write_session(tmp_path, 1, "The first question.", project="-home-ana-copy")
    if only == "sub-agent":
        with (agents / "agent-a1.jsonl").open("a") as file:
            file.write(json.dumps({"type": "summary", "summary": NAME}) + "\n")
    assert run("talktree import --known", tmp_path).returncode == 0
    if only == "edit":
        edit = f"talktree edit {session.stem} --reply {session.stem} --text 'Hello {NAME}'"
        assert run(edit, tmp_path).returncode == 0
    if only in ("older version", "copy"):
        path = copy if only == "copy" else session
        before = path.read_bytes()
        path.write_bytes(before.replace(b"first", NAME.encode()))
        assert run("talktree import --known", tmp_path).returncode == 0
        path.write_bytes(before.replace(b"first", b"third"))
    result.write_text("The second result.")
    run_all(commands("export"), tmp_path)
    files = {path.read_bytes() for path in (tmp_path / "marta").rglob("*") if path.is_file()}
    assert forgotten(tmp_path) <= files
    alone = only == "sub-agent"
    assert alone or {b"The first result.", b"The second result."} <= files
    run_all(commands("erase")[:-1], tmp_path)
    assert run(commands("erase")[-1], tmp_path).returncode == 1
    assert is_kept(session.stem, tmp_path) == alone


def test_nothing_is_erased_if_nothing_is_found(tmp_path: Path) -> None:
    other = write_session(tmp_path, 1, "Nothing about her.")
    importing, finding, _ = commands("export")
    assert run(importing, tmp_path).returncode == 0
    assert run(finding, tmp_path).returncode == 1
    assert not (tmp_path / "marta").exists()
    run_all(commands("erase")[:-1], tmp_path)
    assert is_kept(other.stem, tmp_path)


def test_a_list_of_what_was_found_is_checked(tmp_path: Path) -> None:
    write_session(tmp_path, 1, "Nothing about her.")
    assert run("talktree import --known", tmp_path).returncode == 0
    for text in ("", "[]", "{}", '{"found": [1]}'):
        done = run(f"echo '{text}' | talktree library forget --found - --yes", tmp_path)
        assert done.returncode == 2
        assert "not a list of conversations that were found" in done.stderr


def test_recorded_sessions_can_be_erased(tmp_path: Path) -> None:
    if shutil.which("jq") is None:
        pytest.skip("NOT RUN: there is no jq on this machine")
    for command in (
        "talktree session new",
        f"talktree session append --role user '{NAME} called.'",
        f"talktree session step -- sh -c 'echo {NAME} > letter; rm letter; echo > other'",
    ):
        assert run(command, tmp_path).returncode == 0, command

    def kept() -> bytes:
        found = [path for path in (tmp_path / ".sage").rglob("*") if path.is_file()]
        return b"".join(path.read_bytes() for path in found)

    assert NAME.encode() in kept()
    done = run("\n".join(["set -e", *commands("sessions")]), tmp_path)
    assert done.returncode == 0, done.stderr
    assert NAME.encode() not in kept()


def test_every_file_in_the_data_folder_is_on_the_page(tmp_path: Path) -> None:
    write_session(tmp_path, 1, "Hello.")
    run("talktree import --known; talktree session new; talktree search hello", tmp_path)
    for path in (tmp_path / "data").rglob("*"):
        name = path.relative_to(tmp_path / "data").as_posix()
        known = [
            each
            for each in re.findall(r"`DATA/([^`]*)`|`(-wal|-shm)`", PAGE)
            if name.startswith((each[0] or "?").rstrip("/…")) or name.endswith(each[1] or "?")
        ]
        assert known or name == "library", name
