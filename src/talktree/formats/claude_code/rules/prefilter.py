"""A quick prefilter for lines as Claude Code writes them, over many lines at a time.

Most rules for lines find nothing in these, so they can be skipped.
"""

from __future__ import annotations

from collections.abc import Sequence

from talktree.formats.claude_code.detect import SPOKEN
from talktree.formats.lens import Object
from talktree.formats.rule_batch import RecordBatch
from talktree.formats.rule_context import RuleRecord
from talktree.model.entries import Snapshot
from talktree.model.message import Message, Usage

TEXTS = ("uuid", "parentUuid", "sessionId", "timestamp", "cwd", "version", "gitBranch", "agentId")
FLAGS = ("isSidechain", "isMeta", "isApiErrorMessage")
_UNUSUAL = frozenset((*TEXTS, *FLAGS, "toolUseResult", "todos"))
"""Members that reading consumes, and leaves in `extra` only if their value is unexpected."""


def find_unusual_messages(batch: RecordBatch) -> Sequence[RuleRecord]:
    """Return the messages whose lines are not exactly as Claude Code writes them."""
    return [seen for seen in batch.messages if not _is_usual(seen.entry, seen.record.value)]  # type: ignore[arg-type]


def find_unusual_records(batch: RecordBatch) -> Sequence[RuleRecord]:
    """Return the same, together with records that are neither messages nor snapshots."""
    others = [seen for seen in batch.seen if type(seen.entry) not in (Message, Snapshot)]
    return [*batch.apply_glance(find_unusual_messages), *others]


def _is_usual(entry: Message, value: Object) -> bool:
    if entry.session is None or entry.time_ns is None or entry.todos is not None:
        return False
    if "parentUuid" not in value or not _UNUSUAL.isdisjoint(entry.extra):
        return False
    if value.get("type") not in SPOKEN:
        return "message" not in value
    api = value.get("message")
    return (
        type(api) is dict
        and api.get("role") == entry.role
        and api.get("content") is not None
        and (api.get("usage") is None if entry.usage is None else _is_sound(entry.usage))
    )


def _is_sound(usage: Usage) -> bool:
    return (
        usage.input >= 0 and usage.output >= 0 and usage.cache_read >= 0 and usage.cache_write >= 0
    )
