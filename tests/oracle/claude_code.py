"""Sessions of Claude Code: one file a session, sub-agents in files of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.oracle.blocks import show_content
from tests.oracle.shown import Shown, decode_objects, find_files


def read(path: Path) -> dict[str, list[Shown]]:
    """Return the messages of each file; of copies of the same line only the first."""
    found: dict[str, list[Shown]] = {}
    for name, text in find_files(path, ".jsonl", ".json").items():
        shown = [each for line in _lines(text) for each in _show(line)]
        if shown:
            found[name] = [
                each for at, each in enumerate(shown) if not each.id or each not in shown[:at]
            ]
    return found


def _lines(text: str) -> Iterator[dict[str, Any]]:
    for value in decode_objects(text):
        inner = value.get("loglines")
        yield from (each for each in inner if isinstance(each, dict)) if inner else [value]


def _show(line: dict[str, Any]) -> Iterator[Shown]:
    id, role = str(line.get("uuid") or ""), line.get("type")
    match line:
        case {"type": "user" | "assistant", "message": {"content": str() | list() as content}}:
            yield show_content(id, str(role), content)
        case {"type": "system", "subtype": "compact_boundary"}:
            yield Shown(id, "system")
        case {"type": "system", "content": str(text)}:
            yield show_content(id, "system", text)
        case {"attachment": {"type": "queued_command", "prompt": prompt, "commandMode": "prompt"}}:
            yield show_content(id, "user", prompt)
