"""Going through a document once with all rules.

Each record is read one time, judged by the rules for records, messages and parts, and noted; the
rules for whole conversations see what was noted when it is over. Memory depends on the skeleton
and on the longest record, as in reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from talktree.checking.elsewhere import know_each_other
from talktree.checking.registry import rules_for
from talktree.formats.engine import Origin
from talktree.formats.rule import Rule, Told
from talktree.formats.talk import Seen, Setting, Talk
from talktree.model.document import Document
from talktree.model.entries import Head, Snapshot
from talktree.model.findings import Finding, finding
from talktree.model.message import Message
from talktree.model.parts import Part

__all__ = ["Found", "Setting", "found"]


class Found(NamedTuple):
    """A finding, and what its fix needs."""

    finding: Finding
    rule: Rule
    told: Told
    subject: Talk | Setting | None = None
    """What the rule looked at, where it looked at more than bytes."""


def found(document: Document, rules: Iterable[Rule] | None = None) -> Iterator[Found]:
    """Everything the rules find in a document."""
    chosen = rules_for(document.format) if rules is None else list(rules)
    fitting = [rule for rule in chosen if not rule.formats or document.format in rule.formats]
    return _Judge(document, fitting).run()


class _Judge:
    def __init__(self, document: Document, rules: Sequence[Rule]) -> None:
        origin = document.origin
        assert isinstance(origin, Origin)
        self._document = document
        self._origin = origin
        self._noticing = {rule.code: rule for rule in rules}
        self._records = [rule for rule in rules if rule.on == "record"]
        self._by_entry = {
            Message: [rule for rule in rules if rule.on == "message"],
            Snapshot: [rule for rule in rules if rule.on == "snapshot"],
            Head: [rule for rule in rules if rule.on == "head"],
        }
        self._by_part = _by_part(rules)
        self._talking = [rule for rule in rules if rule.on == "talk"]
        self._sources = [rule for rule in rules if rule.on == "source"]

    def run(self) -> Iterator[Found]:
        """All findings, in the order in which they are met."""
        for sheet in self._origin.sheets:
            for each in sheet.glance():
                yield from self._noticed(each)
        talks = [Talk(each, self._origin) for each in self._document.conversations]
        know_each_other(talks, self._origin)
        for talk in talks:
            yield from self._stream(talk)
            for rule in self._talking:
                for told in rule.check(talk):
                    yield self._found(rule, told, talk, told.position)
        setting = Setting(self._document, self._origin, talks)
        for rule in self._sources:
            for told in rule.check(setting):
                yield self._found(rule, told, setting, -1)

    # records

    def _stream(self, talk: Talk) -> Iterator[Found]:
        conversation, facts, get = talk.conversation, talk.facts, talk.format.get
        names = map(conversation.names, range(len(conversation)))
        records = self._origin.records(conversation.members, names)
        rules, by_entry, by_part = self._records, self._by_entry, self._by_part
        for position, record in enumerate(records):
            entry = get(record)
            facts.take(entry, len(record.raw), position)
            if not record.usable:
                continue
            seen = Seen(record, entry, position, talk)
            for problem in talk.sheet(position)[0].oddities(record):
                what = finding(problem.code, problem.what)
                yield from self._noticed(what, talk, position, problem.at)
            for rule in rules:
                for told in rule.check(seen):
                    yield self._found(rule, told, talk, position)
            for rule in by_entry.get(type(entry), ()):
                for told in rule.check(seen):
                    yield self._found(rule, told, talk, position)
            if type(entry) is Message:
                for number, part in enumerate(entry.parts):
                    for rule in by_part.get(type(part), ()):
                        for told in rule.check(part, seen, number):
                            yield self._found(rule, told, talk, position)

    def _noticed(
        self, noticed: Finding, talk: Talk | None = None, position: int = -1, at: int = -1
    ) -> Iterator[Found]:
        rule = self._noticing.get(noticed.code)
        if rule is not None and rule.on == "reading":
            for told in rule.check(noticed):
                yield self._found(rule, told._replace(at=at), talk, position)

    def _found(
        self, rule: Rule, told: Told, subject: Talk | Setting | None, position: int
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
            number=number,
        )
        return Found(made, rule, told, subject)


def _by_part(rules: Iterable[Rule]) -> dict[type[Part], list[Rule]]:
    found: dict[type[Part], list[Rule]] = {}
    for rule in rules:
        if rule.on == "part":
            for kind in rule.parts:
                found.setdefault(kind, []).append(rule)
    return found
