"""Files: when they were worked on, and their contents as far as they were recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.web.running import Running, running


class Work:
    """A session in which files are written and edited."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.last: str | None = None

    def add(self, type: str, content: Any, parent: str | None = "", **more: Any) -> str:
        """Add a line; return its id."""
        id = f"{len(self.lines):04d}"
        role = {"role": type, "content": content}
        line = {
            "type": type,
            "uuid": id,
            "parentUuid": self.last if parent == "" else parent,
            "sessionId": "s",
            "cwd": "/shop",
            "timestamp": f"2026-01-01T00:00:{len(self.lines):02d}Z",
            "message": role if type == "user" else {**role, "id": f"m{id}", "model": "x"},
            **more,
        }
        self.lines.append(json.dumps(line))
        self.last = id
        return id

    def call(self, tool: str, error: bool = False, detail: Any = None, **given: Any) -> str:
        """Add a call and its result; return the id of the call's message."""
        use = f"t{len(self.lines)}"
        id = self.add("assistant", [{"type": "tool_use", "id": use, "name": tool, "input": given}])
        result = {"type": "tool_result", "tool_use_id": use, "content": "ok", "is_error": error}
        self.add("user", [result], **({} if detail is None else {"toolUseResult": detail}))
        return id

    def write(self, path: Path) -> Path:
        """Write the file."""
        path.write_text("\n".join(self.lines) + "\n")
        return path


def test_written_and_edited_files_are_known(tmp_path: Path) -> None:
    work = Work()
    work.add("user", "make a list")
    made = work.call("Write", file_path="/shop/list.txt", content="eggs\nmilk\n")
    changed = work.call(
        "Edit", file_path="/shop/list.txt", old_string="milk", new_string="oat milk"
    )
    work.call("Edit", error=True, file_path="/shop/list.txt", old_string="eggs", new_string="ham")
    with running([work.write(tmp_path / "work.jsonl")]) as studio:
        (file,) = studio.get("/c/1/files")["files"]
        assert (file["path"], file["kind"], file["known"]) == ("list.txt", "created", True)
        assert [each["message"] for each in file["touches"]] == [made, changed]
        assert [(each["added"], each["removed"]) for each in file["touches"]] == [(2, 0), (1, 1)]
        rows = {row["id"]: row for row in studio.get("/c/1/rows")["rows"]}
        assert (rows[made]["files"], rows[changed]["files"]) == (1, 1)
        whole = studio.get("/c/1/files/diff", path="list.txt", since=made)
        assert (whole["state"], whole["added"], whole["removed"]) == ("text", 1, 1)
        assert studio.get("/c/1/files/diff", path="list.txt", since=changed)["state"] == "same"


def test_branches_have_files_of_their_own(tmp_path: Path) -> None:
    work = Work()
    work.add("user", "make a list")
    made = work.call("Write", file_path="/shop/list.txt", content="eggs\n")
    fork = work.last
    work.add("user", "with bread")
    left = work.call("Edit", file_path="/shop/list.txt", old_string="eggs", new_string="bread")
    work.add("user", "with cheese", parent=fork)
    right = work.call("Edit", file_path="/shop/list.txt", old_string="eggs", new_string="cheese")
    with running([work.write(tmp_path / "work.jsonl")]) as studio:
        reported = studio.get("/c/1/files/diff", path="list.txt", since=left, until=right)
        assert "bread" in reported["html"]
        assert "cheese" in reported["html"]
        assert studio.get("/c/1/files/diff", path="list.txt", since=made, until=left)["added"] == 1


def test_unknown_parts_of_a_file_are_noted(tmp_path: Path) -> None:
    work = Work()
    work.add("user", "change it")
    work.call("Edit", file_path="/shop/old.txt", old_string="one", new_string="two")
    with running([work.write(tmp_path / "work.jsonl")]) as studio:
        reported = studio.get("/c/1/files/diff", path="old.txt")
        assert reported["state"] == "text"
        assert "only the parts" in reported["note"]


def test_file_contents_in_a_result_are_used(tmp_path: Path) -> None:
    work = Work()
    work.add("user", "change it")
    edit: dict[str, Any] = {"file_path": "/shop/old.txt", "old_string": "one", "new_string": "two"}
    work.call("Edit", detail={"originalFile": "one\nmore\n"}, **edit)
    with running([work.write(tmp_path / "work.jsonl")]) as studio:
        reported = studio.get("/c/1/files/diff", path="old.txt", mode="split")
        assert (reported["state"], reported["note"], reported["added"], reported["removed"]) == (
            "text",
            "",
            1,
            1,
        )


def test_snapshots_show_the_state_before(seen: Running) -> None:
    card = next(c for c in seen.get("/conversations")["cards"] if c["format"] == "sage")
    base = f"/c/{card['cid']}"
    (file,) = [f for f in seen.get(f"{base}/files")["files"] if f["path"].endswith("timetable.csv")]
    changes = [each for each in file["touches"] if each["kind"] == "modified"]
    assert len(changes) == 2
    reported = seen.get(f"{base}/files/diff", path=file["path"], until=changes[0]["message"])
    assert reported["state"] == "text"
    assert reported["added"] > 0
