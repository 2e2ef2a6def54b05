"""Search for a text in a branch, with a time limit.

Records that cannot contain the text are excluded by their bytes, without decoding them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

from talktree.formats.engine import DocumentOrigin
from talktree.formats.jsonl_file import LineSheet
from talktree.model.conversation import Conversation
from talktree.model.message import Message
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UnknownPart,
)
from talktree.web.documents.row_list import RowList
from talktree.web.schemas.transcript import FoundRows

_PLAIN = re.compile(r"[a-z0-9 .,:;_@#$%&*()+=<>?!|{}\[\]~^'`-]+")
r"""Characters that JSON writes as they are, unless they are escaped with `\u`."""
_SPELLED = re.compile(rb"\\u(?!00[01])")
"""Letters that are escaped by number; control characters are not letters."""
_ODD = tuple(
    chr(code)
    for code in (
        *(0xDF, 0x130, 0x149, 0x17F, 0x1F0, 0x1E9E, 0x212A),
        *range(0x1E96, 0x1E9B),
        *range(0xFB00, 0xFB07),
    )
)
"""Letters that equal plain ones when case is ignored."""

Silent = Callable[[int], bool]


def make_absence_test(conversation: Conversation, wanted: str) -> Silent:
    """Return a test whether the record at a position certainly lacks a lower-case text."""
    origin = conversation.store
    if not isinstance(origin, DocumentOrigin) or not _PLAIN.fullmatch(wanted):
        return lambda position: False
    sought, members, changed = wanted.encode(), conversation.members, conversation.changed
    odd = [each.encode() for each in _ODD if not set(each.casefold()).isdisjoint(wanted)]

    def is_silent(position: int) -> bool:
        """Whether the bytes of a record rule it out."""
        number = members[position]
        if number in changed:
            return False
        which, index = origin.sheet_of(number)
        sheet = origin.sheets[which]
        if not isinstance(sheet, LineSheet):
            return False
        raw = sheet.content.read(sheet.starts[index], sheet.stops[index])
        return sought not in raw.lower() and not _may_mean_others(raw, odd)

    return is_silent


def _may_mean_others(raw: bytes, odd: list[bytes]) -> bool:
    """Whether other characters in these bytes may stand for plain letters."""
    if not raw.isascii() and any(letter in raw for letter in odd):
        return True
    return b"\\u" in raw and _SPELLED.search(raw) is not None


MOST_FOUND = 1000
SECONDS = 0.5
"""Maximum seconds of one request; `from` continues where it stopped."""
LOOK_BACK = 64
"""How many rows above its result a call is searched for."""


def find_rows(conversation: Conversation, rows: RowList, text: str, first: int) -> FoundRows:
    """Return the rows from one on that contain a text in any case, and where to continue."""
    wanted = text.casefold()
    is_silent = make_absence_test(conversation, wanted)
    end = time.monotonic() + SECONDS
    found: set[int] = set()
    showing = _Showing(conversation, rows)
    for number in range(first, len(rows)):
        if len(found) >= MOST_FOUND or time.monotonic() > end:
            return _to_found_rows(found, complete=False, next=number)
        mine = [rows.path[place] for place in rows.span(number)]
        loud = [position for position in mine if not is_silent(position)]
        for entry in conversation.entries_at(loud):
            if _has_text(entry, wanted):
                found.add(max(first, showing.find_row(entry, number, wanted)))
    return _to_found_rows(found, complete=True, next=len(rows))


def _to_found_rows(found: set[int], *, complete: bool, next: int) -> FoundRows:
    numbers = tuple(sorted(found))
    return FoundRows(total=len(numbers), numbers=numbers, complete=complete, next=next)


class _Showing:
    """Finds the row that shows the text of a message: results are shown with their calls."""

    def __init__(self, conversation: Conversation, rows: RowList) -> None:
        self._conversation = conversation
        self._rows = rows

    def find_row(self, message: object, number: int, wanted: str) -> int:
        """Return the row that shows a text of a message; for parallel calls, it may be above the
        row that their results follow."""
        calls = _find_answered_calls(message, wanted)
        if not calls:
            return number
        for row in range(number, max(-1, number - LOOK_BACK), -1):
            entry = self._conversation.entry(self._rows.positions[row])
            if isinstance(entry, Message) and calls & _find_made_calls(entry):
                return row
        return number


def _find_answered_calls(message: object, wanted: str) -> set[str]:
    """Return the calls whose results contain a text."""
    parts = message.parts if isinstance(message, Message) else ()
    return {
        part.call
        for part in parts
        if isinstance(part, ToolResult)
        and part.call is not None
        and any(wanted in text.casefold() for text in collect_texts(part))
    }


def _find_made_calls(message: Message) -> set[str]:
    return {part.id for part in message.parts if isinstance(part, ToolCall) and part.id is not None}


def _has_text(entry: object, wanted: str) -> bool:
    return isinstance(entry, Message) and has_text(entry, wanted)


def has_text(message: Message, wanted: str) -> bool:
    """Whether any part of a message contains a text, which is given in lower case."""
    return any(wanted in text.casefold() for part in message.parts for text in collect_texts(part))


def collect_texts(part: Part) -> Iterator[str]:
    """Return all text of a part, in pieces."""
    match part:
        case Text(text=text) | Thinking(text=text):
            yield text
        case ToolCall():
            yield part.name
            yield from _collect_strings(part.input)
        case ToolResult():
            for each in part.output:
                yield from collect_texts(each)
        case Attachment():
            yield part.name or ""
            if part.url and not part.url.startswith("data:"):
                yield part.url
        case Artifact():
            yield part.title or ""
            yield part.content or ""
        case Event():
            yield part.text or ""
        case UnknownPart():
            yield from _collect_strings(part.value)


def _collect_strings(value: object) -> Iterator[str]:
    """Yield the strings in a value, without recursion."""
    pending: list[object] = [value]
    while pending:
        here = pending.pop()
        if isinstance(here, str):
            yield here
        elif isinstance(here, dict):
            pending += [*reversed([*here.values()])]
        elif isinstance(here, list):
            pending += reversed(here)
