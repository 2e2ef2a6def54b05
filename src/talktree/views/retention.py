"""What retention rules forget, as text and as JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from talktree.views.lines import Line, line
from talktree.views.width import format_count, format_size, format_stamp

if TYPE_CHECKING:
    from talktree.library.retention.apply import RetentionResult
    from talktree.library.retention.plan import RetentionCase, RetentionPlan
    from talktree.text.json.value import Json


def format_case_line(case: RetentionCase) -> Line:
    """Return a source that will be forgotten: its age, its title, and the rule."""
    more = f" and {format_count(case.conversations - 1, 'other')}" if case.conversations > 1 else ""
    name = f"{case.entry.id}{more}"
    title = f"  {case.entry.title}" if case.entry.title else ""
    return line(
        (f"{_format_day(case.due_ns)}  ", "mark"), name, title, f"  (rule {case.rule.number})"
    )


def format_plan_lines(plan: RetentionPlan) -> Iterator[str]:
    """Yield further notes about a plan, one sentence on each line."""
    if plan.kept:
        kept = format_count(plan.kept, "conversation")
        yield f"{kept} old enough to be forgotten, kept by a rule"
    if plan.shared:
        yield (
            f"{format_count(plan.shared, 'conversation')} kept, "
            "because the same file holds others that "
            "are not old enough"
        )
    if plan.undated:
        yield f"{format_count(plan.undated, 'conversation')} without a date kept"
    if plan.changed:
        changed = format_count(plan.changed, "source")
        yield f"{changed} changed since the last import; `talktree import` brings them up to date"
    if plan.next_due_ns is not None:
        yield f"the next one comes due on {_format_day(plan.next_due_ns)}"


def build_plan_shape(plan: RetentionPlan, why_not: str | None = None) -> dict[str, Json]:
    """Return a plan as JSON values, and why it would not be carried out."""
    return {
        "forget": [_build_case_shape(case) for case in plan.cases],
        "bytes": plan.bytes,
        "conversations": plan.total,
        "kept_by_rule": plan.kept,
        "kept_with_others": plan.shared,
        "undated": plan.undated,
        "changed": plan.changed,
        "next_due": None if plan.next_due_ns is None else format_stamp(plan.next_due_ns),
        "rules": [
            {"number": rule.number, "rule": rule.text, "keep": rule.forget_after is None}
            for rule in plan.rules.rules
        ],
        "not_applied": why_not,
    }


def build_result_shape(result: RetentionResult) -> dict[str, Json]:
    """Return what retention did, as JSON values."""
    return {
        "forgotten": [_build_case_shape(case) for case in result.cases],
        "freed": result.freed,
        "left": [*result.left],
        "not_applied": result.why_not,
    }


def format_result_line(result: RetentionResult) -> str:
    """Return what retention forgot, in one sentence."""
    count = sum(case.conversations for case in result.cases)
    forgotten = format_count(count, "conversation")
    return f"{forgotten} forgotten by retention rules, {format_size(result.freed)} freed"


def _build_case_shape(case: RetentionCase) -> dict[str, Json]:
    return {
        "id": case.entry.id,
        "path": os.fsdecode(case.entry.raw_path),
        "title": case.entry.title,
        "project": case.entry.project,
        "format": case.entry.format,
        "last": None if case.entry.last_ns is None else format_stamp(case.entry.last_ns),
        "due": format_stamp(case.due_ns),
        "rule": case.rule.number,
        "conversations": case.conversations,
        "bytes": case.entry.size,
    }


def _format_day(time: int) -> str:
    return format_stamp(time)[:10]
