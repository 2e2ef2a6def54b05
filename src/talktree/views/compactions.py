"""Compactions and restorations in words: what happened, and how many messages remained."""

from __future__ import annotations

from talktree.formats.compactions import get_other_data, read_compaction_numbers
from talktree.model.compaction import COMPACTING, RESTORING, CompactionNumbers
from talktree.model.parts import Event
from talktree.text.json.value import Json
from talktree.views.details import format_details
from talktree.views.width import format_count, to_one_line

_BEGINS = (COMPACTING, RESTORING)


def format_compaction(event: Event) -> str:
    """Return a compaction in one line, such as `compacted: 150 → 15 messages, ratio 0.1`."""
    words = format_compaction_facts(event) or (to_one_line(event.text, 80) if event.text else "")
    return f"{event.kind}: {words}" if words else event.kind


def format_compaction_facts(event: Event) -> str:
    """Return the numbers of a compaction, then the rest of its data."""
    begins = event.kind in _BEGINS
    words = [
        *format_compaction_numbers(read_compaction_numbers(event), begins=begins),
        format_details(get_other_data(event)),
    ]
    return ", ".join(filter(None, words))


def format_compaction_numbers(numbers: CompactionNumbers, *, begins: bool = False) -> list[str]:
    """Return the numbers of a compaction in words; a beginning compaction has no final ones."""
    words = [
        _format_change(numbers.messages_before, numbers.messages_after, "message", begins=begins),
        _format_change(numbers.tokens_before, numbers.tokens_after, "token", begins=begins),
        "" if numbers.ratio is None else f"ratio {numbers.ratio:g}",
    ]
    return [each for each in words if each]


def _format_change(before: int | None, after: int | None, noun: str, *, begins: bool) -> str:
    if before is not None and after is not None:
        return f"{before:,} → {format_count(after, noun)}"
    if before is not None:
        return format_count(before, noun) + ("" if begins else " before")
    return "" if after is None else f"{format_count(after, noun)} after"


def build_compaction_shape(event: Event) -> dict[str, Json]:
    """Return a compaction as JSON values."""
    numbers = read_compaction_numbers(event)
    return {
        "kind": event.kind,
        "messages_before": numbers.messages_before,
        "messages_after": numbers.messages_after,
        "tokens_before": numbers.tokens_before,
        "tokens_after": numbers.tokens_after,
        "ratio": numbers.ratio,
    }
