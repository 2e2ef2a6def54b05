"""The result of a check as a whole.

For one source it keeps up to a maximum number of findings of each rule, and counts all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from talktree.checks.excerpt import FindingExcerpt, make_excerpt
from talktree.checks.reachability import Reach, measure_reach
from talktree.checks.run import DocumentChecker, RuleFinding, run_rules
from talktree.formats.rule import Rule
from talktree.model.document import Document
from talktree.model.findings import Finding, Severity


class ShownFinding(Struct, frozen=True):
    """A finding and its excerpt."""

    finding: Finding
    excerpt: FindingExcerpt | None = None


class FindingCollector:
    """Collects findings, at most `most` of each rule."""

    def __init__(self, judge: DocumentChecker, most: int, *, excerpts: bool) -> None:
        self.judge = judge
        self.most = most
        self.excerpts = excerpts
        self.counts = Counter[str]()
        self.shown: list[ShownFinding] = []

    def make_empty(self) -> FindingCollector:
        """Return an empty collector with the same limit."""
        return FindingCollector(self.judge, self.most, excerpts=self.excerpts)

    def add_findings(self, findings: Iterable[RuleFinding]) -> None:
        """Add findings."""
        for each in findings:
            finding = each.finding
            self.counts[finding.code] += 1
            if self.counts[finding.code] <= self.most:
                place = make_excerpt(self.judge.origin, finding) if self.excerpts else None
                self.shown.append(ShownFinding(finding, place))

    def add_counts(self, counts: Counter[str], shown: Sequence[ShownFinding]) -> None:
        """Add counts and findings of another collector."""
        room = {code: self.most - self.counts[code] for code in counts}
        self.counts += counts
        for each in shown:
            code = each.finding.code
            if room[code] > 0:
                room[code] -= 1
                self.shown.append(each)


SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Report:
    """The findings, and how much of the document can be reached."""

    def __init__(self, findings: Sequence[Finding], reached: Reach) -> None:
        self.findings = findings
        self.reach = reached

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {kind}" for kind, count in self.counts().items() if count)
        return f"<Report {counts or 'no findings'}>"

    @property
    def failed(self) -> bool:
        """Whether there is an error among the findings."""
        return any(each.severity == "error" for each in self.findings)

    @property
    def codes(self) -> set[str]:
        """The codes of the violated rules."""
        return {each.code for each in self.findings}

    def counts(self) -> dict[Severity, int]:
        """The number of findings of each severity."""
        counted = Counter(each.severity for each in self.findings)
        return {severity: counted[severity] for severity in SEVERITIES}


def make_report(document: Document, rules: Iterable[Rule] | None = None) -> Report:
    """Check a document and return the report."""
    findings = [each.finding for each in run_rules(document, rules)]
    return Report(findings, measure_reach(document.conversations))
