"""The message files that a strict reader accepts, by the parsing algorithm of the document."""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

import msgspec

from tests.conversion.foreign import Files

REQUIRED = (
    "Block-UUID",
    "Component",
    "Version",
    "Description",
    "Language",
    "Created-at",
    "Authors",
)
ALONG = "x-talktree.jsonl"
_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_SEMANTIC = re.compile(r"\d+\.\d+\.\d+")
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,9}Z")


class File(NamedTuple):
    """A message file as the document reads it."""

    fields: dict[str, str]
    role: str
    content: str


def folders(files: Files) -> dict[str, list[File]]:
    """Return the messages of each folder in order; raise AssertionError for invalid files."""
    found: dict[str, dict[int, File]] = {}
    for path, data in files.items():
        folder, _, name = path.rpartition("/")
        if name == "config.json":
            assert msgspec.json.decode(data)["label"]
        elif name != ALONG:
            number = re.fullmatch(r"([1-9][0-9]*)\.md", name)
            assert number, name
            found.setdefault(folder, {})[int(number[1])] = message(data)
    for inside in found.values():
        assert sorted(inside) == list(range(1, len(inside) + 1))
    return {folder: [inside[at] for at in sorted(inside)] for folder, inside in found.items()}


def message(data: bytes) -> File:
    """Parse one file: split at the first triple newline, fields before it, content after it."""
    header, separator, body = data.decode().partition("\n\n\n")
    assert separator
    lines = header.split("\n")
    assert all(line.startswith(";") for line in lines)
    assert header.splitlines() == lines, "a line that other readers see as two"
    assert lines[-2] == ";"
    role = lines[-1].removeprefix("; role: ")
    assert [line for line in lines if line.startswith("; role:")] == [f"; role: {role}"]
    assert role in ("user", "assistant", "system")
    fields: dict[str, str] = {}
    for line in lines[:-2]:
        key, colon, value = line.removeprefix("; ").partition(": ")
        assert colon, line
        assert key not in fields
        fields[key] = value
    _check(fields)
    return File(fields, role, body.replace("\\`", "`"))


def _check(fields: dict[str, str]) -> None:
    assert tuple(fields)[: len(REQUIRED)] == REQUIRED
    assert all(fields[name].strip() == fields[name] != "" for name in REQUIRED)
    assert set(fields) <= {*REQUIRED, "X-Talktree"}
    assert _UUID4.fullmatch(fields["Block-UUID"])
    assert _SEMANTIC.fullmatch(fields["Version"])
    assert _STAMP.fullmatch(fields["Created-at"])
    datetime.fromisoformat(fields["Created-at"])
    assert re.fullmatch(r"[A-Za-z]+Message", fields["Component"])
    assert fields["Language"] == "markdown"
    if "X-Talktree" in fields:
        assert fields["X-Talktree"].isascii()
        assert isinstance(msgspec.json.decode(fields["X-Talktree"]), dict)
