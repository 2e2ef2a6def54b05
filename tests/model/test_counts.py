"""The numbers of a conversation, counted by hand."""

from __future__ import annotations

import re
from pathlib import Path

from talktree.model.counts import count_conversation
from talktree.model.message import SIDECHAIN
from talktree.model.parts import ToolCall, ToolResult
from tests.talk import call, reply, result, said, talk

SOURCE = Path(__file__).parent.parent.parent / "src" / "talktree"
ASIDE = frozenset({SIDECHAIN})


def test_forks_threads_and_sidechains() -> None:
    found = talk(
        [
            said("a"),
            reply("b", "a"),
            said("c", "b"),
            said("d", "b"),
            call("e", "d", ToolCall("Task", id="t")),
            said("s", "e", flags=ASIDE),
            reply("r", "s", flags=ASIDE),
            result("f", "e", ToolResult(call="t")),
            said("z"),
        ]
    )
    counts = count_conversation(found)
    assert (len(found), counts.messages, counts.records) == (9, 9, 9)
    assert (counts.threads, counts.branches, counts.sidechains) == (2, 3, 1)
    assert sum(counts.roles.values()) == 9
    assert counts == found.counts


def test_a_missing_parent_is_inferred_before_branches_are_counted() -> None:
    found = talk([said("a"), reply("b", "a"), said("c", "gone"), reply("d", "c")])
    assert len(found.branches()) == 2
    assert (found.counts.threads, found.counts.branches) == (1, 1)


def test_a_conversation_of_nothing() -> None:
    found = talk([])
    counts = found.counts
    assert (len(found), counts.threads, counts.branches, counts.first_ns) == (0, 0, 0, None)
    assert found


def test_records_are_not_counted_by_len() -> None:
    """`len` counts messages; a loop over records that uses it would stop too early."""
    wrong = re.compile(r"\blen\((?:\w+\.)*(?:conversation|talk)\)")
    found = [
        f"{path.relative_to(SOURCE)}: {line.strip()}"
        for path in SOURCE.rglob("*.py")
        for line in path.read_text().splitlines()
        if wrong.search(line)
    ]
    assert sorted(found) == [
        "model/counts.py: messages=len(conversation),",
    ]
