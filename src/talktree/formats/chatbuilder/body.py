"""The content of a message file as the model has it, and new files made from it.

The body of a message file has backslashes before backticks, which are removed and added here. The
specification only says "remove the backslashes before backticks". Done in one pass from left to
right, where each backtick removes one backslash, this has an inverse for every text: a backtick
that follows a backslash in the text gets one more, and all others may be escaped or not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from talktree.formats.chatbuilder import lens_authors
from talktree.formats.chatbuilder.parse import MessageLayout
from talktree.formats.chatbuilder.parse_header import (
    AUTHORS,
    CREATED,
    REQUIRED,
    ROLE,
    UUID,
    HeaderLine,
    normalize_key,
)
from talktree.model.message import Author
from talktree.text.times import from_iso, to_iso

Habit = Literal["first", "each", "raw"]
"""How a fence of three or more backticks is escaped: its first backtick, each one, or none."""

_RUN = re.compile(r"`+")
_EACH = re.compile(r"\\`\\`\\`")
_FIRST = re.compile(r"\\```")
RAW = re.compile(r"(?<![\\`])```")
FENCE = 3


def unescape(body: str) -> str:
    """Return the text of a body, without the backslashes directly before backticks."""
    return body.replace("\\`", "`")


def escape(text: str, habit: Habit) -> str:
    """Return a body that `unescape` turns into this text, for any text."""

    def _escaped(run: re.Match[str]) -> str:
        ticks = run.group()
        after_backslash = text.endswith("\\", 0, run.start())
        if len(ticks) < FENCE or habit == "raw":
            return f"\\{ticks}" if after_backslash else ticks
        return "\\`" * len(ticks) if habit == "each" else f"\\{ticks}"

    return _RUN.sub(_escaped, text)


def detect_habit(body: str, *, default: Habit) -> Habit:
    """Return how a body writes its fences; the escaped forms win a draw."""
    counts: dict[Habit, int] = {
        "first": len(_FIRST.findall(body)),
        "each": len(_EACH.findall(body)),
        "raw": len(RAW.findall(body)),
    }
    most = max(counts.values())
    if not most:
        return default
    return next(habit for habit, count in counts.items() if count == most)


UNKNOWN = "unknown"
"""The role of a message that names none."""


class MessageContent(Struct, frozen=True, kw_only=True):
    """The content of a message file."""

    id: str = ""
    role: str = UNKNOWN
    time: int | None = None
    authors: tuple[Author, ...] = ()
    extra: Mapping[str, str] = {}
    """All other keys, in their own spelling."""
    text: str = ""


def parse_content(layout: MessageLayout) -> MessageContent:
    """Return the content of a file; the first of duplicate keys counts."""
    first: dict[str, HeaderLine] = {}
    for line in layout.lines:
        if line.name is not None:
            first.setdefault(line.name, line)
    values = {name: line.value for name, line in first.items()}
    time = from_iso(values.get(CREATED, ""))
    authors = lens_authors.parse_authors(values.get(AUTHORS, ""))
    named = {UUID, ROLE}
    if time is not None:
        named.add(CREATED)
    if authors or not values.get(AUTHORS):
        named.add(AUTHORS)
    return MessageContent(
        id=values.get(UUID, ""),
        role=values.get(ROLE) or UNKNOWN,
        time=time,
        authors=authors,
        extra={line.key or "": line.value for name, line in first.items() if name not in named},
        text=unescape(layout.body),
    )


def make_layout(wanted: MessageContent) -> MessageLayout:
    """Return a new file in the specification's form: required fields, a blank comment, the role."""
    values = {normalize_key(key): (key, value) for key, value in wanted.extra.items()}
    if wanted.id:
        values[UUID] = ("Block-UUID", wanted.id)
    if wanted.time is not None:
        values[CREATED] = ("Created-at", to_iso(wanted.time))
    if wanted.authors:
        values[AUTHORS] = ("Authors", lens_authors.format_authors(wanted.authors))
    required = [values.pop(name.lower()) for name in REQUIRED if name.lower() in values]
    fields = [make_line(key, value, end="\n") for key, value in (*required, *values.values())]
    blank = [HeaderLine(";\n")] if fields else []
    lines = (*fields, *blank, make_line("role", wanted.role))
    return MessageLayout("", lines, "\n\n\n", escape(wanted.text, "first"))


def make_line(key: str, value: str, *, lead: str = "; ", end: str = "") -> HeaderLine:
    """Return a header line for a key that was not there."""
    return HeaderLine(lead, key, ": " if value else ":", value, end)
