"""A session made from another format has a new id, and all of its files agree on it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import talktree

DATA = Path(__file__).parents[1] / "data"
DEMO = Path(__file__).parents[2] / "demo"
TALKTREE = Path(sys.executable).with_name("talktree")


def convert(source: Path, *arguments: str | Path, code: int = 0) -> str:
    """Run the command and return its stderr."""
    command = [TALKTREE, "convert", source, "-t", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stderr


def ids_in(folder: Path) -> set[str]:
    """Return every name that the files of a session give it."""
    lines = (folder / "messages.jsonl").read_text().splitlines()
    named = {json.loads(line)["sessionId"] for line in lines}
    return {json.loads((folder / "metadata.json").read_text())["id"], *named}


def test_each_conversation_keeps_its_own_id(tmp_path: Path) -> None:
    source = DATA / "muse" / "good" / "export.jsonl"
    convert(source, "sage", "-o", tmp_path / "sage")
    own = {json.loads(line)["conversation_id"] for line in source.read_text().splitlines()}
    folders = [path.parent for path in (tmp_path / "sage").rglob("metadata.json")]
    assert {folder.name for folder in folders} == own
    for folder in folders:
        if (folder / "messages.jsonl").exists():
            assert ids_in(folder) == {folder.name}
    convert(tmp_path / "sage", "muse", "-o", tmp_path / "back.jsonl")
    assert (tmp_path / "back.jsonl").read_bytes() == source.read_bytes()


@pytest.mark.parametrize("name", ["studio.json", "claude-code.jsonl"])
def test_the_id_can_be_chosen(tmp_path: Path, name: str) -> None:
    convert(DEMO / name, "sage", "-o", tmp_path / "out", "--id", "session-123")
    assert ids_in(tmp_path / "out") == {"session-123"}
    assert talktree.check(tmp_path / "out").codes == set()
    convert(tmp_path / "out", name.partition(".")[0], "-o", tmp_path / name)
    assert (tmp_path / name).read_bytes() == (DEMO / name).read_bytes()


def test_in_a_store_the_folder_names_the_session(tmp_path: Path) -> None:
    folder = tmp_path / ".sage" / "sessions" / "session-123"
    convert(DEMO / "studio.json", "sage", "-o", folder)
    assert ids_in(folder) == {"session-123"}
    with talktree.Store(tmp_path / ".sage").open("session-123") as session:
        session.user("on it goes")
    assert ids_in(folder) == {"session-123"}


def test_an_id_that_cannot_name_a_folder_is_not_taken(tmp_path: Path) -> None:
    talk = {"schema_version": 2, "conversation_id": "../up", "message_history": [
        {"id": "m1", "role": "user", "content": "hello", "timestamp": 1732782425694}
    ], "last_updated_timestamp": 1732782425694}  # fmt: skip
    (tmp_path / "talk.json").write_text(json.dumps(talk))
    convert(tmp_path / "talk.json", "sage", "-o", tmp_path / "out")
    (id,) = ids_in(tmp_path / "out")
    assert len(id) == 36


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sage", "--id", "a/b"], "cannot be the id of a session"),
        (["muse", "--id", "x"], "only sessions have an id of your choice"),
        (["sage", "--id", "x"], "2 conversations"),
    ],
)
def test_wrong_ids_are_refused(tmp_path: Path, arguments: list[str], words: str) -> None:
    reported = convert(DEMO / "muse.json", *arguments, "-o", tmp_path / "out", code=2)
    assert words in reported
    assert not (tmp_path / "out").exists()
