"""What the records of a conversation carry for another format, readable.

A carried record is shown with `…` where a text stands that the message itself holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from talktree.convert.carry import Carry, Kept, size
from talktree.convert.index import Loaded, records
from talktree.errors import NotFound
from talktree.formats import by_slug
from talktree.formats.engine import Origin
from talktree.model.conversation import Conversation
from talktree.model.derive import speaker
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.text.json_read import decode
from talktree.text.json_value import Json
from talktree.views.lines import EMPTY, Line, indented, line
from talktree.views.measure import clipped, counted, one_line, text_lines
from talktree.views.measure import size as measured
from talktree.views.shapes import SCHEMA_VERSION, json_text

HOLE = "…"
WIDTH = 96
MOST_LINES = 12
_JSON = ("json", "ascii")


class Kept_(NamedTuple):
    """A carried record, for people."""

    place: str
    text: str
    value: Json


class Carrying:
    """What one conversation of a document carries."""

    def __init__(self, document: Document, conversation: Conversation) -> None:
        assert isinstance(document.origin, Origin)
        self._origin = document.origin
        self._conversation = conversation
        self._files: dict[int, str] = {}
        for each in self.loaded(range(len(conversation))):
            if each.carry is not None and each.carry.origin is not None:
                self._files = {file.number: file.path for file in each.carry.origin.sheets}
                break

    def loaded(self, positions: Sequence[int]) -> Iterator[Loaded]:
        """Records with what they carry, in source order."""
        return records(self._origin, self._conversation, sorted(positions))
