"""Compactions and restorations in words: what happened, and how much was left."""

from __future__ import annotations

from talktree.formats.compactions import compaction_numbers, other_data
from talktree.model.compaction import COMPACTING, RESTORING, CompactionNumbers
from talktree.model.parts import Event
from talktree.text.json.value import Json
from talktree.views.details import details
from talktree.views.width import counted, one_line

_BEGINS = (COMPACTING, RESTORING)


def compaction_text(event: Event) -> str:
    """A compaction on one line, such as `compacted: 150 → 15 messages, ratio 0.1`."""
    told = compaction_facts(event) or (one_line(event.text, 80) if event.text else "")
    return f"{event.kind}: {told}" if told else event.kind


def compaction_facts(event: Event) -> str:
    """The numbers of a compaction, then what else its data says."""
    begins = event.kind in _BEGINS
    told = [*numbers_words(compaction_numbers(event), begins=begins), details(other_data(event))]
    return ", ".join(filter(None, told))


def numbers_words(numbers: CompactionNumbers, *, begins: bool = False) -> list[str]:
    """The numbers of a compaction in words; one that begins has nothing after it."""
    told = [
        _change(numbers.messages_before, numbers.messages_after, "message", begins=begins),
        _change(numbers.tokens_before, numbers.tokens_after, "token", begins=begins),
        "" if numbers.ratio is None else f"ratio {numbers.ratio:g}",
    ]
    return [each for each in told if each]


def _change(before: int | None, after: int | None, noun: str, *, begins: bool) -> str:
    if before is not None and after is not None:
        return f"{before:,} → {counted(after, noun)}"
    if before is not None:
        return counted(before, noun) + ("" if begins else " before")
    return "" if after is None else f"{counted(after, noun)} after"


def compaction_shape(event: Event) -> dict[str, Json]:
    """A compaction for scripts."""
    numbers = compaction_numbers(event)
    return {
        "kind": event.kind,
        "messages_before": numbers.messages_before,
        "messages_after": numbers.messages_after,
        "tokens_before": numbers.tokens_before,
        "tokens_after": numbers.tokens_after,
        "ratio": numbers.ratio,
    }
