"""The fields the document requires of every message, filled in where a new message lacks them.

Nothing is made up that is not known: no id and no time is invented here.
"""

from __future__ import annotations

from msgspec.structs import replace

from talktree.formats.chatbuilder.keys import known
from talktree.model.entries import Entry
from talktree.model.message import Author, Message

LONGEST = 60
"""How many characters of the first line make a description."""
LOOKED_AT = 1000
"""How much of a line is looked at for that."""
NOBODY = Author("Unknown")


def complete(entry: Entry) -> Entry:
    """A message with Component, Version, Description, Language and Authors."""
    if not isinstance(entry, Message):
        return entry
    required = {
        "Component": component(entry.role),
        "Version": "1.0.0",
        "Description": description(entry.text),
        "Language": "markdown",
    }
    there = {known(key) for key in entry.extra}
    missing = {key: value for key, value in required.items() if key.lower() not in there}
    nobody = not entry.authors and "authors" not in there
    return replace(
        entry,
        extra={**entry.extra, **missing},
        authors=(NOBODY,) if nobody else entry.authors,
    )


def component(role: str) -> str:
    """`UserMessage` for user, `ToolResultMessage` for tool_result."""
    words = "".join(char if char.isalnum() else " " for char in role).split()
    return "".join(word[:1].upper() + word[1:] for word in words) + "Message"


def description(text: str) -> str:
    """The first line that says something, as one short line."""
    for line in text.split("\n"):
        start = line.strip()[:LOOKED_AT]
        shown = "".join(char if char.isprintable() else " " for char in start)
        words = " ".join(shown.split()).lstrip("#").strip()
        if words:
            return words if len(words) <= LONGEST else _cut(words)
    return "(no text)"


def _cut(words: str) -> str:
    head = words[: LONGEST - 1]
    at_word = head.rpartition(" ")[0] if words[LONGEST - 1] != " " else head
    return f"{(at_word or head).rstrip()}…"
