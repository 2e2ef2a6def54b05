"""The records of a clean file, to be changed by hand.

Names of members are repeated here on purpose: damage must not depend on the reader that should find
it.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

from talktree.formats.engine import DocumentOrigin
from talktree.model.document import Document
from talktree.model.entries import Opaque
from talktree.model.message import Message
from tests.conversion.trips import Files

MARK = re.compile(r"No\. ([0-9]+):")
ID = {
    "claude-code": "uuid",
    "claude-messages": "uuid",
    "sage": "uuid",
    "native": "id",
    "studio": "id",
    "muse": "id",
}
PARENT = {
    "claude-code": "parentUuid",
    "claude-messages": "parentUuid",
    "sage": "parentUuid",
    "native": "parent",
    "studio": "parentId",
}
LINES = ("claude-code", "claude-messages", "sage", "native")
"""Formats with one record per line."""
JSON = (*LINES, "studio", "muse")
ALL = (*JSON, "studio-text", "studio-xml", "chatbuilder")


def numbers_in(text: str) -> set[int]:
    """Return the messages whose words a text holds."""
    return {int(found) for found in MARK.findall(text)}


def main_file(files: Files, slug: str) -> str:
    """Return the file with the messages, or one of several."""
    if slug == "sage":
        return "messages.jsonl"
    return next(iter(files.files))


def with_file(files: Files, path: str, data: bytes) -> Files:
    """Return the same files with one changed."""
    return Files({**files.files, path: data}, files.folder)


class Lines:
    """The lines of a file; messages are recognized by their words."""

    def __init__(self, files: Files, slug: str) -> None:
        self.files = files
        self.slug = slug
        self.path = main_file(files, slug)
        self.raw = files.files[self.path].splitlines(keepends=True)

    @property
    def messages(self) -> list[int]:
        """The positions of lines that are messages."""
        return [at for at, line in enumerate(self.raw) if MARK.search(line.decode())]

    def number(self, at: int) -> int:
        """Return the number of the message in a line."""
        return min(numbers_in(self.raw[at].decode()))

    def value(self, at: int) -> dict[str, Any]:
        """Return the whole record."""
        found: dict[str, Any] = json.loads(self.raw[at])
        return found

    def message(self, at: int) -> dict[str, Any]:
        """Return the object that has the id."""
        value = self.value(at)
        return value["message"] if self.slug == "native" else value

    def set(self, at: int, **members: object) -> None:
        """Change members of the object that has the id; Ellipsis removes one."""
        value = self.value(at)
        inside = value["message"] if self.slug == "native" else value
        for name, member in members.items():
            if member is ...:
                inside.pop(name, None)
            else:
                inside[name] = member
        self.put(at, value)

    def put(self, at: int, value: object) -> None:
        """Replace the record at a position."""
        self.raw[at] = _line(value)

    def insert(self, at: int, value: object) -> None:
        """Insert a record before a position."""
        self.raw.insert(at, _line(value))

    def id(self, at: int) -> str:
        """Return the id of a message."""
        found: str = self.message(at)[ID[self.slug]]
        return found

    def set_id(self, at: int, id: str) -> None:
        """Set the id."""
        self.set(at, **{ID[self.slug]: id})

    def set_parent(self, at: int, parent: object) -> None:
        """Set the parent."""
        self.set(at, **{PARENT[self.slug]: parent})

    def done(self) -> Files:
        """Return the files with these lines."""
        return with_file(self.files, self.path, b"".join(self.raw))

    def pick(self, random: Random, *, first: int = 0, last: int = 0) -> int:
        """Return the position of some message, except for a number of first and last ones."""
        found = self.messages
        return random.choice(found[first : len(found) - last])


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def text_place(data: bytes, random: Random) -> int:
    """Return a position inside the words of some message."""
    found = [each.end() for each in re.finditer(rb"No\. [0-9]+:", data)]
    return random.choice(found)


def numbers_of(document: Document) -> set[int]:
    """Return every message that exists, including unreadable ones."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    found: set[int] = set()
    for conversation in document.conversations:
        for position, number in enumerate(conversation.members):
            record = origin.record(number, *conversation.names(position))
            if isinstance(origin.format.get(record), Message | Opaque):
                found |= numbers_in(record.raw.decode("utf-8", "replace"))
    return found
