"""Sessions of Sage Agent: message lines in a folder a session, or one older file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.oracle.shown import Shown, decode_objects, find_files

NOT_SAID = ("file_history_snapshot",)


def read(path: Path) -> dict[str, list[Shown]]:
    """Return the messages of each session."""
    found: dict[str, list[Shown]] = {}
    for name, text in find_files(path, "messages.jsonl", ".json").items():
        if "backups/" not in name:
            shown = [each for line in decode_objects(text) for each in _show_line(line)]
            if shown:
                found[name] = shown
    return found


def _show_line(line: dict[str, Any]) -> Iterator[Shown]:
    match line:
        case {"messages": list(listed)}:
            yield from (_show_old(each) for each in listed if isinstance(each, dict))
        case {"type": str(role), "uuid": id} if role not in NOT_SAID:
            said: dict[str, Any] = line["message"] if type(line.get("message")) is dict else {}
            calls = [each for each in said.get("toolCalls") or () if isinstance(each, dict)]
            results = line.get("toolResults") or said.get("toolResults") or ()
            compaction = str(line.get("subtype")).startswith("conversation_")
            text = "" if compaction else said.get("content")
            yield Shown(
                str(id),
                role,
                (text,) if text and isinstance(text, str) else (),
                tuple((str(each.get("name")), each.get("arguments")) for each in calls),
                tuple(_result_text(each) for each in results if isinstance(each, dict)),
            )


def _show_old(message: dict[str, Any]) -> Shown:
    text = message.get("content")
    calls = [each for each in message.get("tool_calls") or () if isinstance(each, dict)]
    results = [each for each in message.get("tool_results") or () if isinstance(each, dict)]
    return Shown(
        str(message.get("uuid") or ""),
        str(message.get("role")),
        (text,) if text and isinstance(text, str) else (),
        tuple((str(each.get("name")), each.get("arguments")) for each in calls),
        tuple(_result_text(each) for each in results),
    )


def _result_text(result: dict[str, Any]) -> str:
    return str(result.get("content") or result.get("output") or result.get("error") or "")
