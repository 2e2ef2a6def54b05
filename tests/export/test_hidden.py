"""Deleted and hidden messages are exported only on request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from talktree.cli.main import run

GONE, META, ART = "Wrong window, sorry", "Caveat: generated while offline", "secret_plan = 7"
TARGETS = ("html", "md", "text", "studio", "studio-text", "claude-code", "muse", "native")


def comment(id: str, text: str, *children: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "userId": "mara",
        "type": "user",
        "timestamp": 1741000000000 + int(id),
        "content": text,
        "contentHash": "0",
        "attachments": [],
        "children": list(children),
        **more,
    }


@pytest.fixture
def studio(tmp_path: Path) -> Path:
    """Return a deleted comment with a reply, and a hidden artifact beside a visible one."""
    artifacts = [
        {"id": f"a{number}", "type": "text/x-python", "title": status, "content": content}
        | {"status": status, "command": "create"}
        for number, (status, content) in enumerate([("visible", "plan = 1"), ("hidden", ART)])
    ]
    reply = comment("3", "Which window?", comment("4", "The other.", artifacts=artifacts))
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([comment("1", "Hello", comment("2", GONE, reply, deleted=True))]))
    return path


@pytest.fixture
def messages(tmp_path: Path) -> Path:
    """Return a message that the program does not show, and a deleted one."""
    path = tmp_path / "talk.jsonl"
    said = [("u1", "Hello", {}), ("u2", META, {"isMeta": True}), ("u3", GONE, {"isDeleted": True})]
    lines = [
        {"type": "user", "uuid": uuid, "parentUuid": said[number - 1][0] if number else None}
        | {"timestamp": f"2025-01-27T10:00:0{number}Z", "sessionId": "s", "message": text}
        | more
        for number, (uuid, text, more) in enumerate([*said, ("u4", "Goodbye", {})])
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def exported(path: Path, to: str, *options: str) -> str:
    out = path.parent / f"out-{to}{'-all' if options else ''}"
    assert run(["export", str(path), "--to", to, "-o", str(out), *options]) == 0
    files = sorted(out.rglob("*")) if out.is_dir() else [out]
    return "\n".join(each.read_text() for each in files if each.is_file())


@pytest.mark.parametrize("to", TARGETS)
def test_deleted_and_hidden_things_are_left_out(
    to: str, studio: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = exported(studio, to)
    assert GONE not in text
    assert ART not in text
    assert "Which window?" in text
    assert "plan = 1" in text
    said = capsys.readouterr().err
    assert "1 deleted message, 1 hidden artifact left out" in said
    every = exported(studio, to, "--include-deleted")
    assert GONE in every
    assert ART in every
    assert "left out" not in capsys.readouterr().err


@pytest.mark.parametrize("to", TARGETS)
def test_messages_that_are_not_shown_are_left_out(
    to: str, messages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = exported(messages, to)
    assert META not in text
    assert GONE not in text
    assert "Goodbye" in text
    said = capsys.readouterr().err
    assert "1 message not shown to the user, 1 deleted message left out" in said


@pytest.mark.parametrize("to", ["html", "md", "text"])
def test_deleted_messages_are_marked_where_they_are_exported(to: str, studio: Path) -> None:
    every = exported(studio, to, "--include-deleted")
    before = every[: every.index(GONE)]
    assert "deleted" in before[before.rindex("User") :]


def test_a_page_counts_only_what_it_shows(studio: Path) -> None:
    assert "3 messages" in exported(studio, "md")


def test_omitted_content_is_counted_as_json(
    studio: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = studio.parent / "page.html"
    assert run(["export", str(studio), "-o", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["left_out"]
    assert found == {"deleted message": 1, "hidden artifact": 1}


def test_converting_keeps_what_was_deleted(studio: Path) -> None:
    there, back = studio.parent / "there.jsonl", studio.parent / "back.json"
    assert run(["convert", str(studio), "-t", "claude-code", "-o", str(there), "-q"]) == 0
    assert run(["convert", str(there), "-t", "studio", "-o", str(back), "-q"]) == 0
    assert back.read_bytes() == studio.read_bytes()
