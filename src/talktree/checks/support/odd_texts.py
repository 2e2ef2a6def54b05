"""The texts of a record that hold characters which act, found once for all rules about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from talktree.formats.rule_batch import Stretch
from talktree.formats.rule_context import Seen
from talktree.model.entries import Entry, Head
from talktree.model.message import Message
from talktree.model.parts import Artifact, Event, Part, Text, Thinking, ToolCall, ToolResult
from talktree.text.control_chars import ODD, may_hide
from talktree.text.json.strings import Placed, texts_in
from talktree.text.json.value import Json

ESCAPE = "\x1b"


def may_be_odd(stretch: Stretch) -> Sequence[Seen]:
    """The records of a stretch that may hold such texts; nearly always none does."""
    data = stretch.data
    if _may_escape(stretch) or (stretch.marks.may_hide and may_hide(data)):
        return stretch.seen
    # Bytes that are all ASCII tell nothing of characters that are written by their numbers.
    if stretch.is_json and not stretch.has_numbered:
        return ()
    if data.isascii():
        return () if stretch.strings.isascii() else stretch.seen
    return [seen for seen in stretch.seen if seen.record.raw.isascii()]


def _may_escape(stretch: Stretch) -> bool:
    """Whether the escape character stands in any text."""
    if stretch.is_json:
        # There it can only stand by its number, or as it is where that is a mistake.
        return stretch.has_controls or ESCAPE.encode() in stretch.data
    return ESCAPE in stretch.strings


def odd_texts(seen: Seen) -> list[Placed]:
    """The texts of a record that may act."""
    if not _may_be_odd(seen.record.raw, seen.entry):
        return []
    return [each for each in texts_in(seen.value) if ODD.search(each.text)]


def _may_be_odd(raw: bytes, entry: Entry) -> bool:
    """Whether to look closer. What is said is told by the parts: looking for the one character
    there is quicker than looking for its spellings in the bytes."""
    spelt_out = raw.isascii()
    if not spelt_out and may_hide(raw):
        return True
    if type(entry) is not Message:
        return type(entry) is Head and _acts(entry.title or "", spelt_out)
    for part in entry.parts:
        if type(part) is Text:
            text = part.text
            if ESCAPE in text or (spelt_out and not text.isascii() and _acts(text, spelt_out)):
                return True
        elif any(_acts(text, spelt_out) for text in _texts(part)):
            return True
    return False


def _acts(text: str, spelt_out: bool) -> bool:  # noqa: FBT001
    return ESCAPE in text or (spelt_out and not text.isascii() and ODD.search(text) is not None)


def _texts(part: Part) -> Iterable[str]:
    if isinstance(part, Thinking):
        return (part.text,)
    if isinstance(part, ToolResult):
        return [each.text for each in part.output if type(each) is Text]
    if isinstance(part, ToolCall):
        return _inputs(part.input)
    if isinstance(part, Artifact):
        return (part.content or "",)
    return (part.text or "",) if isinstance(part, Event) else ()


def _inputs(value: Json) -> Iterable[str]:
    """The texts a tool is given; nearly always they are members of one object."""
    if isinstance(value, dict) and not any(
        isinstance(each, dict | list) for each in value.values()
    ):
        return [each for each in value.values() if type(each) is str]
    return [each.text for each in texts_in(value)]
