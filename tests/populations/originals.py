"""Small conversations as the programs of each format would write them, made without the product.

Every message has a unique word that identifies it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

WORDS = (
    "bread",
    "harbour",
    "Lärm",
    "雨",
    "tide",
    "ladder",
    "🌊",
    "copper",
    "`seed`",
    "a \\ b",
    "<b>",
)
CALLED = 0.3
"""The share of answers that call a tool, where a format has tools."""


class Said(NamedTuple):
    """A message before it is written in any format."""

    id: str
    parent: str | None
    role: str
    text: str
    call: str = ""
    """The argument of the tool call."""
    result: str = ""
    """The tool's result."""

    def time(self) -> int:
        """Return its time in milliseconds, which its id ends with."""
        return 1_760_000_000_000 + int(self.id[-6:]) * 1000


Files = dict[str, bytes]
"""The files of a source by their names; the name of a single file is empty."""


def draw_messages(random: Random, *, tools: bool, fork: bool = False) -> list[Said]:
    """Make two to five messages, with the last one on a separate branch if there is a fork."""
    made: list[Said] = []
    for number in range(random.randint(2, 5)):
        text = " ".join(random.choice(WORDS) for _ in range(random.randint(0, 5)))
        id = f"{random.getrandbits(32):08x}-0000-4000-8000-{random.getrandbits(16):06}{number:06}"
        role = "user" if number % 2 == 0 else "assistant"
        said = Said(id, made[-1].id if made else None, role, f"w{id[:8]} {text}")
        if tools and role == "assistant" and random.random() < CALLED:
            said = said._replace(call=f"/srv/{id[:8]}\n{random.choice(WORDS)}")
        elif tools and role == "user" and made and made[-1].call:
            said = said._replace(result=said.text, text="")
        made.append(said)
    if fork and len(made) > 2:
        made[-1] = made[-1]._replace(parent=made[-3].id)
    return made


