"""The retention plan: one case for each source that the rules select; nothing is changed.

The library keeps and forgets sources as a whole. A file with several conversations is forgotten
only when the rules select all of them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from talktree.errors import UsageError, did_you_mean
from talktree.library.retention.age import find_due_time
from talktree.settings.retention import RetentionRule, RetentionRules, retention_rules
from talktree.text.times import to_datetime

if TYPE_CHECKING:
    from talktree.library.library import Library
    from talktree.library.listing import LibraryEntry

_BRANCH_NAMES = "SELECT source, conversation, name FROM branch_names"
_FILES = """
SELECT path, size, modified FROM files
WHERE source = ? AND state = 'here' AND generation IS NOT NULL
"""
Names = Mapping[int, list[tuple[str, str]]]
"""The named branches of sources: the conversation and the name of each."""


class RetentionCase(NamedTuple):
    """A source that the rules select."""

    entry: LibraryEntry
    """Its conversation, or the newest of several."""
    rule: RetentionRule
    due_ns: int
    """When it becomes due, in nanoseconds since 1970."""
    conversations: int

    @property
    def due(self) -> datetime | None:
        """When it becomes due, in UTC."""
        return to_datetime(self.due_ns)


class RetentionPlan(NamedTuple):
    """The plan for the whole library at a given time."""

    rules: RetentionRules
    now_ns: int
    cases: tuple[RetentionCase, ...]
    """What is to be forgotten, in the order in which it became due."""
    total: int
    """How many conversations the library has."""
    kept: int
    """How many are old enough to be forgotten and are kept by a rule."""
    undated: int
    """How many have no date and are kept for that reason."""
    shared: int
    """How many would be forgotten if their file did not hold others."""
    changed: int
    """How many sources changed on disk after they were imported, so that their age is unknown."""
    next_due_ns: int | None
    """When the next conversation becomes due, in nanoseconds since 1970."""

    @property
    def next_due(self) -> datetime | None:
        """When the next conversation becomes due, in UTC."""
        return to_datetime(self.next_due_ns)

    @property
    def bytes(self) -> int:
        """The size of all sources that are to be forgotten."""
        return sum(case.entry.size for case in self.cases)


class _Verdict(NamedTuple):
    """The result of the rules for one conversation."""

    entry: LibraryEntry
    rule: RetentionRule | None = None
    due: int | None = None
    protected: bool = False
    undated: bool = False


def plan_retention(
    library: Library, *, rules: RetentionRules | None = None, now: int | None = None
) -> RetentionPlan:
    """Return what the configured rules select now."""
    rules = resolve_formats(retention_rules() if rules is None else rules)
    now = time.time_ns() if now is None else now
    names = _load_branch_names(library)
    sources: dict[int, list[_Verdict]] = {}
    for entry in library.conversations():
        verdict = _apply_rules(entry, rules.rules, names.get(entry.source, []), now)
        sources.setdefault(entry.source, []).append(verdict)
    cases: list[RetentionCase] = []
    shared = changed = 0
    for verdicts in sources.values():
        due = [each for each in verdicts if _is_due(each, now)]
        if len(due) < len(verdicts):
            shared += len(due)
        elif _has_changed(library, verdicts[0].entry):
            changed += 1
        else:
            cases.append(_make_case(verdicts))
    wanted = {case.entry.source for case in cases}
    cases, kept = _without_kept_copies(library, cases, wanted)
    every = [each for verdicts in sources.values() for each in verdicts]
    later = [each.due for each in every if each.due is not None and each.due > now]
    return RetentionPlan(
        rules,
        now,
        tuple(sorted(cases, key=lambda case: case.due_ns)),
        total=len(every),
        kept=kept + sum(each.protected for each in every),
        undated=sum(each.undated for each in every),
        shared=shared,
        changed=changed,
        next_due_ns=min(later, default=None),
    )


def _without_kept_copies(
    library: Library, cases: list[RetentionCase], due: set[int]
) -> tuple[list[RetentionCase], int]:
    """Return the cases whose copies are all due, and how many conversations are kept for a copy.

    Forgetting a conversation forgets its copies, so one that is kept keeps all of them.
    """
    if not cases:
        return cases, 0
    from talktree.library.erasure.copy_finder import CopyFinder

    copies = CopyFinder(library)
    left = [case for case in cases if due.issuperset(copies.find_copies(case.entry.source))]
    all_due = {case.entry.source for case in left}
    kept = sum(case.conversations for case in cases if case.entry.source not in all_due)
    return left, kept


def resolve_formats(rules: RetentionRules) -> RetentionRules:
    """Return the rules with aliases of formats replaced by their slugs.

    An unknown name is an error.
    """
    if not any(rule.formats for rule in rules.rules):
        return rules
    from talktree.formats import resolve_alias, slugs

    known = slugs()
    checked = []
    for rule in rules.rules:
        formats = tuple(map(resolve_alias, rule.formats))
        for name, slug in zip(rule.formats, formats, strict=True):
            if slug not in known:
                raise UsageError(
                    f"{rules.path}: retention rule {rule.number}: no format is called {name}"
                    f"{did_you_mean(name, known)}",
                    hint=f"one of {', '.join(sorted(known))}",
                )
        checked.append(rule._replace(formats=formats))
    return rules._replace(rules=tuple(checked))


def _apply_rules(
    entry: LibraryEntry, rules: Iterable[RetentionRule], names: list[tuple[str, str]], now: int
) -> _Verdict:
    """Return the result of the rules: a rule to keep wins, otherwise the earliest due time."""
    fitting = [rule for rule in rules if _matches_rule(rule, entry, names)]
    forgetting = [rule for rule in fitting if rule.forget_after is not None]
    if not forgetting:
        return _Verdict(entry)
    if entry.last_ns is None:
        return _Verdict(entry, undated=True)
    # A date in the future comes from a wrong clock: it counts as now.
    last = min(entry.last_ns, now)
    dues = [(find_due_time(last, rule.forget_after or ""), rule) for rule in forgetting]
    known = [(due, rule) for due, rule in dues if due is not None]
    if not known:
        return _Verdict(entry)
    due, rule = min(known, key=lambda each: each[0])
    if len(forgetting) < len(fitting):
        return _Verdict(entry, protected=due <= now)
    return _Verdict(entry, rule, due)


def _matches_rule(rule: RetentionRule, entry: LibraryEntry, names: list[tuple[str, str]]) -> bool:
    own = [name for conversation, name in names if entry.several < 2 or conversation == entry.id]
    return (
        _matches_any((entry.project or "",), rule.projects)
        and _matches_any((entry.format,), rule.formats)
        and _matches_any((os.fsdecode(entry.raw_path),), rule.paths)
        and _matches_any(own, rule.branch_names)
    )


def _matches_any(values: Iterable[str], patterns: tuple[str, ...]) -> bool:
    """Whether one of the patterns matches one of the values; true if there are no patterns."""
    if not patterns:
        return True
    return any(fnmatchcase(value, pattern) for value in values for pattern in patterns)


def _is_due(verdict: _Verdict, now: int) -> bool:
    return verdict.due is not None and verdict.due <= now


def _make_case(verdicts: list[_Verdict]) -> RetentionCase:
    """Return the case of a source, which is due when the last of its conversations is."""
    last = max(verdicts, key=lambda each: each.due or 0)
    assert last.rule is not None
    assert last.due is not None
    return RetentionCase(last.entry, last.rule, last.due, len(verdicts))


def _has_changed(library: Library, entry: LibraryEntry) -> bool:
    """Whether the files of a source changed since the import: it may have continued."""
    for path, size, modified in library.db.read(_FILES, (entry.source,)):
        try:
            found = os.stat(path)
        except OSError:
            continue  # gone: the library has the only copy
        if (found.st_size, found.st_mtime_ns) != (size, modified):
            return True
    return False


def _load_branch_names(library: Library) -> Names:
    found: dict[int, list[tuple[str, str]]] = {}
    for source, conversation, name in library.db.read(_BRANCH_NAMES):
        found.setdefault(source, []).append((conversation, name))
    return found
