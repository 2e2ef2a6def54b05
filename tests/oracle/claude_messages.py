"""The documented message types of Claude: one JSON object a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.oracle.blocks import show_content
from tests.oracle.shown import Shown, decode_objects, find_files

TYPES = ("user", "assistant", "system", "compact_system")


def read(path: Path) -> dict[str, list[Shown]]:
    """Return the messages of each file."""
    found: dict[str, list[Shown]] = {}
    for name, text in find_files(path, ".jsonl", ".json").items():
        lines = [line for line in decode_objects(text) if line.get("type") in TYPES]
        if lines:
            found[name] = [_show(line) for line in lines]
    return found


def _show(line: dict[str, Any]) -> Shown:
    id, role, said = str(line.get("uuid") or ""), str(line["type"]), line.get("message")
    match line:
        case {"type": "compact_system"}:
            return Shown(id, role)
        case {"message": {"content": content}}:
            return show_content(id, role, content)
        case {"subtype": "tool_use", "toolName": str(name)}:
            texts = (said,) if isinstance(said, str) else ()
            return Shown(id, role, texts, ((name, line.get("toolArguments")),))
        case {"subtype": "tool_result", "message": str(text)}:
            return Shown(id, role, results=(text,))
        case {"message": str(text)}:
            return show_content(id, role, text)
        case _:
            return Shown(id, role)
