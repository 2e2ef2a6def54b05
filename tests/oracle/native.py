"""Talktree's own format: one entry a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.oracle.blocks import split_command
from tests.oracle.shown import Shown, decode_objects, find_files


def read(path: Path) -> dict[str, list[Shown]]:
    """Return the messages of each conversation of each file."""
    found: dict[str, list[Shown]] = {}
    for name, text in find_files(path, ".jsonl", ".json").items():
        here = name
        for number, line in enumerate(decode_objects(text)):
            if "conversation" in line:
                here = f"{name}/{number}"
            elif isinstance(line.get("message"), dict):
                found.setdefault(here, []).append(_show(line["message"], line.get("joint")))
    return found


def _show(message: dict[str, Any], joint: object) -> Shown:
    texts: list[str] = []
    calls: list[tuple[str, Any]] = []
    results: list[str] = []
    listed = message.get("parts")
    for part in listed if isinstance(listed, list) else ():
        match part:
            case {"part": "event", "kind": "compacted" | "compacting"}:
                pass
            case {"part": "event", "kind": str(), "text": str(text)}:
                texts += split_command(text)
            case {"part": "text" | "thinking", "text": str(text)}:
                texts.append(text)
            case {"part": "artifact", "content": str(text)}:
                texts.append(text)
            case {"part": "tool_call", "name": str(name)}:
                calls.append((name, part.get("input")))
            case {"part": "tool_result"}:
                results.append(_output(part.get("output")))
    if isinstance(joint, str) and joint:
        texts = [text.replace(joint, "") for text in texts]
    role = message.get("role")
    id = str(message.get("id") or "")
    return Shown(
        id, role if isinstance(role, str) else "unknown", tuple(texts), tuple(calls), tuple(results)
    )


def _output(parts: Any) -> str:
    inner = [each for each in parts or () if isinstance(each, dict) and each.get("part") == "text"]
    return "\n".join(each["text"] for each in inner if isinstance(each.get("text"), str))
