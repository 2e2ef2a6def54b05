"""Deleted messages are rows of the tables, flagged and without their texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyarrow import csv  # type: ignore[import-untyped]

from talktree.cli.main import run
from talktree.library.library import Library

GONE, META, FILE = "Wrong window, sorry", "Caveat: generated while offline", "/secret/plan.txt"


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    """Return a session with hidden messages, one of them with a call, and a deleted comment."""
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    call = {"type": "tool_use", "id": "c1", "name": "Read", "input": {"file_path": FILE}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "the plan is 7"}
    said: list[tuple[str, str, Any, dict[str, Any]]] = [
        ("u1", "user", "Hello", {}),
        ("u2", "user", META, {"isMeta": True}),
        ("u3", "assistant", [{"type": "text", "text": META}, call], {"isMeta": True}),
        ("u4", "user", [result], {}),
        ("u5", "user", "Goodbye", {}),
    ]
    lines = [
        {"type": role, "uuid": id, "parentUuid": said[at - 1][0] if at else None}
        | {"timestamp": f"2025-01-27T10:00:0{at}Z", "sessionId": "s", "cwd": "/w"}
        | {"version": "2.0.0", "message": {"role": role, "content": content}}
        | more
        for at, (id, role, content, more) in enumerate(said)
    ]
    talks = tmp_path / "talks"
    talks.mkdir()
    (talks / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    comment = {"userId": "mara", "type": "user", "timestamp": 1741000000001, "contentHash": "0"}
    comment |= {"id": "2", "content": GONE, "deleted": True, "attachments": [], "children": []}
    first = comment | {"id": "1", "content": "Hi", "deleted": False, "children": [comment]}
    (talks / "t.json").write_text(json.dumps([first]))
    with Library.open(write=True) as opened:
        opened.import_([talks])
        yield opened


def rows(library: Library, name: str, **asked: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = library.table(name, **asked).read_all().to_pylist()
    return found


def test_rows_of_deleted_messages_have_no_text(library: Library) -> None:
    found = rows(library, "messages")
    assert [row["text"] for row in found] == ["Hello", "", "", "", "Goodbye", "Hi", ""]
    assert [row["hidden"] for row in found] == [None, "meta", "meta", None, None, None, "deleted"]
    assert [row["calls"] for row in found] == [0, 0, 1, 0, 0, 0, 0]
    every = rows(library, "messages", include_deleted=True)
    assert [row["text"] for row in every] == ["Hello", META, META, "", "Goodbye", "Hi", GONE]
    assert [row["hidden"] for row in every] == [row["hidden"] for row in found]


def test_calls_and_files_of_deleted_messages_have_no_text(library: Library) -> None:
    [call] = rows(library, "calls")
    assert (call["tool"], call["input"], call["output"]) == ("Read", "", "")
    assert (call["state"], call["hidden"]) == ("ok", "meta")
    [every] = rows(library, "calls", include_deleted=True)
    assert (json.loads(every["input"]), every["output"]) == ({"file_path": FILE}, "the plan is 7")
    [file] = rows(library, "files")
    assert (file["path"], file["hidden"]) == ("", "meta")
    assert rows(library, "files", include_deleted=True)[0]["path"] == FILE


def test_the_command_line_exports_texts_of_deleted_messages_on_request(
    library: Library, tmp_path: Path
) -> None:
    library.close()
    plain, whole = tmp_path / "plain.csv", tmp_path / "whole.csv"
    assert run(["export", "messages", "-o", str(plain)]) == 0
    assert run(["export", "messages", "-o", str(whole), "--include-deleted"]) == 0
    assert GONE not in plain.read_text()
    assert META not in plain.read_text()
    assert GONE in whole.read_text()
    assert csv.read_csv(plain).num_rows == csv.read_csv(whole).num_rows == 7


def test_search_marks_deleted_messages(
    library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [(hit.excerpt, hit.deleted) for hit in library.search("window")] == [(GONE, True)]
    assert [hit.excerpt for hit in library.search("is:deleted")] == [GONE]
    assert not any(hit.deleted for hit in library.search("hello OR goodbye"))
    library.close()
    assert run(["search", "window"]) == 0
    assert "deleted" in capsys.readouterr().out.splitlines()[0]
