"""A project folder with sessions, sub-agents of all versions and files that belong to them."""

from __future__ import annotations

import json
from pathlib import Path

ONE = "0a0a0a0a-0000-4000-8000-000000000001"
"""A session with every kind of file in its folder."""
TWO = "0a0a0a0a-0000-4000-8000-000000000002"
"""A session with its sub-agent beside it, which has the id of a sub-agent of the first session."""
LONE = "0a0a0a0a-0000-4000-8000-000000000003"
"""A session without sub-agents."""
LOST = "0a0a0a0a-0000-4000-8000-000000000004"
"""A session that was deleted; its sub-agent still exists."""


def line(session: str, number: int, role: str, text: str, **more: object) -> bytes:
    """Return a line of a session; its parent is the previous line."""
    id = f"{session[-4:]}{number:04d}-0000-4000-8000-000000000000"
    above = f"{session[-4:]}{number - 1:04d}-0000-4000-8000-000000000000" if number % 10 else None
    message: dict[str, object] = {"role": role, "content": text}
    if role == "assistant":
        message |= {"id": f"msg_{session[-4:]}{number}", "model": "m"}
    value = {
        "parentUuid": above,
        "isSidechain": False,
        "sessionId": session,
        "type": role,
        "message": message,
        "uuid": id,
        "timestamp": f"2026-02-0{session[-1]}T08:00:{number:02d}.000Z",
        **more,
    }
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def session(id: str) -> bytes:
    """Return a session of two messages."""
    return line(id, 0, "user", f"question {id[-1]}") + line(id, 1, "assistant", f"answer {id[-1]}")


def agent(session: str, name: str, number: int) -> bytes:
    """Return the file of a sub-agent; numbers are multiples of ten."""
    more = {"isSidechain": True, "agentId": name}
    return line(session, number, "user", f"task {number}", **more) + line(
        session, number + 1, "assistant", f"report {number}", **more
    )


FILES: dict[str, bytes] = {
    f"{ONE}.jsonl": session(ONE),
    f"{ONE}/subagents/agent-a1.jsonl": agent(ONE, "a1", 10),
    f"{ONE}/subagents/agent-a1.meta.json": b'{"agentType": "Explore"}',
    f"{ONE}/subagents/workflows/wf_1/agent-a2.jsonl": agent(ONE, "a2", 20),
    f"{ONE}/tool-results/out put.txt": b"a long result\n",
    f"{ONE}/tool-results/picture.png": b"\x89PNG\r\n\x1a\n\0",
    f"{ONE}/workflows/wf_1.json": b'{"name": "wf"}',
    f"{TWO}.jsonl": session(TWO),
    "agent-a1.jsonl": agent(TWO, "a1", 30),
    f"{LONE}.jsonl": session(LONE),
    f"{LOST}/subagents/agent-b.jsonl": agent(LOST, "b", 40),
}
OF_ONE = {path: data for path, data in FILES.items() if path.startswith(ONE)}
OF_TWO = {path: FILES[path] for path in (f"{TWO}.jsonl", "agent-a1.jsonl")}


def write(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files below a folder and return it."""
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def files_in(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
