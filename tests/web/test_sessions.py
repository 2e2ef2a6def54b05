"""Moves of sessions through the API: the plan of the command line, executed only as shown."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from talktree.model.parts import ToolCall
from talktree.session.store import Store
from tests.web.running import running
from tests.web.working import bytes_of, cid_of, copied, document_of, refused

HISTORY = Path(__file__).parents[1] / "data" / "claude-history"
CLAUDE = "projects/-work/0f1e2d3c-0000-4000-8000-0000000000aa.jsonl"


def recorded(root: Path) -> Path:
    """Record a session with two steps that changed files; return its folder."""
    work = root / "work"
    work.mkdir(parents=True)
    (work / "notes.txt").write_text("one\n")
    with Store(root / ".sage").create(workspace=work, title="Tides") as session:
        for number, text in enumerate(("two\n", "three\n")):
            session.user(f"Make it {text}")
            session.assistant("I do it.", calls=[ToolCall("bash", {"command": "x"}, f"c{number}")])
            with session.step(paths=["notes.txt", "new.txt"]):
                (work / "notes.txt").write_text(text)
                (work / "new.txt").write_text(f"new {number}\n")
        return root / ".sage" / "sessions" / session.id


def plan_of_cli(*arguments: str) -> Any:
    call = [sys.executable, "-m", "talktree.cli.main", "session", *arguments, "--dry-run", "--json"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_undo_and_redo_are_those_of_the_command_line(tmp_path: Path) -> None:
    folder = recorded(tmp_path)
    work = tmp_path / "work"
    with running([folder]) as found:
        cid = cid_of(found, folder)
        session = found.get(f"/c/{cid}/session")
        assert (session["kind"], session["workspace"]) == ("own", str(work))
        assert (session["can_undo"], session["can_redo"]) == (True, False)
        assert [each["kind"] for each in session["operations"]].count("step") == 2
        before = bytes_of(tmp_path)
        plan = found.post(f"/c/{cid}/session/plan", {"verb": "undo"})
        reported = plan_of_cli("undo", str(folder))
        assert plan["digest"] == reported["digest"]
        assert [each["path"] for each in plan["steps"]] == [
            each["path"] for each in reported["plan"]
        ]
        assert plan["conflicts"] == 0
        assert bytes_of(work) == {
            name.removeprefix("work/"): data
            for name, data in before.items()
            if name.startswith("work/")
        }
        travel = {"verb": "undo"}
        refused(found, f"/c/{cid}/session/apply", {"travel": travel, "digest": "0" * 64}, 409)
        assert (work / "notes.txt").read_text() == "three\n"
        messages = len(list(document_of(found, cid).conversations[0].messages()))
        done = found.post(f"/c/{cid}/session/apply", {"travel": travel, "digest": plan["digest"]})
        assert (work / "notes.txt").read_text() == "two\n"
        assert done["done"] == len(plan["steps"])
        after = list(document_of(found, cid).conversations[0].messages())
        assert len(after) == messages, "an undo is not a message"
        assert done["leaf"] in [message.id for message in after[:-1]]
        session = found.get(f"/c/{cid}/session")
        assert (session["can_redo"], session["leaf"]) == (True, done["leaf"])
        plan = found.post(f"/c/{cid}/session/plan", {"verb": "redo"})
        assert plan["digest"] == plan_of_cli("redo", str(folder))["digest"]
        travel = {"verb": "redo"}
        found.post(f"/c/{cid}/session/apply", {"travel": travel, "digest": plan["digest"]})
        assert (work / "notes.txt").read_text() == "three\n"


def test_a_restore_of_files_alone_and_of_the_talk_alone(tmp_path: Path) -> None:
    folder = recorded(tmp_path)
    work = tmp_path / "work"
    with running([folder]) as found:
        cid = cid_of(found, folder)
        first = next(document_of(found, cid).conversations[0].messages()).id
        for what, scope in (("files", "files"), ("chat", "conversation,todos")):
            travel = {"verb": "restore", "to": first, "what": what}
            plan = found.post(f"/c/{cid}/session/plan", travel)
            reported = plan_of_cli("restore", str(folder), "--to", first, "--scope", scope)
            assert plan["digest"] == reported["digest"]
            assert bool(plan["steps"]) == (what == "files")
        travel = {"verb": "restore", "to": first, "what": "files"}
        plan = found.post(f"/c/{cid}/session/plan", travel)
        assert "stays" in plan["chat"]
        assert any(step["html"] for step in plan["steps"])
        found.post(f"/c/{cid}/session/apply", {"travel": travel, "digest": plan["digest"]})
        assert bytes_of(work) == {"notes.txt": b"one\n"}


@pytest.mark.parametrize("choice", ["keep", "theirs", "both"])
def test_conflicts_are_settled_by_choices(tmp_path: Path, choice: str) -> None:
    folder = recorded(tmp_path)
    work = tmp_path / "work"
    (work / "notes.txt").write_text("somebody else's\n")
    with running([folder]) as found:
        cid = cid_of(found, folder)
        plan = found.post(f"/c/{cid}/session/plan", {"verb": "undo"})
        (step,) = (each for each in plan["steps"] if each["conflict"])
        assert (plan["conflicts"], step["path"], choice in step["choices"]) == (
            1,
            "notes.txt",
            True,
        )
        travel = {"verb": "undo", "choices": {"notes.txt": choice}}
        chosen = found.post(f"/c/{cid}/session/plan", travel)
        assert chosen["conflicts"] == 0
        reported = plan_of_cli("undo", str(folder), f"--{choice}", str(work / "notes.txt"))
        assert chosen["digest"] == reported["digest"]
        refused(found, f"/c/{cid}/session/apply", {"travel": travel, "digest": plan["digest"]}, 409)
        found.post(f"/c/{cid}/session/apply", {"travel": travel, "digest": chosen["digest"]})
    texts = {path.read_text() for path in work.glob("notes*")}
    mine, theirs = "somebody else's\n", "two\n"
    assert texts == {"keep": {mine}, "theirs": {theirs}, "both": {mine, theirs}}[choice]


def test_files_of_claude_code_go_into_a_folder(tmp_path: Path) -> None:
    shutil.copytree(HISTORY, tmp_path / "claude")
    path, into = tmp_path / "claude" / CLAUDE, tmp_path / "into"
    with running([path]) as found:
        cid = cid_of(found, path)
        session = found.get(f"/c/{cid}/session")
        assert session["kind"] == "claude-code"
        assert session["operations"]
        point = session["operations"][0]["message"]
        travel = {"verb": "restore", "to": point, "what": "files", "into": str(into)}
        plan = found.post(f"/c/{cid}/session/plan", travel)
        reported = plan_of_cli("restore", str(path), "--to", point, "--into", str(into))
        assert plan["digest"] == reported["digest"]
        assert not into.exists()
        before = bytes_of(tmp_path / "claude")
        done = found.post(f"/c/{cid}/session/apply", {"travel": travel, "digest": plan["digest"]})
        assert done["done"] >= len(bytes_of(into)) > 0
        assert bytes_of(tmp_path / "claude") == before
        for verb in ({"verb": "undo"}, {"verb": "restore", "to": point, "what": "chat"}):
            refused(found, f"/c/{cid}/session/plan", verb, 400)
        refused(found, f"/c/{cid}/session/plan", {**travel, "into": "relative"}, 400)
        refused(found, f"/c/{cid}/session/plan", {"verb": "restore"}, 400)
        own = found.post(f"/c/{cid}/session/plan", {"verb": "restore", "to": point})
        assert own["steps"]
        assert not Path(session["workspace"]).exists()


def test_a_conversation_that_is_not_a_session_is_reported(tmp_path: Path) -> None:
    path = copied("native", tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        assert found.client.get(f"/api/v1/c/{cid}/session").status_code == 400
        refused(found, f"/c/{cid}/session/plan", {"verb": "undo"}, 400)


def test_a_read_only_studio_plans_and_changes_nothing(tmp_path: Path) -> None:
    folder = recorded(tmp_path)
    before = bytes_of(tmp_path)
    with running([folder], read_only=True) as found:
        cid = cid_of(found, folder)
        plan = found.post(f"/c/{cid}/session/plan", {"verb": "undo"})
        body = {"travel": {"verb": "undo"}, "digest": plan["digest"]}
        refused(found, f"/c/{cid}/session/apply", body, 403)
    after = bytes_of(tmp_path)
    cache = {name for name in after.keys() ^ before.keys() if "/cache/" not in name}
    assert cache == set()
    assert all(after[name] == data for name, data in before.items() if "/cache/" not in name)
