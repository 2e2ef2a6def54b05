"""What a person sees of a message, and what all readers share: decoding files, lines and blocks."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

OURS = ("x-talktree.jsonl", ".talktree-batch.jsonl")
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"\s*")


class Shown(NamedTuple):
    """A message: its words, the tools it calls (name, input) and the texts of tool results."""

    id: str
    role: str
    texts: tuple[str, ...] = ()
    calls: tuple[tuple[str, Any], ...] = ()
    results: tuple[str, ...] = ()


def decode_file(data: bytes) -> str:
    """Return the text of a file: gzip and UTF-16 are undone, bad bytes replaced."""
    if data[:2] == b"\x1f\x8b":
        data = zlib.decompressobj(31).decompress(data)
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    return data.decode("utf-16" if wide else "utf-8-sig", "replace").replace("\r\n", "\n")


def find_files(path: Path, *endings: str) -> dict[str, str]:
    """Return the texts below a path by their names; in a folder, only names that end like this."""
    if path.is_file():
        return {path.name: decode_file(path.read_bytes())}
    found = (each for each in sorted(path.rglob("*")) if each.is_file() and each.name not in OURS)
    names = {str(each.relative_to(path)): each for each in found}
    kept = [name for name in names if name.endswith((*endings, ".gz"))]
    return {name: decode_file(names[name].read_bytes()) for name in kept}


def decode_values(text: str) -> Iterator[Any]:
    """Yield the JSON values of a text, one behind the other; where one is broken, skip its line."""
    at = 0
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, _SPACE.match(text, at).end())  # type: ignore[union-attr]
            yield value
        except (ValueError, RecursionError):
            at = text.find("\n", at + 1) + 1 or len(text)


def decode_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a text."""
    return (value for value in decode_values(text) if isinstance(value, dict))
