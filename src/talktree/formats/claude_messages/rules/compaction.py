"""CLM4: compaction and restoration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from talktree.formats.claude_messages.lens import OPERATIONS
from talktree.formats.claude_messages.rules.message_types import CLAUDE_MESSAGES, get_line_value
from talktree.formats.fixes import repair_value
from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.model.message import Message
from talktree.model.outline import Trait
from talktree.model.parts import Event
from talktree.text.json.value import Json

COUNTS = ("preservedMessages", "totalMessages")
RATIO = "compressionRatio"
NEAR = 0.0101
"""Tolerance for ratios, which are written with two digits."""
ENDS = {"compacting": "compacted", "restoring": "restored"}


@rule("CLM401", "unknown-operation", "error", on="message", formats=CLAUDE_MESSAGES)
def unknown_operation(seen: RuleRecord) -> Iterable[Diagnostic]:
    """The message of a `compact_system` line is none of the four operations there are.

    Why: it is not read by people but by programs, and they do not know what was done to the
    conversation here.

    Bad:
        {"type":"compact_system","uuid":"msg-009","message":"compacting the conversation"}

    Fix: none, because what was done is not known.
    """
    value = get_line_value(seen)
    if value.get("type") != "compact_system":
        return ()
    said = value.get("message")
    if not isinstance(said, str) or said in OPERATIONS:
        return ()
    return [Diagnostic(f"no operation is called {said[:40]}", way="message")]


@rule("CLM402", "missing-statistics", "error", on="part", formats=CLAUDE_MESSAGES, parts=(Event,))
def missing_statistics(part: Event, seen: RuleRecord, number: int) -> Iterable[Diagnostic]:
    """A finished compaction has no `metadata`.

    Why: it says how much of the conversation was kept; the document has it on every
    `conversation_compacted`.

    Bad:
        {"type":"compact_system","uuid":"msg-010","message":"conversation_compacted"}

    Fix: none, because the numbers are not known any more.
    """
    if part.kind != "compacted" or part.data is not None:
        return ()
    return [Diagnostic("a compaction without statistics", way="message")]


def _read_counts(data: Object) -> tuple[int, int] | None:
    kept, total = (data.get(key) for key in COUNTS)
    if type(kept) is not int or type(total) is not int or not 0 <= kept <= total or not total:
        return None
    return kept, total


def _fix_counts(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = get_line_value(seen)
    data = value.get("metadata")
    counts = _read_counts(data) if isinstance(data, dict) else None
    if counts is None or not isinstance(data, dict):
        return value
    kept, total = counts
    return {**value, "metadata": {**data, RATIO: round(kept / total, 2)}}


@rule(
    "CLM403",
    "wrong-statistics",
    "warning",
    on="part",
    formats=CLAUDE_MESSAGES,
    parts=(Event,),
    fix=make_safe_fix(repair_value(_fix_counts)),
)
def wrong_statistics(part: Event, seen: RuleRecord, number: int) -> Iterable[Diagnostic]:
    """The statistics of a compaction contradict themselves: more messages kept than there were, or
    a ratio that is not the one of the two numbers.

    Why: readers get a different picture from each.

    Bad:
        {"message":"conversation_compacted","metadata":{"preservedMessages":15,"totalMessages":150,"compressionRatio":0.9}}

    Fix (safe): the ratio is computed again from the two numbers. If those are impossible
    themselves, they stay.
    """
    data = part.data
    if part.kind != "compacted" or not isinstance(data, dict) or not data:
        return ()
    return _report_contradictions(data)


def _report_contradictions(data: Object) -> Iterator[Diagnostic]:
    counts = _read_counts(data)
    if counts is None:
        if all(key in data for key in COUNTS):
            yield Diagnostic("impossible numbers of messages", "metadata", fixable=False)
        return
    ratio = data.get(RATIO)
    if ratio is None:
        return
    true = counts[0] / counts[1]
    if not isinstance(ratio, int | float) or abs(ratio - true) > NEAR:
        yield Diagnostic(f"the ratio is {true:.2f}", way=f"metadata/{RATIO}")


@rule("CLM404", "unfinished-operation", "note", on="talk", formats=CLAUDE_MESSAGES)
def unfinished_operation(talk: CheckedConversation) -> Iterable[Diagnostic]:
    """A compaction or restoration was begun and never finished, though the conversation goes on.

    Why: whether the model still knew what was said before is not certain from here on.

    Bad:
        {"type":"compact_system","uuid":"msg-009","message":"conversation_compacting"}
        {"type":"user","uuid":"msg-010","parentUuid":"msg-009","message":"Go on."}

    Fix: none, because what happened is not known.
    """
    roles, traits = talk.skeleton.roles, talk.skeleton.traits
    lines = [
        position
        for position, role in enumerate(roles)
        if role == "system" and traits[position] == Trait.NOTE
    ]
    if not lines:
        return ()
    return _report_unfinished(talk, lines)


def _report_unfinished(talk: CheckedConversation, lines: Sequence[int]) -> Iterator[Diagnostic]:
    begun: dict[str, int] = {}
    for position in lines:
        kind = _get_operation(talk.read_record(position))
        if kind in ENDS:
            begun[ENDS[kind]] = position
        else:
            begun.pop(kind, None)
    goes_on = set(talk.skeleton.parents)
    for position in begun.values():
        if position in goes_on:
            yield Diagnostic("it was never finished", way="message", position=position)


def _get_operation(seen: RuleRecord) -> str:
    parts = seen.entry.parts if isinstance(seen.entry, Message) else ()
    return next((part.kind for part in parts if isinstance(part, Event)), "")
