"""Nine naive readers of conversations: an independent reading of what a file shows.

They use the standard library and nothing of `talktree`, so that a fault in the product cannot hide
itself. `read(slug, path)` returns the messages of each conversation that a person would find in the
files; `missing` compares two such readings.
"""

from __future__ import annotations

from pathlib import Path

from tests.oracle import (
    chatbuilder,
    claude_code,
    claude_messages,
    muse,
    native,
    sage,
    studio,
    studio_text,
    studio_xml,
)
from tests.oracle.shown import Shown

READERS = {
    "chatbuilder": chatbuilder.read,
    "claude-code": claude_code.read,
    "claude-messages": claude_messages.read,
    "muse": muse.read,
    "native": native.read,
    "sage": sage.read,
    "studio": studio.read,
    "studio-text": studio_text.read,
    "studio-xml": studio_xml.read,
}


def read(slug: str, path: Path) -> dict[str, list[Shown]]:
    """Return the messages of a file or folder of a format, by the name of their conversation."""
    return READERS[slug](path)


def messages(slug: str, path: Path) -> list[Shown]:
    """Return the messages of all conversations, one list after the other."""
    return [shown for each in read(slug, path).values() for shown in each]
