"""Conversation Studio as JSON: comments, the replies to each nested in its `children`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.oracle.shown import Shown, find_files

_COMMENT = re.compile(r'\{\s*"id"\s*:(?=[^{}]*"userId")')
_CHILDREN = re.compile(r'(?<!\\)"children"\s*:\s*\[')


def read(path: Path) -> dict[str, list[Shown]]:
    """Return the comments of each file, parents before replies."""
    found: dict[str, list[Shown]] = {}
    for name, text in find_files(path, ".json").items():
        try:
            comments = list(_walk([json.loads(text)]))
        except (ValueError, RecursionError):
            comments = list(_pieces(text))
        found[name] = [show_comment(each) for each in comments]
    return {name: shown for name, shown in found.items() if shown}


def _walk(values: list[Any]) -> Iterator[dict[str, Any]]:
    waiting = values[::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value[::-1]
        elif isinstance(value, dict):
            yield value
            waiting.append(value.get("children") or [])


def _pieces(text: str) -> Iterator[dict[str, Any]]:
    """Yield the comments of a text that as a whole cannot be decoded, each without its replies."""
    starts = [found.start() for found in _COMMENT.finditer(text)]
    for start, stop in pairwise([*starts, len(text)]):
        piece = text[start:stop]
        for found in list(_CHILDREN.finditer(piece))[::-1]:
            try:
                yield json.loads(piece[: found.start()] + '"children":[]}')
                break
            except (ValueError, RecursionError):
                pass


def show_comment(comment: dict[str, Any]) -> Shown:
    """Return a comment as a message: its words and those of its artifacts."""
    artifacts = comment.get("artifacts")
    inner = [each for each in artifacts if isinstance(each, dict)] if artifacts else []
    texts = [comment.get("content"), *(each.get("content") for each in inner)]
    said = (text for text in texts if isinstance(text, str))
    return Shown(str(comment.get("id") or ""), str(comment.get("type")), tuple(said))
