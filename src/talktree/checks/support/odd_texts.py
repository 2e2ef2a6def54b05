"""Texts of a record with characters that have an effect, found once for all rules about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from talktree.formats.rule_batch import RecordBatch
from talktree.formats.rule_context import RuleRecord
from talktree.model.entries import Entry, Head
from talktree.model.message import Message
from talktree.model.parts import Artifact, Event, Part, Text, Thinking, ToolCall, ToolResult
from talktree.text.control_chars import ODD, can_hide
from talktree.text.json.strings import PlacedText, iterate_texts
from talktree.text.json.value import Json

ESCAPE = "\x1b"


def select_possibly_odd(batch: RecordBatch) -> Sequence[RuleRecord]:
    """Return the records of a batch that may hold such texts; nearly always none does."""
    data = batch.data
    if _may_escape(batch) or (batch.marks.may_hide and can_hide(data)):
        return batch.seen
    # Pure ASCII bytes do not show which characters are escaped in them.
    if batch.is_json and not batch.has_numbered:
        return ()
    if data.isascii():
        return () if batch.strings.isascii() else batch.seen
    return [seen for seen in batch.seen if seen.record.raw.isascii()]


def _may_escape(batch: RecordBatch) -> bool:
    """Whether the escape character may occur in any text."""
    if batch.is_json:
        # There it can only be escaped, or unescaped by mistake.
        return batch.has_controls or ESCAPE.encode() in batch.data
    return ESCAPE in batch.strings


def find_odd_texts(seen: RuleRecord) -> list[PlacedText]:
    """Return the texts of a record that may have an effect."""
    if not _may_be_odd(seen.record.raw, seen.entry):
        return []
    return [each for each in iterate_texts(seen.value) if ODD.search(each.text)]


def _may_be_odd(raw: bytes, entry: Entry) -> bool:
    """Whether a closer look is needed.

    The parts hold the content: searching them for the one character is quicker than searching the
    bytes for its spellings.
    """
    spelt_out = raw.isascii()
    if not spelt_out and can_hide(raw):
        return True
    if type(entry) is not Message:
        return type(entry) is Head and _is_acting(entry.title or "", spelt_out)
    for part in entry.parts:
        if type(part) is Text:
            text = part.text
            if ESCAPE in text or (spelt_out and not text.isascii() and _is_acting(text, spelt_out)):
                return True
        elif any(_is_acting(text, spelt_out) for text in _list_texts(part)):
            return True
    return False


def _is_acting(text: str, spelt_out: bool) -> bool:  # noqa: FBT001
    return ESCAPE in text or (spelt_out and not text.isascii() and ODD.search(text) is not None)


def _list_texts(part: Part) -> Iterable[str]:
    if isinstance(part, Thinking):
        return (part.text,)
    if isinstance(part, ToolResult):
        return [each.text for each in part.output if type(each) is Text]
    if isinstance(part, ToolCall):
        return _list_inputs(part.input)
    if isinstance(part, Artifact):
        return (part.content or "",)
    return (part.text or "",) if isinstance(part, Event) else ()


def _list_inputs(value: Json) -> Iterable[str]:
    """Yield the texts in a tool's input; nearly always they are members of one object."""
    if isinstance(value, dict) and not any(
        isinstance(each, dict | list) for each in value.values()
    ):
        return [each for each in value.values() if type(each) is str]
    return [each.text for each in iterate_texts(value)]
