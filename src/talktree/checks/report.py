"""What a check found, as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from talktree.checks.reachability import Reach, reach
from talktree.checks.run import found
from talktree.formats.rule import Rule
from talktree.model.document import Document
from talktree.model.findings import Finding, Severity

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Report:
    """Findings, and how much of the document can be reached."""

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
        """The codes of the rules that are broken."""
        return {each.code for each in self.findings}

    def counts(self) -> dict[Severity, int]:
        """How many findings of each severity."""
        counted = Counter(each.severity for each in self.findings)
        return {severity: counted[severity] for severity in SEVERITIES}


def report(document: Document, rules: Iterable[Rule] | None = None) -> Report:
    """Everything that is wrong with a document."""
    findings = [each.finding for each in found(document, rules)]
    return Report(findings, reach(document.conversations))
