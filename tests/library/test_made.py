"""The made histories contain what their truth says."""

from __future__ import annotations

import json
from pathlib import Path

from msgspec.structs import astuple

from talktree import api
from tests.library import made
from tests.library.made import Tokens


def test_a_history_holds_what_its_table_says(tmp_path: Path) -> None:
    truth = made.history(tmp_path)
    assert len(truth.files) == 8
    assert len(truth.sessions) == 5
    assert truth.tokens == Tokens(16, 160, 1600, 16000)
    assert truth.by("model") == {
        made.MODEL: Tokens(10, 100, 1000, 10000),
        made.OTHER_MODEL: Tokens(6, 60, 600, 6000),
    }
    assert truth.by("day") == {
        "2026-03-02": Tokens(10, 100, 1000, 10000),
        "2026-03-05": Tokens(6, 60, 600, 6000),
    }
    assert truth.calls == {"Read": 1, "Bash": 2, "Edit": 1, "TodoWrite": 1, "Grep": 1, "Write": 1}
    assert +truth.failures == {"Bash": 1}


def test_the_files_are_what_the_truth_counts(tmp_path: Path) -> None:
    truth = made.history(tmp_path)
    lines = [json.loads(line) for path in truth.files for line in path.read_bytes().splitlines()]
    assert len(lines) == truth.lines
    said = {line["uuid"] for line in lines if line["type"] in ("user", "assistant", "system")}
    assert said == set(truth.said)
    ids = {line["message"]["id"] for line in lines if line["type"] == "assistant"}
    assert {id for id in ids if id.startswith("msg_")} == set(truth.spent)


def test_the_sessions_are_recognised(tmp_path: Path) -> None:
    for path in made.history(tmp_path).files:
        assert api.detect(path).format.info.slug == "claude-code"


def test_other_formats_hold_what_is_said_of_them(tmp_path: Path) -> None:
    sources = made.others(tmp_path / "others")
    made.history(tmp_path / "claude")
    everything = [path for path in tmp_path.rglob("*") if path.is_file()]
    for other in sources:
        document = api.read(other.path)
        assert document.format == other.slug
        assert len(document.conversations) == other.conversations
        messages = [message for talk in document.conversations for message in talk.messages()]
        assert len(messages) == other.messages
        assert any(other.word in repr(astuple(message)).lower() for message in messages)
        elsewhere = (one for one in everything if other.path not in (one, *one.parents))
        assert not any(other.word.encode() in one.read_bytes().lower() for one in elsewhere)
        assert sum((m.usage.output for m in messages if m.usage), 0) >= other.tokens.output
