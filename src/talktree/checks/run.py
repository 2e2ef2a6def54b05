"""Running all rules over a document in one pass.

Each record is read once, checked by the rules for records, messages and parts, and its facts are
collected; the rules for whole conversations run on these facts afterwards. Memory depends on the
skeleton and on the longest record, as in reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from talktree.checks.registry import rules_for
from talktree.checks.support.message_ids import connect_conversations
from talktree.formats.engine import DocumentOrigin
from talktree.formats.rule import Diagnostic, Gate, Glance, Rule
from talktree.formats.rule_batch import Place, RecordBatch, split_into_batches
from talktree.formats.rule_context import CheckedConversation, RuleRecord, Setting
from talktree.model.document import Document
from talktree.model.entries import Head, Snapshot
from talktree.model.findings import Finding, make_finding
from talktree.model.parts import Part

__all__ = ["RuleFinding", "Setting", "run_rules"]

T = TypeVar("T", RuleRecord, Place)


class RuleFinding(NamedTuple):
    """A finding, and the data its fix needs."""

    finding: Finding
    rule: Rule
    diagnostic: Diagnostic
    subject: CheckedConversation | Setting | None = None
    """What the rule was run on, unless it was only bytes."""


def run_rules(document: Document, rules: Iterable[Rule] | None = None) -> Iterator[RuleFinding]:
    """Run the rules on a document and yield the findings."""
    chosen = rules_for(document.format) if rules is None else list(rules)
    fitting = [rule for rule in chosen if not rule.formats or document.format in rule.formats]
    judge = DocumentChecker(document, fitting)
    talks = judge.talks()
    yield from judge.check_opening()
    for talk in talks:
        yield from judge.check_conversation(talk)
    yield from judge.check_closing(talks)


class DocumentChecker:
    """Runs all rules on a document: on its source, each conversation, and the whole."""

    def __init__(self, document: Document, rules: Sequence[Rule]) -> None:
        origin = document.origin
        assert isinstance(origin, DocumentOrigin)
        self._document = document
        self.origin = self._origin = origin
        self._noticing = {rule.code: rule for rule in rules}
        self._records = [rule for rule in rules if rule.on == "record" and rule.gate is None]
        self._gated = _group_by_gate(rules)
        self._on_message = [rule for rule in rules if rule.on == "message"]
        self._by_entry = {
            Snapshot: [rule for rule in rules if rule.on == "snapshot"],
            Head: [rule for rule in rules if rule.on == "head"],
        }
        self._by_part = _group_by_part(rules)
        self._talking = [rule for rule in rules if rule.on == "talk"]
        self._sources = [rule for rule in rules if rule.on == "source"]

    def talks(self) -> list[CheckedConversation]:
        """The conversations; each can look up messages of the others."""
        talks = [CheckedConversation(each, self._origin) for each in self._document.conversations]
        connect_conversations(talks, self._origin)
        return talks

    def check_opening(self) -> Iterator[RuleFinding]:
        """Yield problems noticed in reading, before any record."""
        for each in self._origin.report_damage():
            yield from self._report_noticed(each)
        for sheet in self._origin.sheets:
            for each in sheet.glance():
                yield from self._report_noticed(each)

    def check_conversation(self, talk: CheckedConversation) -> Iterator[RuleFinding]:
        """Check one conversation; its facts are complete afterwards."""
        yield from self._check_records(talk)
        for rule in self._talking:
            for diagnostic in rule.check(talk):
                yield self._make_finding(rule, diagnostic, talk, diagnostic.position)

    def check_closing(self, talks: Sequence[CheckedConversation]) -> Iterator[RuleFinding]:
        """Check the source as a whole, after every conversation was checked."""
        setting = Setting(self._document, self._origin, talks)
        for rule in self._sources:
            for diagnostic in rule.check(setting):
                yield self._make_finding(rule, diagnostic, setting, -1)

    # records

    def _check_records(self, talk: CheckedConversation) -> Iterator[RuleFinding]:
        """Run the rules for records, one batch of records at a time.

        Each rule runs on the whole batch before the next rule does, which is much faster than
        running all rules on each record.
        """
        conversation = talk.conversation
        names = map(conversation.names, range(conversation.record_count))
        for batch in split_into_batches(talk, self._origin.records(conversation.members, names)):
            yield from self._check_batch(batch)
            del batch  # free its records before the next are read

    def _check_batch(self, batch: RecordBatch) -> list[RuleFinding]:
        out = [] if batch.is_plain else list(self._check_odd_texts(batch.seen))
        for rule in self._records:
            if near := _select_seen(batch, rule.glance, batch.seen):
                out += self._check_seen(rule, near)
        for (gate, glance), behind in self._gated:
            near = _select_seen(batch, glance, batch.seen)
            let_in = [seen for seen in near if _passes(seen, gate)] if near else ()
            for rule in behind if let_in else ():
                out += self._check_seen(rule, let_in)
        out += self._check_entries(batch)
        return sorted(out, key=lambda each: each.diagnostic.position)

    def _check_odd_texts(self, batch: Sequence[RuleRecord]) -> Iterator[RuleFinding]:
        sheets = self._origin.by_path
        for seen in batch:
            record = seen.record
            problems = sheets[record.path].find_oddities(record)
            for problem in problems:
                what = make_finding(problem.code, problem.what)
                yield from self._report_noticed(what, seen.talk, seen.position, problem.at)

    def _check_entries(self, batch: RecordBatch) -> Iterator[RuleFinding]:
        """Run the rules for the content of records."""
        for rule in self._on_message:
            if near := _select_seen(batch, rule.glance, batch.messages):
                yield from self._check_seen(rule, near)
        for kind, rules in self._by_entry.items():
            chosen = [seen for seen in batch.seen if type(seen.entry) is kind]
            for rule in rules if chosen else ():
                yield from self._check_seen(rule, chosen)
        for part_kind, places in batch.parts.items():
            for rule in self._by_part.get(part_kind, ()):
                if among := _select_seen(batch, rule.glance, places):
                    yield from self._check_parts(rule, part_kind, among)

    def _check_parts(
        self, rule: Rule, kind: type[Part], places: Iterable[Place]
    ) -> Iterator[RuleFinding]:
        check = rule.check
        for place in places:
            if type(place[0]) is kind:
                for diagnostic in check(*place):
                    yield self._make_finding(rule, diagnostic, place[1].talk, place[1].position)

    def _check_seen(self, rule: Rule, batch: Sequence[RuleRecord]) -> Iterator[RuleFinding]:
        check = rule.check
        for seen in batch:
            for diagnostic in check(seen):
                yield self._make_finding(rule, diagnostic, seen.talk, seen.position)

    def _report_noticed(
        self,
        noticed: Finding,
        talk: CheckedConversation | None = None,
        position: int = -1,
        at: int = -1,
    ) -> Iterator[RuleFinding]:
        rule = self._noticing.get(noticed.code)
        if rule is not None and rule.on == "reading":
            for diagnostic in rule.check(noticed):
                yield self._make_finding(rule, diagnostic._replace(at=at), talk, position)

    def _make_finding(
        self,
        rule: Rule,
        diagnostic: Diagnostic,
        subject: CheckedConversation | Setting | None,
        position: int,
    ) -> RuleFinding:
        path, line, entry, number = diagnostic.path, diagnostic.line, diagnostic.name, -1
        if isinstance(subject, CheckedConversation) and position >= 0:
            diagnostic = diagnostic._replace(position=position)
            path = path or subject.path(position)
            line = line or subject.line(position)
            entry = entry or subject.name(position)
            number = subject.conversation.members[position]
        made = Finding(
            code=rule.code,
            name=rule.name,
            severity=rule.severity,
            message=diagnostic.message,
            path=path,
            line=line,
            entry=entry,
            fix=rule.fix.safety if rule.fix is not None and diagnostic.fixable else None,
            way=diagnostic.way,
            at=diagnostic.at,
            sought=diagnostic.sought,
            number=number,
        )
        return RuleFinding(made, rule, diagnostic, subject)


def _passes(seen: RuleRecord, gate: Gate) -> bool:
    seen.gated = gate(seen)
    return bool(seen.gated)


def _select_seen(batch: RecordBatch, glance: Glance | None, otherwise: Sequence[T]) -> Sequence[T]:
    return otherwise if glance is None else batch.apply_glance(glance)


def _group_by_gate(rules: Iterable[Rule]) -> list[tuple[tuple[Gate, Glance | None], list[Rule]]]:
    found: dict[tuple[Gate, Glance | None], list[Rule]] = {}
    for rule in rules:
        if rule.on == "record" and rule.gate is not None:
            found.setdefault((rule.gate, rule.glance), []).append(rule)
    return list(found.items())


def _group_by_part(rules: Iterable[Rule]) -> dict[type[Part], list[Rule]]:
    found: dict[type[Part], list[Rule]] = {}
    for rule in rules:
        if rule.on == "part":
            for kind in rule.parts:
                found.setdefault(kind, []).append(rule)
    return found
