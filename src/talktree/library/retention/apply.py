"""Applying retention: rules that the user has confirmed, by a clock that can be trusted.

Rules are confirmed by applying them once by hand, after a plan was shown. From then on imports
apply them. A changed rule has to be confirmed again. A wrong clock must not empty a library, so the
time of the last run is kept: automatic runs stop when the clock is behind it or far ahead. Imports
and file times since then show that time has passed, as long as there is no long gap between them:
what a clock that jumped writes comes after such a gap.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from talktree.errors import RefusedInput
from talktree.library.importing.import_changes import WAIT
from talktree.library.retention.age import DAY
from talktree.library.retention.plan import (
    RetentionCase,
    RetentionPlan,
    plan_retention,
    resolve_formats,
)
from talktree.settings.retention import RetentionRules, retention_rules
from talktree.text.times import SECOND

if TYPE_CHECKING:
    from talktree.library.library import Library

COMMAND = "talktree library retention"
TOLERANCE = 3600 * SECOND
"""How far a clock may go back: clocks are adjusted now and then."""
LONGEST_GAP = 7 * DAY
"""How far the clock may be ahead of the last trusted time, in automatic runs."""
ABSURD = 400 * DAY
"""The result of retention: what was forgotten, or why nothing was."""

_GET = "SELECT value FROM about WHERE key = ?"
_SET = """
INSERT INTO about (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_CONFIRMED, _CLOCK = "retention-rules", "retention-clock"
_NEWEST = "SELECT max(seen) FROM versions"
_MOMENTS = """
SELECT seen FROM versions WHERE seen > ?1 AND seen <= ?2
UNION SELECT modified FROM files WHERE modified > ?1 AND modified <= ?2 ORDER BY 1
"""


class RetentionResult(NamedTuple):
    """What was forgotten, or why nothing was."""

    cases: tuple[RetentionCase, ...] = ()
    freed: int = 0
    left: tuple[str, ...] = ()
    """What could not be erased yet; empty if everything was."""
    why_not: str | None = None
    """Set if rules exist and were not applied."""
    hint: str | None = None


def apply_retention(
    library: Library, *, now: int | None = None, trust_clock: bool = False
) -> RetentionResult:
    """Forget what the rules select, and confirm these rules for later imports.

    `trust_clock` accepts a clock that is behind the last run, or far ahead of everything that the
    library has seen.
    """
    now = time.time_ns() if now is None else now
    with library.lock.hold(WAIT):
        rules = retention_rules()
        plan = plan_retention(library, rules=rules, now=now)
        refusal = None if trust_clock else find_clock_refusal(library, now=now)
        if refusal is not None:
            raise refusal
        _confirm_rules(library, rules, now)
        return _forget_due(library, plan)


def run_retention(library: Library, *, now: int | None = None) -> RetentionResult:
    """Apply rules that were confirmed before; otherwise report what has to be done."""
    now = time.time_ns() if now is None else now
    rules = retention_rules()
    if not rules.rules:
        return RetentionResult()
    with library.lock.hold(WAIT):
        why_not = _explain_not_applied(library, rules, now)
        if why_not is not None:
            return _not_applied_result(why_not)
        last = int(_read_value(library, _CLOCK) or 0)
        plan = plan_retention(library, rules=rules, now=now)
        done = _forget_due(library, plan)
        if now > last + TOLERANCE:
            _confirm_rules(library, rules, now)
    return done


def find_retention_notice(library: Library, *, now: int | None = None) -> RetentionResult | None:
    """Return why imports do not apply the configured rules; None if they do."""
    rules = retention_rules()
    why_not = _explain_not_applied(library, rules, time.time_ns() if now is None else now)
    return None if not rules.rules or why_not is None else _not_applied_result(why_not)


def _explain_not_applied(library: Library, rules: RetentionRules, now: int) -> str | None:
    """Return why the rules cannot be applied without the user; None if they can.

    Invalid rules are an error, also before they are confirmed.
    """
    resolve_formats(rules)
    confirmed = _read_value(library, _CONFIRMED)
    if confirmed != rules.fingerprint:
        new = "are not confirmed" if confirmed is None else "have changed"
        return f"the retention rules {new}, so nothing is forgotten"
    last = int(_read_value(library, _CLOCK) or 0)
    if now < last - TOLERANCE:
        return f"the clock is behind the last run of retention ({_format_day(last)})"
    trusted = _find_last_trusted_time(library, last, now)
    if now > trusted + LONGEST_GAP:
        days = (now - trusted) // DAY
        return (
            f"nothing is forgotten: the clock says {_format_day(now)}, "
            f"{days} days after the last import "
            f"or change of a file ({_format_day(trusted)})"
        )
    return None


def _find_last_trusted_time(library: Library, last: int, now: int) -> int:
    """Return the last time reached by imports and file changes without a gap between them."""
    trusted = last
    for (moment,) in library.db.iter_rows(_MOMENTS, (last, now)):
        if moment > trusted + LONGEST_GAP:
            break
        trusted = moment
    return trusted


def _not_applied_result(why: str) -> RetentionResult:
    return RetentionResult(
        why_not=why,
        hint=f"`{COMMAND}` shows what it would forget; `{COMMAND} --yes` forgets it",
    )


def find_clock_refusal(library: Library, *, now: int | None = None) -> RefusedInput | None:
    """Return why applying the rules needs a clock that the user confirms; None if it does not."""
    now = time.time_ns() if now is None else now
    last = int(_read_value(library, _CLOCK) or 0)
    seen = (library.db.read_one(_NEWEST) or (None,))[0]
    newest = max(last, int(seen or 0))
    hint = f"set the clock right; if it is right, run `{COMMAND} --yes --trust-clock`"
    if now < newest - TOLERANCE:
        return RefusedInput(
            f"the clock says {_format_day(now)}, "
            f"but the library was written on {_format_day(newest)}",
            hint=hint,
        )
    if newest and now > newest + ABSURD:
        return RefusedInput(
            f"the clock says {_format_day(now)}, "
            f"long after the library was last written ({_format_day(newest)})",
            hint=hint,
        )
    return None


def _forget_due(library: Library, plan: RetentionPlan) -> RetentionResult:
    if not plan.cases:
        return RetentionResult(plan.cases, 0)
    done = library.forget_many(case.entry for case in plan.cases)
    return RetentionResult(plan.cases, done.freed, done.left)


def _confirm_rules(library: Library, rules: RetentionRules, now: int) -> None:
    with library.db.transaction(durable=True):
        library.db.run(_SET, (_CONFIRMED, rules.fingerprint))
        library.db.run(_SET, (_CLOCK, str(now)))


def _read_value(library: Library, key: str) -> str | None:
    row = library.db.read_one(_GET, (key,))
    return None if row is None else str(row[0])


def _format_day(time: int) -> str:
    try:
        return datetime.fromtimestamp(time // SECOND, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return "an impossible day"