def _lines(values: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode()


def _stamp(said: Said) -> str:
    return f"2026-03-01T09:{int(said.id[-6:]):02}:00.000Z"


def write_claude_code(random: Random) -> Files:
    """Write a session with calls, branches, a command, snapshots and a title."""
    session = f"{random.getrandbits(32):08x}-0000-4000-8000-00000000abcd"
    said = draw_messages(random, tools=True, fork=random.random() < CALLED)
    lines = [_code_line(each, session) for each in said]
    if random.random() < 0.5:
        inner = {"messageId": said[0].id, "trackedFileBackups": {}, "timestamp": _stamp(said[0])}
        name = {"type": "file-history-snapshot", "messageId": said[0].id, "snapshot": inner}
        lines.insert(0, name | {"isSnapshotUpdate": False})
    if random.random() < 0.5:
        id = f"{random.getrandbits(32):08x}-0000-4000-8000-{99:012}"
        text = f"<command-name>/plan</command-name>\n<command-args>w{id[:8]}</command-args>"
        lines.append(_code_line(Said(id, said[-1].id, "user", text), session))
    if random.random() < 0.5:
        lines.append({"type": "summary", "summary": "A title", "leafUuid": said[-1].id})
    return {f"{session}.jsonl": _lines(lines)}


def _code_line(said: Said, session: str) -> dict[str, Any]:
    content: Any = said.text
    if said.result:
        content = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": said.result}]
    elif said.role == "assistant":
        content = [{"type": "text", "text": said.text}]
        if said.call:
            used = {"type": "tool_use", "id": "toolu_1", "name": "Read"}
            content.append(used | {"input": {"file_path": said.call, "limit": 5}})
    message: dict[str, Any] = {"role": said.role, "content": content}
    if said.role == "assistant":
        message |= {"id": f"msg_{said.id[:8]}", "model": "claude-sonnet-4", "type": "message"}
    place = {"cwd": "/srv", "version": "2.1.0", "userType": "external", "isSidechain": False}
    links = {"parentUuid": said.parent, "uuid": said.id, "sessionId": session}
    return links | place | {"type": said.role, "message": message, "timestamp": _stamp(said)}


def write_claude_messages(random: Random) -> Files:
    """Write the documented types, calls and results among them."""
    lines = []
    for said in draw_messages(random, tools=True, fork=random.random() < CALLED):
        links = {"uuid": said.id, "parentUuid": said.parent, "timestamp": _stamp(said)}
        line: dict[str, Any] = {"type": said.role, **links, "sessionId": "s-1"}
        line["message"] = said.text
        if said.call:
            arguments = {"file_path": said.call}
            line |= {"subtype": "tool_use", "toolName": "Read", "toolArguments": arguments}
        if said.result:
            line |= {"type": "system", "subtype": "tool_result", "message": said.result}
        lines.append(line)
    return {"": _lines(lines)}


def write_sage(random: Random) -> Files:
    """Write a session folder with a backup and a snapshot."""
    said = draw_messages(random, tools=True, fork=random.random() < CALLED)
    lines = []
    for each in said:
        message: dict[str, Any] = {"role": each.role, "content": each.text}
        if each.call:
            message["toolCalls"] = [{"id": "c1", "name": "Read", "arguments": {"path": each.call}}]
        links = {"uuid": each.id, "parentUuid": each.parent, "timestamp": _stamp(each)}
        line: dict[str, Any] = {"type": each.role, **links, "sessionId": "s", "version": "1"}
        line |= {"context": {"cwd": "/srv", "platform": "linux"}, "message": message}
        if each.result:
            answer = {"toolCallId": "c1", "toolName": "Read", "content": each.result}
            line |= {"type": "tool_result", "toolResults": [answer | {"success": True}]}
            line["message"] = {"role": "tool", "content": ""}
        lines.append(line | {"todos": [], "isSidechain": False})
    metadata = {"id": "s", "createdAt": _stamp(said[0]), "updatedAt": _stamp(said[-1])}
    files = {"messages.jsonl": _lines(lines), "metadata.json": json.dumps(metadata).encode()}
    if random.random() < 0.5:
        files["backups/notes.txt_1.backup"] = b"before\n"
        name = {
            "type": "file_history_snapshot",
            "messageId": said[0].id,
            "timestamp": _stamp(said[0]),
        }
        inner: dict[str, Any] = {
            "trackedFiles": {},
            "fileBackups": {"notes.txt": {"backupPath": "backups/notes.txt_1.backup"}},
        }
        files["snapshots.jsonl"] = _lines([name | {"isSnapshotUpdate": False, "snapshot": inner}])
    return files


def write_muse(random: Random) -> Files:
    """Write one history, or several in one file."""
    histories = []
    for number in range(random.choice((1, 1, 2, 3))):
        said = draw_messages(random, tools=False)
        listed = [
            {"id": each.id, "request_id": each.id, "timestamp": each.time(), "role": each.role}
            | {"content": each.text, "author": each.role, "tags": []}
            for each in said
        ]
        name = {"_id": f"id-{number}", "schema_version": 2, "conversation_id": f"c-{number}"}
        histories.append(
            name | {"message_history": listed, "last_updated_timestamp": said[-1].time()}
        )
    if len(histories) > 1 and random.random() < 0.5:
        return {"": _lines(histories)}
    whole = histories[0] if len(histories) == 1 else histories
    return {"": json.dumps(whole, indent=random.choice((None, 2)), ensure_ascii=False).encode()}


def write_native(random: Random) -> Files:
    """Write one or two conversations in a file."""
    lines: list[dict[str, Any]] = [{"talktree": {"version": 1}}]
    for number in range(random.choice((1, 1, 2))):
        lines.append({"conversation": {"id": f"talk-{number}"}})
        for said in draw_messages(random, tools=True, fork=random.random() < CALLED):
            parts: list[dict[str, Any]] = [{"part": "text", "text": said.text}]
            if said.call:
                parts.append({"part": "tool_call", "name": "Read", "input": [said.call], "id": "c"})
            if said.result:
                output = [{"part": "text", "text": said.result}]
                parts = [{"part": "tool_result", "output": output, "call": "c"}]
            links = {"id": said.id, "role": said.role, "parts": parts, "time": _stamp(said)}
            lines.append({"message": links | ({"parent": said.parent} if said.parent else {})})
    return {"": _lines(lines)}


def write_chatbuilder(random: Random) -> Files:
    """Write a folder of numbered files, with or without metadata."""
    files: Files = {}
    for number, said in enumerate(draw_messages(random, tools=False), 1):
        head = f"; Block-UUID: {said.id}\n; Authors: Ana (v1)\n;\n" if random.random() < 0.7 else ""
        body = said.text.replace("`", "\\`")
        files[f"{number}.md"] = f"{head}; role: {said.role}\n\n\n{body}\n".encode()
    if random.random() < 0.5:
        files["config.json"] = json.dumps({"name": "x", "label": "A title", "order": 1}).encode()
    return files


def _comments(random: Random) -> list[dict[str, Any]]:
    by_id: dict[str | None, dict[str, Any]] = {None: {"children": []}}
    for said in draw_messages(random, tools=False, fork=random.random() < 0.5):
        comment = {"id": said.id, "userId": said.role, "type": said.role, "timestamp": said.time()}
        comment |= {"content": said.text, "contentHash": "0", "attachments": [], "children": []}
        by_id[said.id] = comment
        by_id[said.parent]["children"].append(comment)
    found: list[dict[str, Any]] = by_id[None]["children"]
    return found


def write_studio(random: Random) -> Files:
    """Write a list of comments with nested replies."""
    indent = random.choice((None, 2))
    return {"": json.dumps(_comments(random), indent=indent, ensure_ascii=False).encode()}


def write_studio_xml(random: Random) -> Files:
    """Write comments as the program exports them."""
    return {"": f"<comments>{''.join(map(_element, _comments(random)))}\n</comments>\n".encode()}


def _element(comment: dict[str, Any]) -> str:
    fields = ("id", "userId", "type", "timestamp", "contentHash")
    inner = "".join(f"\n<{name}>{escape(str(comment[name]))}</{name}>" for name in fields)
    replies = "".join(map(_element, comment["children"]))
    nested = f"\n<children>{replies}\n</children>" if replies else ""
    content = f"\n<content><![CDATA[{comment['content']}]]></content>"
    return f"\n<comment>{inner}{content}{nested}\n</comment>"


def write_studio_text(random: Random) -> Files:
    """Write comments as parts of a MIME message."""
    mark = f"talktree-{random.getrandbits(96):024x}"
    parts = []
    waiting = [(0, comment) for comment in reversed(_comments(random))]
    while waiting:
        depth, comment = waiting.pop()
        names = {"Depth": depth, "Id": comment["id"], "User-Id": comment["userId"]}
        names |= {"Type": comment["type"], "Timestamp": comment["timestamp"]}
        head = "".join(f"{name}: {value}\n" for name, value in names.items())
        kind = 'Content-Type: text/plain; charset="utf-8"\nContent-Transfer-Encoding: 8bit\n'
        parts.append(f"--{mark}\n{kind}{head}\n{comment['content']}\n")
        waiting += [(depth + 1, each) for each in reversed(comment["children"])]
    top = f'MIME-Version: 1.0\nStudio-Text: 1\nContent-Type: multipart/mixed; boundary="{mark}"\n\n'
    return {"": f"{top}{''.join(parts)}--{mark}--\n".encode()}


WRITERS: dict[str, Callable[[Random], Files]] = {
    "chatbuilder": write_chatbuilder,
    "claude-code": write_claude_code,
    "claude-messages": write_claude_messages,
    "muse": write_muse,
    "native": write_native,
    "sage": write_sage,
    "studio": write_studio,
    "studio-text": write_studio_text,
    "studio-xml": write_studio_xml,
}

_SNAPSHOT = {"messageId": "m", "trackedFileBackups": {}, "timestamp": "2026-03-01T09:00:00.000Z"}
EMPTY: dict[str, Files] = {
    "claude-code": {
        "": _lines(
            [
                {"type": "file-history-snapshot", "messageId": "m", "snapshot": _SNAPSHOT},
                {"type": "summary", "summary": "A title", "leafUuid": "x"},
            ]
        )
    },
    "muse": {"": b'{"_id":"1","schema_version":2,"conversation_id":"c","message_history":[]}'},
    "native": {"": b'{"talktree":{"version":1}}\n{"conversation":{"id":"c"}}\n'},
    "sage": {
        "metadata.json": b'{"id":"s","createdAt":"2026-03-01T09:00:00Z","updatedAt":'
        b'"2026-03-01T09:00:00Z","workingDirectory":"/srv","messageCount":0,"state":"active"}'
    },
    "studio-xml": {"": b"<comments>\n</comments>\n"},
}
"""Sessions without messages, for formats that have a form for them."""
