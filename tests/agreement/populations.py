"""The sources that the surfaces are compared on: all demos and fixtures, and files for hard
cases."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import talktree

ROOT = Path(__file__).parent.parent.parent
Line = dict[str, Any]
START = "2026-03-01T10:00:{:02}.000Z"


def write_lines(path: Path, lines: Sequence[Line]) -> None:
    """Write a JSONL file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def claude_line(
    id: str, parent: str | None, role: str, text: str | None, second: int, **more: object
) -> Line:
    """Return a message of a Claude Code session; without text its content is empty."""
    content: object = [] if text is None else text
    if role == "assistant" and text is not None:
        content = [{"type": "text", "text": text}]
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ana/boats",
        "sessionId": "11111111-2222-4333-8444-555555555555",
        "version": "2.0.1",
        "type": role,
        "message": {"role": role, "content": content},
        "uuid": id,
        "timestamp": START.format(second),
    } | more


def muse_dump(conversations: int) -> bytes:
    """Return a file with many conversations, each with its own id and two messages."""
    return json.dumps(
        [
            {
                "conversation_id": f"conv-{number}",
                "schema_version": 2,
                "title": f"Talk {number}",
                "message_history": [
                    {"id": f"m{number}-1", "role": "user", "content": f"Question {number}?",
                     "timestamp": 1_741_078_800_000 + number},
                    {"id": f"m{number}-2", "role": "assistant", "content": f"Answer {number}.",
                     "timestamp": 1_741_078_900_000 + number},
                ],
            }
            for number in range(conversations)
        ]
    ).encode()  # fmt: skip


def _many(folder: Path) -> Path:
    path = folder / "dump.json"
    path.write_bytes(muse_dump(3))
    return path


def _threads(folder: Path) -> Path:
    """Return one session with two roots; the second thread is shorter."""
    path = folder / "threads.jsonl"
    lines = [claude_line(f"a{n}", f"a{n - 1}" if n else None, "user", f"{n}", n) for n in range(4)]
    write_lines(path, [*lines, claude_line("b0", None, "user", "again", 9)])
    return path


def _compacted(folder: Path) -> Path:
    path = folder / "compacted.jsonl"
    boundary = claude_line("c0", None, "system", None, 4, subtype="compact_boundary")
    boundary |= {"content": "Conversation compacted", "logicalParentUuid": "u1"}
    del boundary["message"]
    write_lines(
        path,
        [
            claude_line("u0", None, "user", "first", 0),
            claude_line("u1", "u0", "assistant", "answer", 1),
            boundary,
            claude_line("c1", "c0", "user", "summary", 5, isCompactSummary=True),
            claude_line("c2", "c1", "assistant", "goes on", 6),
        ],
    )
    return path


def _cut_off(folder: Path) -> Path:
    """Return a session in which one message's parent is missing, so that views infer it."""
    path = folder / "cut-off.jsonl"
    write_lines(
        path,
        [
            claude_line("u0", None, "user", "first", 0),
            claude_line("u1", "u0", "assistant", "answer", 1),
            claude_line("u2", "missing", "user", "second", 2),
            claude_line("u3", "u2", "assistant", "answer", 3),
        ],
    )
    return path


def _unlinked(folder: Path) -> Path:
    """Return a session in which no message names a parent."""
    path = folder / "unlinked.jsonl"
    roles = ("user", "assistant") * 2
    write_lines(path, [claude_line(f"n{n}", None, role, role, n) for n, role in enumerate(roles)])
    return path


def _copied(folder: Path) -> Path:
    """Return a session with rows appended again, as after a compaction that keeps them."""
    path = folder / "copied.jsonl"
    rows = [
        claude_line(f"k{n}", f"k{n - 1}" if n else None, ("user", "assistant")[n % 2], f"{n}", n)
        for n in range(4)
    ]
    write_lines(path, [*rows, rows[2], rows[3], claude_line("k4", "k3", "user", "on", 9)])
    return path


def _differing(folder: Path) -> Path:
    """Return a session with an id three times: an exact copy is one message, another text a second
    one."""
    path = folder / "differing.jsonl"
    rows = [
        claude_line("d0", None, "user", "first", 0),
        claude_line("d1", "d0", "assistant", "answer", 1),
        claude_line("d2", "d1", "user", "second", 2),
    ]
    other = claude_line("d1", "d0", "assistant", "another answer", 1)
    last = claude_line("d3", "d2", "assistant", "done", 3)
    write_lines(path, [*rows, other, rows[1], last])
    return path


