"""Going through a document once with all rules.

Each record is read one time, judged by the rules for records, messages and parts, and noted; the
rules for whole conversations see what was noted when it is over. Memory depends on the skeleton
and on the longest record, as in reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from talktree.checks.registry import rules_for
from talktree.checks.support.message_ids import know_each_other
from talktree.formats.engine import Origin
from talktree.formats.rule import Diagnostic, Gate, Glance, Rule
from talktree.formats.rule_batch import Place, Stretch, stretches
from talktree.formats.rule_context import Seen, Setting, Talk
from talktree.model.document import Document
from talktree.model.entries import Head, Snapshot
from talktree.model.findings import Finding, finding
from talktree.model.parts import Part

__all__ = ["Found", "Setting", "found"]

T = TypeVar("T", Seen, Place)


class Found(NamedTuple):
    """A finding, and what its fix needs."""

    finding: Finding
    rule: Rule
    told: Diagnostic
    subject: Talk | Setting | None = None
    """What the rule looked at, where it looked at more than bytes."""


def found(document: Document, rules: Iterable[Rule] | None = None) -> Iterator[Found]:
    """Everything the rules find in a document."""
    chosen = rules_for(document.format) if rules is None else list(rules)
    fitting = [rule for rule in chosen if not rule.formats or document.format in rule.formats]
    judge = Judge(document, fitting)
    talks = judge.talks()
    yield from judge.opening()
    for talk in talks:
        yield from judge.of(talk)
    yield from judge.closing(talks)


class Judge:
    """All rules, and the document they judge: its opening, each talk, and the whole."""

    def __init__(self, document: Document, rules: Sequence[Rule]) -> None:
        origin = document.origin
        assert isinstance(origin, Origin)
        self._document = document
        self.origin = self._origin = origin
        self._noticing = {rule.code: rule for rule in rules}
        self._records = [rule for rule in rules if rule.on == "record" and rule.gate is None]
        self._gated = _by_gate(rules)
        self._on_message = [rule for rule in rules if rule.on == "message"]
        self._by_entry = {
            Snapshot: [rule for rule in rules if rule.on == "snapshot"],
            Head: [rule for rule in rules if rule.on == "head"],
        }
        self._by_part = _by_part(rules)
        self._talking = [rule for rule in rules if rule.on == "talk"]
        self._sources = [rule for rule in rules if rule.on == "source"]

    def talks(self) -> list[Talk]:
        """The conversations; each can ask what the others have."""
        talks = [Talk(each, self._origin) for each in self._document.conversations]
        know_each_other(talks, self._origin)
        return talks

    def opening(self) -> Iterator[Found]:
        """What was noticed in reading, before any record."""
        for each in self._origin.damage():
            yield from self._noticed(each)
        for sheet in self._origin.sheets:
            for each in sheet.glance():
                yield from self._noticed(each)

    def of(self, talk: Talk) -> Iterator[Found]:
        """What is wrong with one conversation; its facts are complete behind it."""
        yield from self._stream(talk)
        for rule in self._talking:
            for told in rule.check(talk):
                yield self._found(rule, told, talk, told.position)

    def closing(self, talks: Sequence[Talk]) -> Iterator[Found]:
        """What is wrong with the source as a whole, once every conversation was judged."""
        setting = Setting(self._document, self._origin, talks)
        for rule in self._sources:
            for told in rule.check(setting):
                yield self._found(rule, told, setting, -1)

    # records

    def _stream(self, talk: Talk) -> Iterator[Found]:
        """What the rules for records find, a stretch of records at a time.

        Each rule goes through the stretch before the next one does, which takes far less time than
        all rules for each record.
        """
        conversation = talk.conversation
        names = map(conversation.names, range(conversation.record_count))
        for stretch in stretches(talk, self._origin.records(conversation.members, names)):
            yield from self._in_stretch(stretch)
            del stretch  # its records go before the next are read

    def _in_stretch(self, stretch: Stretch) -> list[Found]:
        out = [] if stretch.is_plain else list(self._odd(stretch.seen))
        for rule in self._records:
            if near := _picked(stretch, rule.glance, stretch.seen):
                out += self._judged(rule, near)
        for (gate, glance), behind in self._gated:
            near = _picked(stretch, glance, stretch.seen)
            let_in = [seen for seen in near if _passes(seen, gate)] if near else ()
            for rule in behind if let_in else ():
                out += self._judged(rule, let_in)
        out += self._entries(stretch)
        return sorted(out, key=lambda each: each.told.position)

    def _odd(self, stretch: Sequence[Seen]) -> Iterator[Found]:
        sheets = self._origin.by_path
        for seen in stretch:
            record = seen.record
            problems = sheets[record.path].oddities(record)
            for problem in problems:
                what = finding(problem.code, problem.what)
                yield from self._noticed(what, seen.talk, seen.position, problem.at)

    def _entries(self, stretch: Stretch) -> Iterator[Found]:
        """What is found in what the records say."""
        for rule in self._on_message:
            if near := _picked(stretch, rule.glance, stretch.messages):
                yield from self._judged(rule, near)
        for kind, rules in self._by_entry.items():
            chosen = [seen for seen in stretch.seen if type(seen.entry) is kind]
            for rule in rules if chosen else ():
                yield from self._judged(rule, chosen)
        for part_kind, places in stretch.parts.items():
            for rule in self._by_part.get(part_kind, ()):
                if among := _picked(stretch, rule.glance, places):
                    yield from self._judged_parts(rule, part_kind, among)

    def _judged_parts(
        self, rule: Rule, kind: type[Part], places: Iterable[Place]
    ) -> Iterator[Found]:
        check = rule.check
        for place in places:
            if type(place[0]) is kind:
                for told in check(*place):
                    yield self._found(rule, told, place[1].talk, place[1].position)

    def _judged(self, rule: Rule, stretch: Sequence[Seen]) -> Iterator[Found]:
        check = rule.check
        for seen in stretch:
            for told in check(seen):
                yield self._found(rule, told, seen.talk, seen.position)

    def _noticed(
        self, noticed: Finding, talk: Talk | None = None, position: int = -1, at: int = -1
    ) -> Iterator[Found]:
        rule = self._noticing.get(noticed.code)
        if rule is not None and rule.on == "reading":
            for told in rule.check(noticed):
                yield self._found(rule, told._replace(at=at), talk, position)

    def _found(
        self, rule: Rule, told: Diagnostic, subject: Talk | Setting | None, position: int
    ) -> Found:
        path, line, entry, number = told.path, told.line, told.name, -1
        if isinstance(subject, Talk) and position >= 0:
            told = told._replace(position=position)
            path = path or subject.path(position)
            line = line or subject.line(position)
            entry = entry or subject.name(position)
            number = subject.conversation.members[position]
        made = Finding(
            code=rule.code,
            name=rule.name,
            severity=rule.severity,
            message=told.message,
            path=path,
            line=line,
            entry=entry,
            fix=rule.fix.safety if rule.fix is not None and told.fixable else None,
            way=told.way,
            at=told.at,
            sought=told.sought,
            number=number,
        )
        return Found(made, rule, told, subject)


def _passes(seen: Seen, gate: Gate) -> bool:
    seen.gated = gate(seen)
    return bool(seen.gated)


def _picked(stretch: Stretch, glance: Glance | None, otherwise: Sequence[T]) -> Sequence[T]:
    return otherwise if glance is None else stretch.picked(glance)


def _by_gate(rules: Iterable[Rule]) -> list[tuple[tuple[Gate, Glance | None], list[Rule]]]:
    found: dict[tuple[Gate, Glance | None], list[Rule]] = {}
    for rule in rules:
        if rule.on == "record" and rule.gate is not None:
            found.setdefault((rule.gate, rule.glance), []).append(rule)
    return list(found.items())


def _by_part(rules: Iterable[Rule]) -> dict[type[Part], list[Rule]]:
    found: dict[type[Part], list[Rule]] = {}
    for rule in rules:
        if rule.on == "part":
            for kind in rule.parts:
                found.setdefault(kind, []).append(rule)
    return found
