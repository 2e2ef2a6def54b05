"""The active thread of a conversation survives conversion to formats that can name it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agreement import surfaces
from tests.agreement.populations import MADE, claude_line, muse_dump, write_lines
from tests.agreement.test_folders import talktree_command

LINES = ("threads", "compacted", "cut-off", "unlinked", "copied", "silent")
"""Claude Code files of one conversation."""


def native(source: Path, *options: str) -> Path:
    """Return a native dump of a file."""
    target = source.with_suffix(".native.jsonl")
    code, _, errors = talktree_command("convert", source, "-t", "native", "-o", target, *options)
    assert code == 0, errors
    return target


@pytest.mark.parametrize("options", [(), ("--clean",)])
@pytest.mark.parametrize("name", LINES)
def test_a_dump_opens_where_its_source_does(
    name: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    source = MADE[name](tmp_path)
    said = [next(iter(surfaces.show(path).values())) for path in (source, native(source, *options))]
    assert said[0]["main line"] == said[1]["main line"]
    for count in ("messages", "threads", "branches"):
        assert said[0][count] == said[1][count]


def test_messages_recorded_twice_are_one_branch_in_a_dump(tmp_path: Path) -> None:
    source = tmp_path / "replayed.jsonl"
    lines = [
        claude_line("a", None, "user", "first", 0),
        claude_line("b", "a", "user", "second", 1),
        claude_line("c", "a", "user", "second", 1),
        claude_line("d", "c", "assistant", "answer", 2),
    ]
    write_lines(source, lines)
    branches = [
        facts["branches"]
        for path in (source, native(source))
        for facts in surfaces.show(path).values()
    ]
    assert branches == [1, 1]


def test_a_dump_goes_on_in_the_thread_written_in_last(tmp_path: Path) -> None:
    source = native(MADE["threads"](tmp_path))
    with source.open("a") as file:
        reply = {"id": "a4", "parent": "a3", "role": "user", "parts": []}
        file.write(json.dumps({"message": reply}) + "\n")
    (facts,) = surfaces.show(source).values()
    assert facts["main line"] == ["a0", "a1", "a2", "a3", "a4"]


def test_each_conversation_of_a_file_is_read_in_its_own_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    lines = native(MADE["threads"](tmp_path)).read_bytes()
    own = lines.replace(b'"threads"', b'"own"').replace(b',"tree":["latest","replays","walk"]', b"")
    both = tmp_path / "both.jsonl"
    both.write_bytes(lines + own)
    found = {id: facts["main line"] for id, facts in surfaces.show(both).items()}
    assert found == {"threads": ["b0"], "own": ["a0", "a1", "a2", "a3"]}
    assert talktree_command("import", both)[0] == 0
    hits = surfaces.command("search", "--json", "is:abandoned")["hits"]
    assert len(hits) == 4 + 1


def test_a_dump_of_another_format_says_nothing_of_its_tree(tmp_path: Path) -> None:
    source = tmp_path / "muse.json"
    source.write_bytes(muse_dump(1))
    assert b'"tree"' not in native(source).read_bytes()
