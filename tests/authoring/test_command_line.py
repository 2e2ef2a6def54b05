"""`talktree new` and `talktree edit` from the outside: files, exit codes and a naive reader."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from talktree.cli.main import run
from tests import oracle

SLUGS = tuple(oracle.READERS)
EMPTY_UNKNOWN = {"chatbuilder", "claude-messages", "claude-code"}
"""Formats in which an empty conversation cannot be detected."""
ODD = "Words with ```fences```, <marks> & “quotes”.\n\n\n; role: system\nEnd"


@pytest.mark.parametrize("slug", SLUGS)
def test_a_new_conversation_is_continued_and_valid(
    slug: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / f"c{number}" for number in range(4)]
    assert run(["new", "-t", slug, "-o", str(paths[0])]) == 0
    if slug not in EMPTY_UNKNOWN:
        assert run(["check", str(paths[0]), "--from", slug]) == 0
        assert _format(paths[0], capsys) == slug
    said = [("user", "First words"), ("assistant", ODD), ("user", "And then?")]
    above = "root"
    for number, (role, text) in enumerate(said):
        words = ["edit", str(paths[number]), "--from", slug, "--reply", above, "--role", role]
        assert run([*words, "--text", text, "-o", str(paths[number + 1]), "--json"]) == 0
        above = json.loads(capsys.readouterr().out)["operation"]["id"]
    assert run(["check", str(paths[-1])]) == 0
    assert "no findings" in capsys.readouterr().out
    assert _format(paths[-1], capsys) == slug
    shown = oracle.messages(slug, paths[-1])
    assert [(each.role, "\n".join(each.texts)) for each in shown] == said
    assert all(each.id for each in shown if slug != "chatbuilder")


def _format(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert run(["detect", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    (answer,) = [each for each in found.values() if isinstance(each, list)]
    return str(answer[0]["format"])


@pytest.mark.parametrize("slug", SLUGS)
def test_several_messages_can_be_given_together(slug: str, tmp_path: Path) -> None:
    path = tmp_path / "c"
    words = ["-m", "user:What is a hash?", "-m", "assistant: Short: a number."]
    assert run(["new", "-t", slug, "-o", str(path), *words]) == 0
    assert run(["check", str(path)]) == 0
    texts = [each.texts for each in oracle.messages(slug, path)]
    assert texts == [("What is a hash?",), ("Short: a number.",)]


def test_an_existing_output_is_replaced_only_by_force(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text("mine")
    assert run(["new", "-t", "muse", "-o", str(path)]) == 2
    assert path.read_text() == "mine"
    assert run(["new", "-t", "muse", "-o", str(path), "--force"]) == 0
    assert json.loads(path.read_text())["message_history"] == []


def test_a_file_format_goes_to_stdout_and_a_folder_does_not(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert run(["new", "-t", "conversation-studio", "-o", "-", "-m", "user:Hi"]) == 0
    (comment,) = json.loads(capsysbinary.readouterr().out)
    assert re.fullmatch(r"\d{13}-[0-9a-f]{32}", comment["id"])
    required = {"id", "userId", "timestamp", "content", "contentHash", "children", "attachments"}
    assert comment.keys() >= {*required, "type"}
    assert comment["contentHash"] == "921"
    assert run(["new", "-t", "sage", "-o", "-", "-m", "user:Hi"]) == 2


@pytest.mark.parametrize(
    "words",
    [
        ["-t", "muse", "-m", "robot:Hi"],
        ["-t", "muse", "-m", "Hi"],
        ["-t", "muse", "-m", ":Hi"],
        ["-t", "nothing"],
        ["-t", "studio", "--title", "Tea"],
        ["-t", "claude-code", "--title", " "],
    ],
)
def test_invalid_values_are_refused_and_nothing_is_written(
    words: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "c"
    assert run(["new", "-o", str(path), *words]) == (4 if "--title" in words else 2)
    assert not path.exists()


def test_a_message_file_is_as_the_document_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    text = "Look:\n\n```js\nlet a\n```"
    assert run(["new", "-t", "chat-builder", "-o", str(path), "-m", f"user:{text}"]) == 0
    head, content = (path / "1.md").read_text().split("\n\n\n", 1)
    names = [line.split(":")[0].removeprefix("; ") for line in head.split("\n")]
    assert names == [
        *["Block-UUID", "Component", "Version", "Description", "Language", "Created-at", "Authors"],
        *[";", "role"],
    ]
    assert content == "Look:\n\n\\```js\nlet a\n\\```"
    assert content.replace("\\`", "`") == text


def test_a_session_folder_is_as_the_document_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "session"
    words = ["-m", "user:Create a website", "-m", "assistant:Gladly", "--title", "Website"]
    assert run(["new", "-t", "sage", "-o", str(path), *words]) == 0
    lines = [json.loads(line) for line in (path / "messages.jsonl").read_text().splitlines()]
    metadata = json.loads((path / "metadata.json").read_text())
    for line in lines:
        context = line["context"]
        assert line["sessionId"] == metadata["id"]
        assert context["cwd"] == str(Path.cwd())
        assert context["platform"]
        assert line["version"]
        assert (line["todos"], line["isSidechain"]) == ([], False)
    assert [line["parentUuid"] for line in lines] == [None, lines[0]["uuid"]]
    assert (metadata["messageCount"], metadata["customTitle"]) == (2, "Website")
    assert metadata["updatedAt"] == lines[-1]["timestamp"]


def test_an_edit_keeps_the_metadata_of_a_session_in_step(tmp_path: Path) -> None:
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    assert run(["new", "-t", "sage", "-o", str(one), "-m", "user:Hi", "-m", "assistant:Yo"]) == 0
    last = json.loads((one / "messages.jsonl").read_text().splitlines()[-1])["uuid"]
    assert run(["edit", str(one), "--reply", last, "--text", "More", "-o", str(two)]) == 0
    assert json.loads((two / "metadata.json").read_text())["messageCount"] == 3
    assert run(["edit", str(one), "--remove", last, "-o", str(three)]) == 0
    assert json.loads((three / "metadata.json").read_text())["messageCount"] == 1
    assert run(["check", str(two), str(three)]) == 0


def test_questions_and_answers_of_a_history_share_a_request(tmp_path: Path) -> None:
    path = tmp_path / "h.json"
    words = ["-m", "user:Why?", "-m", "assistant:Because.", "-m", "user:Why?"]
    assert run(["new", "-t", "message-history", "-o", str(path), *words]) == 0
    history = json.loads(path.read_text())["message_history"]
    asked, answered, again = (each["request_id"] for each in history)
    assert asked == answered != again
    assert all(each["author"] == each["role"] for each in history)
