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
    """The commands of a block that is marked as tested."""
    found = re.search(rf"<!-- tested: {name} -->\n```console\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return [line.removeprefix("$ ") for line in found[1].splitlines()]


def write_session(
    folder: Path, number: int, text: str, project: str = "-home-ana-app", **members: object
) -> Path:
    """A session of Claude Code that says something."""
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


def test_everything_about_a_person_can_be_exported_and_erased(tmp_path: Path) -> None:
    if shutil.which("jq") is None:
        pytest.skip("NOT RUN: there is no jq on this machine")
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
    ]
    other = write_session(tmp_path, 7, "Nothing about her.")
    named = write_session(tmp_path, 8, f"Once it named {NAME}.")
    edited = write_session(tmp_path, 9, "An edit names her.")
    first = named.read_bytes()
    assert run("talktree import --known", tmp_path).returncode == 0
    named.write_bytes(first.replace(NAME.encode(), b"another person"))
    edit = f"talktree edit {edited.stem} --reply {edited.stem} --text 'Hello {NAME}'"
    assert run(edit, tmp_path).returncode == 0
    for command in commands("export"):
        done = run(command, tmp_path)
        assert done.returncode == 0, (command, done.stderr)
    restored = {path.read_bytes() for path in (tmp_path / "marta").rglob("*.jsonl")}
    assert restored == {*(path.read_bytes() for path in about), first}
    pages = [path.read_text() for path in (tmp_path / "marta-pages").rglob("*.html")]
    assert len(pages) == len(about) + 2, "a page for each, and the index"
    found = json.loads((tmp_path / "found.json").read_text())["found"]
    edits = {each["path"]: each["edits"] for each in found if each["edits"]}
    assert [*edits] == [str(edited)]
    assert f"Hello {NAME}" in json.dumps(edits)
    *erasing, looking = commands("erase")
    for command in erasing:
        done = run(command, tmp_path)
        assert done.returncode == 0, (command, done.stderr)
    assert run(looking, tmp_path).returncode == 1
    assert run(f"talktree show {other.stem}", tmp_path).returncode == 0
    kept = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
    for word in (b"roof", b"Lindqvist", b"arta@example"):
        assert word not in kept, "not even compressed text is left in one piece"


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
