"""What the design of Sage's chat history states about working in a session, on the command line.

A row of `sage.toml` reads files; these are the statements about recording, undo and branches.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.documents.command_line import command

SESSION = Path(".sage/sessions/session-123")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with the session of the document."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("TALKTREE_SESSIONS", raising=False)
    session("new", "--id", "session-123", "--title", "Weather")
    return work


def session(*words: str) -> str:
    """Run `talktree session …`, which must end with code 0, and return what it printed."""
    done = command("session", *words)
    assert done.code == 0, done
    return done.out.strip()


def lines(name: str = "messages.jsonl") -> list[dict[str, Any]]:
    """The records of a file of the session."""
    return [json.loads(line) for line in (SESSION / name).read_text().splitlines()]


def write(path: str, text: str) -> None:
    """Let a tool write a file, as a step of the session."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    session("step", "--", "sh", "-c", f"printf %s '{text}' > {path}")


def test_a_session_has_the_layout_of_the_document() -> None:
    session("append", "--role", "user", "Create a weather website")
    write("index.html", "one")
    names = {each.name for each in SESSION.iterdir()}
    assert names >= {"messages.jsonl", "snapshots.jsonl", "metadata.json", "backups"}
    assert json.loads((SESSION / "metadata.json").read_text())["id"] == "session-123"
    assert {line["sessionId"] for line in lines()} == {"session-123"}
    assert command("check", ".sage").out.startswith("no findings")


def test_each_message_captures_its_context() -> None:
    """Current working directory, git branch state, platform info, user type."""
    subprocess.run(["git", "init", "-q", "-b", "topic"], check=True)
    session("append", "--role", "user", "Create a weather website")
    (line,) = lines()
    context = line["context"]
    assert context["cwd"] == str(Path.cwd())
    assert context["gitBranch"] == "topic"
    assert context["platform"] in {"linux", "macos", "windows"}
    assert context["userType"] in {"external", "internal"}
    assert line["version"]


def test_phrases_activate_thinking() -> None:
    """Trigger-based activation."""
    for text in ("Please think hard", "Please ultrathink", "Please go on"):
        session("append", "--role", "user", text)
    said = [line.get("thinkingMetadata") for line in lines()]
    assert said[0] == {"level": "medium", "disabled": False, "triggers": ["think hard"]}
    assert said[1] == {"level": "high", "disabled": False, "triggers": ["ultrathink"]}
    assert not said[2] or said[2]["triggers"] == []


def test_snapshots_track_files_by_message_and_hash() -> None:
    """Track file changes per tool execution; store backups; content hashing for verification."""
    session("append", "--role", "user", "Create a weather website")
    write("style.css", "blue")
    write("style.css", "green")
    first, second = [each for each in lines("snapshots.jsonl") if each["snapshot"]["trackedFiles"]]
    ids = {line["uuid"] for line in lines()}
    assert {first["messageId"], second["messageId"]} <= ids
    tracked = first["snapshot"]["trackedFiles"]["style.css"]
    assert tracked["state"] == "created"
    assert tracked["originalContent"] is None
    assert tracked["contentHash"] == hashlib.sha256(b"blue").hexdigest()
    kept = second["snapshot"]["fileBackups"]["style.css"]
    assert kept["originalHash"] == hashlib.sha256(b"blue").hexdigest()
    (backup,) = [
        each
        for each in (SESSION / "backups").iterdir()
        if each.name.startswith(kept["originalHash"])
    ]
    assert backup.read_bytes() == b"blue"
    assert command("check", ".sage").code == 0
    backup.chmod(0o600)
    backup.write_bytes(b"pink")
    said = command("check", ".sage")
    assert said.code == 1
    assert "SAG502" in said.out


def test_undo_leads_to_any_message_and_redo_back() -> None:
    """Undo to specific message point; file-level undo; state restoration on undo."""
    first = session("append", "--role", "user", "--todo", "Create HTML file", "Go on")
    write("index.html", "one")
    second = session("append", "--role", "user", "--todo", "[x] Create HTML file", "More")
    write("index.html", "two")
    write("style.css", "blue")
    before = (SESSION / "messages.jsonl").read_bytes()
    session("undo", "--to", second, "--yes")
    assert Path("index.html").read_text() == "one"
    assert not Path("style.css").exists()
    session("undo", "--to", first, "--yes")
    assert not Path("index.html").exists()
    (todo,) = json.loads(session("todos", "--json"))["todos"]
    assert (todo["content"], todo["status"]) == ("Create HTML file", "pending")
    session("redo", "--yes")
    session("redo", "--yes")
    assert Path("index.html").read_text() == "two"
    assert Path("style.css").read_text() == "blue"
    (todo,) = json.loads(session("todos", "--json"))["todos"]
    assert todo["status"] == "completed"
    assert (SESSION / "messages.jsonl").read_bytes() == before, "moves are no messages"


def test_one_file_is_undone_alone() -> None:
    """Enable file-level undo."""
    session("append", "--role", "user", "Go on")
    write("a.txt", "a")
    write("b.txt", "b")
    session("undo", "--file", "a.txt", "--yes")
    assert not Path("a.txt").exists()
    assert Path("b.txt").read_text() == "b"


def test_messages_after_an_undo_are_a_branch() -> None:
    """Conversation branching; message tree visualization."""
    first = session("append", "--role", "user", "Create a weather website")
    html = session("append", "--role", "assistant", "In HTML.")
    session("undo", "--to", first, "--yes")
    react = session("append", "--role", "assistant", "In React.")
    assert [line["parentUuid"] for line in lines()] == [None, first, first]
    said = json.loads(command("tree", "--json", ".sage").out)["conversations"][0]
    assert {each["leaf"] for each in said["branches"]} == {html, react}
    session("switch", html, "--yes")
    shown = session("show")
    assert "In HTML." in shown
    assert "In React." not in shown


def test_todos_are_reported_at_each_message() -> None:
    """Each message stores current todo state; progress visualization."""
    first = session("append", "--role", "user", "--todo", "Create HTML file", "Go on")
    session("append", "--role", "assistant", "--todo", "[x] Create HTML file", "Done")
    at = json.loads(session("todos", "--at", first, "--json"))["todos"]
    assert [each["status"] for each in at] == ["pending"]
    now = json.loads(session("todos", "--json"))["todos"]
    assert [each["status"] for each in now] == ["completed"]
    assert [each["status"] for line in lines() for each in line["todos"]] == [
        "pending",
        "completed",
    ]
    assert "Create HTML file" in session("todos", "--progress")
