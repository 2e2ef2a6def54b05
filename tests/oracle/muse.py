"""Message histories: a JSON object a conversation, its messages in a list."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.oracle.shown import Shown, decode_values, find_files

_MESSAGE = re.compile(r'\{(?=\s*"(?:id|request_id|timestamp|role|content|author|tags)")')
_DECODER = json.JSONDecoder()


def read(path: Path) -> dict[str, list[Shown]]:
    """Return the messages of each conversation of each file."""
    found: dict[str, list[Shown]] = {}
    for name, text in find_files(path, ".json", ".jsonl").items():
        for number, listed in enumerate(_histories(text)):
            objects = [each for each in listed if isinstance(each, dict)]
            found[f"{name}/{number}"] = [_show(each) for each in objects]
    return {name: shown for name, shown in found.items() if shown}


def _histories(text: str) -> Iterator[list[Any]]:
    rest = ""
    whole = list(decode_values(text))
    for piece in [text] if len(whole) == 1 else text.splitlines(keepends=True):
        value = next(decode_values(piece), None)
        for each in value if isinstance(value, list) else [value]:
            match each:
                case {"message_history": list(listed)} | {"history": list(listed)}:
                    yield listed
                case _:
                    rest += piece
    yield list(_pieces(rest))


def _pieces(text: str) -> Iterator[Any]:
    """Yield the messages of a text that as a whole is not a history."""
    at = 0
    while found := _MESSAGE.search(text, at):
        try:
            value, at = _DECODER.raw_decode(text, found.start())
            if "content" in value and "role" in value:
                yield value
        except ValueError:
            at = found.end()


def _show(message: dict[str, Any]) -> Shown:
    id, role, text = message.get("id"), message.get("role"), message.get("content")
    id = id.get("$oid", "") if isinstance(id, dict) else id
    return Shown(str(id or ""), str(role).lower(), (text,) if isinstance(text, str) else ())
