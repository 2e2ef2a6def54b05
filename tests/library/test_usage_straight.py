"""Tokens counted directly from files: each reply once, with its highest numbers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.library.extract import claude_usage
from talktree.library.stats import from_files
from talktree.library.stats.from_files import ReplyTokens, total_usage
from tests.library import made
from tests.library.reading_sessions import Line, broken_sessions, encoded, sessions

TOKENS = {
    "input_tokens": 1,
    "output_tokens": 10,
    "cache_creation_input_tokens": 100,
    "cache_read_input_tokens": 1000,
}


def reply(
    output: int = 10, *, id: str | None = "m", request: str | None = "r", **more: Any
) -> Line:
    """Return a line that reports a reply."""
    message = {"id": id, "model": "claude-opus-4", "usage": {**TOKENS, "output_tokens": output}}
    return {
        "type": "assistant",
        "timestamp": "2026-03-02T09:00:00.000Z",
        "requestId": request,
        "message": message,
        **more,
    }


def counted(folder: Path, *files: list[Line]) -> ReplyTokens:
    """Return the cost of files with these lines."""
    paths = [folder / f"{number}.jsonl" for number, _ in enumerate(files)]
    for path, lines in zip(paths, files, strict=True):
        path.write_bytes(b"".join(map(encoded, lines)))
    return total_usage(paths).total


def test_a_history_costs_what_was_spent(tmp_path: Path) -> None:
    truth = made.history(tmp_path)
    found = total_usage(truth.files)
    spent = truth.tokens
    assert found.total == ReplyTokens(
        16, spent.input, spent.output, spent.cache_write, spent.cache_read
    )
    for name, of_truth in (("model", "model"), ("day", "day"), ("project", "cwd")):
        by = {key: spent.output for (key,), spent in found.group_by(name).items()}
        assert by == {key: spent.output for key, spent in truth.by(of_truth).items()}
    assert sum(each.replies for each in found.group_by("session", "day").values()) == 16


def test_several_processes_count_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    truth = made.history(tmp_path)
    alone = total_usage(truth.files, processes=1)
    monkeypatch.setattr(from_files, "BATCH", 1000)
    monkeypatch.setattr(from_files, "WORTHWHILE", 0)
    monkeypatch.setattr(claude_usage, "BLOCK", 777)
    assert total_usage(truth.files, processes=2).total == alone.total
    assert total_usage(truth.files, processes=2).group_by("day", "model") == alone.group_by(
        "day", "model"
    )


def test_the_record_with_the_most_tokens_counts(tmp_path: Path) -> None:
    assert counted(tmp_path, [reply(10), reply(30), reply(20)]).output == 30
    assert counted(tmp_path, [reply(10)], [reply(30)]) == ReplyTokens(1, 1, 30, 100, 1000)


def test_of_equal_records_the_first_counts(tmp_path: Path) -> None:
    later = reply(timestamp="2026-03-05T23:00:00-02:00")
    (tmp_path / "b").write_bytes(encoded(later))
    (tmp_path / "a").write_bytes(encoded(reply()))
    assert list(total_usage([tmp_path / "b", tmp_path / "a"]).group_by("day")) == [("2026-03-02",)]
    assert list(total_usage([tmp_path / "b"]).group_by("day")) == [("2026-03-06",)]


def test_a_reply_is_known_by_its_api_message_or_else_by_its_request(tmp_path: Path) -> None:
    assert counted(tmp_path, [reply(), reply(request="s"), reply(request=None)]).replies == 1
    assert counted(tmp_path, [reply(id="a"), reply(id="b")]).replies == 2
    assert counted(tmp_path, [reply(id=None), reply(id=None)]).replies == 1
    assert counted(tmp_path, [reply(id=None), reply(id=None, request="s")]).replies == 2
    nameless = reply(id=None, request=None)
    assert counted(tmp_path, [nameless, nameless]).replies == 2


def test_messages_repeated_by_a_sub_agent_count_once(tmp_path: Path) -> None:
    side = reply(30, request="s", isSidechain=True)
    assert counted(tmp_path, [side], [reply(10)]).output == 10
    assert counted(tmp_path, [side, reply(20, isSidechain=True)]) == ReplyTokens(
        1, 1, 30, 100, 1000
    )
    progress = {"type": "progress", "data": {"message": reply(id="p")}}
    assert counted(tmp_path, [progress, reply(40, id="p")]) == ReplyTokens(1, 1, 40, 100, 1000)


def test_long_lived_cache_tokens_are_part_of_cache_writes(tmp_path: Path) -> None:
    line = reply()
    line["message"]["usage"]["cache_creation"] = {
        "ephemeral_5m_input_tokens": 5,
        "ephemeral_1h_input_tokens": 6,
    }
    assert counted(tmp_path, [line]).cache_write == 11


@pytest.mark.parametrize(
    "odd",
    [
        reply(timestamp=None),
        reply(timestamp="yesterday"),
        reply(message={"usage": {"input_tokens": 1}}),
        reply(message={"usage": {**TOKENS, "output_tokens": -1}}),
        reply(message={"usage": {**TOKENS, "output_tokens": 1.5}}),
        {"type": "user", "toolUseResult": {"usage": TOKENS}},
    ],
)
def test_lines_that_are_not_replies_cost_nothing(tmp_path: Path, odd: Line) -> None:
    assert counted(tmp_path, [odd]) == ReplyTokens()


def test_files_that_cannot_be_read_cost_themselves(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.jsonl"
    with open(path, "wb") as file:
        file.write(encoded(reply()).rstrip(b"\n"))
    assert total_usage([path, tmp_path / "absent", tmp_path]).total.replies == 1


@given(st.binary(max_size=300) | sessions | broken_sessions)
def test_any_bytes_are_counted(data: bytes) -> None:
    books = claude_usage.ReplyCounts()
    claude_usage._count_lines(books, data, len(data))
    assert all(count >= 0 for entry in books.entries() for count in entry[4:])