def _reopened(folder: Path) -> Path:
    """Return a session with a message of an earlier session copied after its last one."""
    path = folder / "reopened.jsonl"
    row = claude_line("e0", None, "user", "first", 0, sessionId="an-earlier-session")
    write_lines(path, [row, claude_line("e1", "e0", "user", "second", 1), row])
    return path


def _circular(folder: Path) -> Path:
    """Return a session with a copy whose parent is a descendant of the original."""
    path = folder / "circular.jsonl"
    row = claude_line("o", "x", "user", "first", 0)
    write_lines(path, [row, row, claude_line("x", "o", "user", "second", 1)])
    return path


def _silent(folder: Path) -> Path:
    """Return a session with messages without content, which count as messages."""
    path = folder / "silent.jsonl"
    write_lines(
        path,
        [
            claude_line("u0", None, "user", "first", 0),
            claude_line("u1", "u0", "assistant", None, 1),
            claude_line("u2", "u1", "user", "second", 2),
        ],
    )
    return path


def _empty(folder: Path) -> Path:
    """Return a session without messages."""
    path = folder / "empty.jsonl"
    write_lines(path, [{"type": "summary", "summary": "Nothing yet", "leafUuid": "u9"}])
    return path


def reply_line(
    id: str,
    parent: str | None,
    text: str,
    second: int,
    output: int,
    *,
    reply: str | None = "msg_1",
    model: str | None = "claude-sonnet-4-5-20250929",
    **more: object,
) -> Line:
    """Return a piece of an API reply of a Claude Code session, with its token counts."""
    line = claude_line(id, parent, "assistant", text, second)
    line["message"] |= {"id": reply, "model": model, "usage": tokens(output)}
    return line | {"requestId": None if reply is None else f"req_{reply}"} | more


def tokens(output: int) -> Line:
    """Return token counts in the form of the API."""
    return {
        "input_tokens": 3,
        "output_tokens": output,
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 20,
    }


def _replies(folder: Path) -> Path:
    """Return replies in pieces, without ids, without models, and in progress lines of
    sub-agents."""
    path = folder / "replies.jsonl"
    inner = reply_line("i0", None, "looked", 4, 7, reply="msg_3")
    progress = claude_line("r4", "r3", "user", "", 4)
    progress |= {"type": "progress", "data": {"type": "agent_progress", "message": inner}}
    del progress["message"]
    kept = reply_line("r6", "r5", "kept", 6, 9, reply="msg_2")
    kept["message"]["usage"]["cache_creation"] = {
        "ephemeral_5m_input_tokens": 14,
        "ephemeral_1h_input_tokens": 6,
    }
    write_lines(
        path,
        [
            claude_line("r0", None, "user", "first", 0),
            reply_line("r1", "r0", "one", 1, 10),
            reply_line("r2", "r1", "two", 2, 30),
            # The copy has no request id; it is the same reply.
            reply_line("r3", "r2", "three", 3, 20, requestId=None),
            progress,
            reply_line("r5", "r3", "nameless", 5, 8, reply=None),
            kept,
            reply_line("r7", "r6", "failed", 7, 5, reply="msg_4", model="<synthetic>"),
            reply_line("r8", "r7", "odd", 8, -5, reply="msg_5"),
            reply_line("r9", "r8", "whose?", 9, 4, reply="msg_6", model=None),
        ],
    )
    return path


def _resumed(folder: Path) -> Path:
    """Return a session, and one that continues a copy of it with more tokens in one reply."""
    folder = folder / "resumed"
    lines = [
        claude_line("q0", None, "user", "first", 0),
        reply_line("q1", "q0", "one", 1, 11, reply="msg_r1"),
    ]
    own = {"sessionId": "22222222-2222-4333-8444-555555555555"}
    write_lines(folder / "first.jsonl", lines)
    write_lines(
        folder / "second.jsonl",
        [
            lines[0] | own,
            reply_line("q1", "q0", "one", 1, 15, reply="msg_r1", **own),
            reply_line("q2", "q1", "more", 3, 6, reply="msg_r2", **own),
        ],
    )
    return folder


