"""Claude Code sessions of every shape, made line by line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def uid(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


SESSION = uid(0xABC)


def line(number: int, parent: int | None, role: str = "user", **members: Any) -> Line:
    """Return a line; its number is its place in time."""
    return {
        "parentUuid": None if parent is None else uid(parent),
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ana/pond",
        "sessionId": SESSION,
        "version": "2.1.29",
        "gitBranch": "main",
        "type": role,
        "uuid": uid(number),
        "timestamp": f"2026-03-04T09:{number // 60:02d}:{number % 60:02d}.000Z",
        **members,
    }


def ask(number: int, parent: int | None, text: str, **members: Any) -> Line:
    return line(number, parent, message={"role": "user", "content": text}, **members)


def say(number: int, parent: int | None, text: str, **members: Any) -> Line:
    blocks = [{"type": "text", "text": text}]
    return line(number, parent, "assistant", message=_reply(f"msg_{number}", blocks), **members)


def call(number: int, parent: int | None, tool: int, reply: str, **members: Any) -> Line:
    blocks = [
        {
            "type": "tool_use",
            "id": f"toolu_{tool}",
            "name": "Bash",
            "input": {"command": f"ls {tool}"},
        }
    ]
    return line(number, parent, "assistant", message=_reply(reply, blocks), **members)


def result(number: int, parent: int | None, tool: int, **members: Any) -> Line:
    block = {"type": "tool_result", "tool_use_id": f"toolu_{tool}", "content": f"output {tool}"}
    return line(number, parent, message={"role": "user", "content": [block]}, **members)


def note(number: int, parent: int | None, **members: Any) -> Line:
    return line(number, parent, "system", subtype="stop_hook_summary", hookCount=1, **members)


def boundary(number: int, follows: int, first_kept: int | None = None) -> Line:
    kept = {
        "headUuid": uid(first_kept or 0),
        "anchorUuid": uid(number + 1),
        "tailUuid": uid(follows),
    }
    return line(
        number,
        None,
        "system",
        subtype="compact_boundary",
        content="Conversation compacted",
        logicalParentUuid=uid(follows),
        compactMetadata={
            "trigger": "manual",
            "preTokens": 9000,
            **({"preservedSegment": kept} if first_kept else {}),
        },
    )


def summary(number: int, parent: int) -> Line:
    return ask(number, parent, f"Summary {number}", isCompactSummary=True)


def _reply(id: str | None, blocks: list[Line]) -> Line:
    known = {"id": id} if id else {}
    return {"role": "assistant", "model": "claude-sonnet-4-5", **known, "content": blocks}


def turns(first: int, last: int, parent: int | None) -> list[Line]:
    """Return questions and answers in turns, from one number to another."""
    found = []
    for number in range(first, last + 1):
        make = ask if number % 2 else say
        found.append(make(number, parent, f"text {number}"))
        parent = number
    return found


def without_parents(lines: Iterable[Line]) -> list[Line]:
    return [{key: item for key, item in each.items() if key != "parentUuid"} for each in lines]


def with_null_parents(lines: Iterable[Line]) -> list[Line]:
    return [{**each, "parentUuid": None} for each in lines]


def compacted_twice() -> list[Line]:
    """Return 33 lines, 23 of them distinct: before it compacts again, the recorder writes
    everything from before the first compaction once more, and the next line's parent is the last
    copy."""
    history: list[Line] = []
    above: int | None = None
    for question in range(4):
        at = 3 * question + 1
        history += [
            ask(at, above, f"Question {question + 1}?"),
            say(at + 1, at, f"Answer {question + 1}."),
            note(at + 2, at + 1),
        ]
        above = at + 2
    return [
        *history,
        boundary(13, 12, first_kept=11),
        summary(14, 13),
        ask(15, 14, "<command-name>/compact</command-name>"),
        ask(16, 15, "<local-command-stdout>Compacted</local-command-stdout>"),
        ask(17, 16, "Question 5?"),
        say(18, 17, "Answer 5."),
        *history[:10],
        note(19, 10),
        boundary(20, 19, first_kept=18),
        summary(21, 20),
        ask(22, 21, "Question 6?"),
        say(23, 22, "Answer 6."),
    ]


SIDECHAIN = [
    ask(1, None, "u"),
    say(2, 1, "a"),
    ask(3, 2, "su", isSidechain=True),
    say(4, 3, "sa", isSidechain=True),
    say(5, 4, "end"),
    ask(6, 5, "u2"),
    say(7, 6, "a2"),
]
"""A sub-agent between two messages of the main line, which continues from its last message."""
SIBLING_CALLS = [
    ask(1, None, "u"),
    call(2, 1, 1, "msg_a"),
    call(3, 1, 2, "msg_a"),
    call(4, 1, 3, "msg_a"),
    result(5, 2, 1),
    result(6, 3, 2),
    result(7, 4, 3),
    say(8, 7, "done"),
]
SESSIONS: dict[str, list[Line]] = {
    "linked": turns(1, 8, None),
    "no-parents": without_parents(turns(1, 8, None)),
    "null-parents": with_null_parents(turns(1, 8, None)),
    "null-parents-tools": with_null_parents(
        [ask(1, None, "u"), call(2, 1, 1, "msg_a"), result(3, 2, 1), say(4, 3, "done")]
    ),
    "resumed": [
        *turns(1, 4, None),
        *({**each, "sessionId": uid(0xDEF)} for each in turns(5, 8, 4)),
    ],
    "gone-back": [*turns(1, 6, None), ask(7, 2, "instead"), say(8, 7, "another answer")],
    "compacted-twice": [
        *turns(1, 4, None),
        boundary(5, 4),
        summary(6, 5),
        *turns(7, 10, 6),
        boundary(11, 10, first_kept=10),
        summary(12, 11),
        *turns(13, 16, 12),
    ],
    "sidechain": SIDECHAIN,
    "sibling-calls": SIBLING_CALLS,
    "sibling-calls-results-under-last": [
        *SIBLING_CALLS[:4],
        result(5, 4, 1),
        result(6, 4, 2),
        result(7, 4, 3),
        say(8, 7, "done"),
    ],
    "sibling-calls-of-one-request": [
        ask(1, None, "u"),
        call(2, 1, 1, "", requestId="req_1"),
        call(3, 1, 2, "", requestId="req_1"),
        result(4, 2, 1),
        result(5, 3, 2),
        say(6, 5, "done"),
    ],
    "chained-calls": [
        ask(1, None, "u"),
        call(2, 1, 1, "msg_a"),
        result(3, 2, 1),
        call(4, 2, 2, "msg_a"),
        result(5, 4, 2),
        call(6, 4, 3, "msg_a"),
        result(7, 6, 3),
        say(8, 7, "done"),
    ],
    "first-result-continues": [
        *turns(1, 1, None),
        call(2, 1, 1, "msg_a"),
        call(3, 2, 2, "msg_a"),
        result(4, 2, 1),
        result(5, 3, 2),
        say(6, 4, "done"),
    ],
    "regenerated": [
        ask(1, None, "u"),
        call(2, 1, 1, "msg_a"),
        result(3, 2, 1),
        say(4, 3, "first"),
        call(5, 1, 2, "msg_b"),
        result(6, 5, 2),
        say(7, 6, "second"),
    ],
    "note-after-all": [*turns(1, 8, None), note(9, None)],
    "one-line-thread": [*turns(1, 8, None), ask(9, None, "one line")],
}
"""Sessions without duplicate ids."""


def to_bytes(lines: Iterable[Line]) -> bytes:
    return "".join(f"{json.dumps(each)}\n" for each in lines).encode()


def write(lines: Iterable[Line], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{SESSION}.jsonl"
    path.write_bytes(to_bytes(lines))
    return path


def append(path: Path, lines: Iterable[Line]) -> None:
    """Append lines to a file, as the program that records them does."""
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(f"{json.dumps(each)}\n" for each in lines))
