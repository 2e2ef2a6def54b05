"""The studio's answers about what message histories record, compared with the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.library.test_message_measures import history as history
from tests.library.test_message_measures import words_of
from tests.web.running import running


def counts(words: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    return {
        each["name"]: {value["name"]: value["count"] for value in each["values"]} for each in words
    }


def test_the_studio_counts_what_the_file_has(history: Path) -> None:
    expected = words_of(history)
    with running([history]) as studio:
        usage, overview = studio.get("/c/1/usage"), studio.get("/statistics")
        rows = {row["id"]: row for row in studio.get("/c/1/rows")["rows"]}
        hits = studio.get("/search", query="topic:physics safe:no")["hits"]
        about = studio.get("/about")
        loss_report = studio.get("/c/1/ledger", to="sage-agent")
        listed = studio.get("/conversations", format="message-history")
    for reported in (usage, overview):
        words = counts(reported["words"])
        assert words.pop("uncounted_tokens") == {'{"usage":{"prompt":9}}': 1, '{"prompt":-1}': 1}
        assert words == expected
        numbers = {each["name"]: each for each in reported["numbers"]}
        assert numbers["seconds_until_finished"]["max"] == 9.5
        assert (numbers["input_tokens"]["count"], numbers["output_tokens"]["count"]) == (2, 3)
    assert (usage["totals"]["input"], usage["totals"]["output"]) == (107, 28)
    assert overview["tokens"] == usage["totals"]
    # Recorded seconds take precedence over the minute between the messages.
    assert (rows["m1"]["seconds"], rows["m3"]["seconds"], rows["m5"]["seconds"]) == (4, 60, 9.5)
    assert (rows["m1"]["tokens"]["input"], rows["m6"]["tokens"]) == (100, None)
    chips = {each["name"]: each["text"] for each in rows["m2"]["chips"]}
    assert (chips["language"], chips["safe"], chips["topic"]) == ("deutsch", "false", "Physics")
    assert [hit["message"] for hit in hits] == ["m2"]
    assert "message-history" in {name for each in about["formats"] for name in each["aliases"]}
    assert loss_report["to"] == "sage"
    assert listed["total"] == 1