def _sidechain(folder: Path) -> Path:
    """Return a session with a sub-agent's messages in its file before the main line continues."""
    path = folder / "sidechain.jsonl"
    call = claude_line("t1", "t0", "assistant", None, 1)
    call["message"]["content"] = [
        {"type": "tool_use", "id": "toolu_t", "name": "Task", "input": {"prompt": "look"}}
    ]
    result = claude_line("t2", "t1", "user", None, 6)
    result["message"]["content"] = [
        {"type": "tool_result", "tool_use_id": "toolu_t", "content": "seen"}
    ]
    side: dict[str, Any] = {"isSidechain": True}
    write_lines(
        path,
        [
            claude_line("t0", None, "user", "first", 0),
            call,
            claude_line("s0", None, "user", "look", 2, **side),
            reply_line("s1", "s0", "seen", 3, 12, reply="msg_s", **side),
            result,
            reply_line("t3", "t2", "done", 7, 13, reply="msg_t"),
        ],
    )
    return path


def _packed(folder: Path) -> Path:
    path = folder / "replies.jsonl.gz"
    path.write_bytes(gzip.compress(_replies(folder).read_bytes(), mtime=0))
    (folder / "replies.jsonl").unlink()
    return path


def _wide(folder: Path) -> Path:
    """Return the same session in UTF-16, with copies of messages."""
    path = _copied(folder)
    path.write_bytes(path.read_text().encode("utf-16"))
    return path


def _converted(folder: Path) -> Path:
    """Return a native dump of a session with several threads."""
    source = _threads(folder)
    talktree.convert(talktree.read(source), folder / "dump.jsonl", to="native")
    source.unlink()
    return folder / "dump.jsonl"


def _dumped_replies(folder: Path) -> Path:
    """Return replies in another format, which also records their names and tokens."""
    source = _replies(folder)
    talktree.convert(talktree.read(source), folder / "dump.jsonl", to="native")
    source.unlink()
    return folder / "dump.jsonl"


def _mixed(folder: Path) -> Path:
    """Write a folder of files of several formats, one of them without messages."""
    folder = folder / "mixed"
    folder.mkdir()
    for name in ("studio-xml.xml", "studio.json", "claude-messages.jsonl"):
        shutil.copy(ROOT / "demo" / name, folder)
    (folder / "dump.json").write_bytes(muse_dump(2))
    write_lines(folder / "opened.jsonl", [{"type": "summary", "summary": "x", "leafUuid": "u"}])
    write_lines(folder / "said.jsonl", [claude_line("w0", None, "user", "words", 0)])
    return folder


def _agents(folder: Path) -> Path:
    """Write a session and its sub-agents, in the layout of their program."""
    id = "99999999-2222-4333-8444-555555555555"
    own = {"sessionId": id}
    project = folder / "project"
    write_lines(
        project / f"{id}.jsonl",
        [
            claude_line("u0", None, "user", "first", 0, **own),
            claude_line("u1", "u0", "assistant", "answer", 1, **own),
        ],
    )
    for number in range(2):
        agent = own | {"isSidechain": True, "agentId": f"a{number}b{number}c"}
        write_lines(
            project / id / "subagents" / f"agent-a{number}b{number}c.jsonl",
            [
                claude_line(f"s{number}0", None, "user", "look", 2, **agent),
                claude_line(f"s{number}1", f"s{number}0", "assistant", "seen", 3, **agent),
            ],
        )
    return project


MADE: dict[str, Callable[[Path], Path]] = {
    "many": _many,
    "threads": _threads,
    "compacted": _compacted,
    "cut-off": _cut_off,
    "unlinked": _unlinked,
    "copied": _copied,
    "differing": _differing,
    "reopened": _reopened,
    "circular": _circular,
    "silent": _silent,
    "empty": _empty,
    "agents": _agents,
    "replies": _replies,
    "resumed": _resumed,
    "sidechain": _sidechain,
    "gz": _packed,
    "utf-16": _wide,
    "converted": _converted,
    "replies-converted": _dumped_replies,
    "mixed": _mixed,
}


def given() -> dict[str, Path]:
    """Return all demos and fixtures, each named by one path."""
    found = {
        f"demo-{path.name}": path for path in (ROOT / "demo").iterdir() if path.suffix != ".py"
    }
    for path in (ROOT / "tests" / "data").glob("*/*/*"):
        if path.parent.name in ("good", "bad"):
            found[f"{path.parent.parent.name}-{path.parent.name}-{path.name}"] = path
    return dict(sorted(found.items()))


def lay_out(root: Path) -> dict[str, Path]:
    """Write each population into its own folder and return the folders by name."""
    paths: dict[str, Path] = {}
    for name, path in given().items():
        target = root / name / path.name
        target.parent.mkdir(parents=True)
        if path.is_dir():
            shutil.copytree(path, target)
        else:
            shutil.copy(path, target)
        paths[name] = target
    for name, make in MADE.items():
        (root / name).mkdir()
        paths[name] = make(root / name)
    return paths
