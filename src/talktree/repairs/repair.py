"""Repair: rounds of fixes until nothing is left to mend, with an account of every byte."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from talktree.checks.reachability import Reach, reach
from talktree.checks.registry import rules_for
from talktree.checks.run import Found, found
from talktree.files import Source
from talktree.formats.engine import Origin, read
from talktree.formats.rule import Rule
from talktree.model.document import Document
from talktree.repairs.action import Action
from talktree.repairs.byte_origins import first_trace, kept, traced
from talktree.repairs.round import Round, applied, one_round

MOST_ROUNDS = 12
"""Each round mends what the one before laid bare; real damage takes three or four."""


class Repair:
    """A repaired document, and what was done to it."""

    def __init__(
        self,
        before: Document,
        after: Document,
        rounds: Sequence[Round],
        sources: Sequence[Source],
        *,
        held_back: bool = False,
    ) -> None:
        self.before = before
        self.after = after
        self.rounds = rounds
        self.sources = sources
        """The source as it was before each round."""
        self.held_back = held_back
        """Whether an unsafe repair would have done more."""

    @property
    def plan(self) -> list[Action]:
        """Every step, in order."""
        return [each for done in self.rounds for each in done.actions]

    @property
    def changed(self) -> bool:
        """Whether there was anything to mend."""
        return bool(self.rounds)

    @property
    def source(self) -> Source:
        """The repaired files."""
        return _origin(self.after).source

    @cached_property
    def bytes(self) -> tuple[int, int]:
        """How many bytes of the input are kept, and how many are quarantined."""
        total = kept_bytes = 0
        for path, content in _origin(self.before).source.files.items():
            trace = first_trace(content.size)
            for done in self.rounds:
                trace = [] if path in done.gone else traced(trace, done.splices.get(path, ()))
            total += content.size
            kept_bytes += kept(trace)
        return kept_bytes, total - kept_bytes

    @cached_property
    def reach(self) -> tuple[Reach, Reach]:
        """How much could be reached before, and how much now."""
        return reach(self.before.conversations), reach(self.after.conversations)


def repaired(
    document: Document,
    *,
    unsafe: bool = False,
    rules: Iterable[Rule] | None = None,
    known: Iterable[Found] | None = None,
) -> Repair:
    """A document with its safe fixes made, or all of them.

    Whoever has just checked it gives what was found, and it is not gone through once more. Fixes
    note on the findings what they did, so these serve one repair only.
    """
    chosen = list(rules_for(document.format) if rules is None else rules)
    mending = [rule for rule in chosen if rule.fix is not None]
    current, rounds, sources, held_back = document, list[Round](), list[Source](), False
    while len(rounds) < MOST_ROUNDS:
        findings = found(current, mending) if known is None else _told_by(mending, known)
        done, known = one_round(current, findings, unsafe=unsafe), None
        held_back = held_back or done.held_back
        if done.is_empty:
            break
        source = _origin(current).source
        rounds.append(done)
        sources.append(source)
        notes = _origin(current).notes
        current = read(applied(source, done), _origin(current).format)
        _origin(current).notes = notes
    return Repair(document, current, rounds, sources, held_back=held_back)


def _told_by(rules: Sequence[Rule], findings: Iterable[Found]) -> Iterable[Found]:
    """What some rules found, out of what all did."""
    codes = {rule.code for rule in rules}
    return [each for each in findings if each.rule.code in codes]


def _origin(document: Document) -> Origin:
    found = document.origin
    assert isinstance(found, Origin)
    return found
