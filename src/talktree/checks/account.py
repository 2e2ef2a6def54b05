"""What is kept of the findings of one source: so many of each rule, and how many there were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from talktree.checks.excerpt import Excerpt, excerpt
from talktree.checks.run import Found, Judge
from talktree.model.findings import Finding


class Shown(Struct, frozen=True):
    """A finding, and the place it speaks of."""

    finding: Finding
    excerpt: Excerpt | None = None


class Account:
    """Findings as they come, of each rule no more than `most`."""

    def __init__(self, judge: Judge, most: int, *, excerpts: bool) -> None:
        self.judge = judge
        self.most = most
        self.excerpts = excerpts
        self.counts = Counter[str]()
        self.shown: list[Shown] = []

    def anew(self) -> Account:
        """An empty one of the same kind."""
        return Account(self.judge, self.most, excerpts=self.excerpts)

    def take(self, findings: Iterable[Found]) -> None:
        """Note what is found."""
        for each in findings:
            finding = each.finding
            self.counts[finding.code] += 1
            if self.counts[finding.code] <= self.most:
                place = excerpt(self.judge.origin, finding) if self.excerpts else None
                self.shown.append(Shown(finding, place))

    def join(self, counts: Counter[str], shown: Sequence[Shown]) -> None:
        """Note what was noted elsewhere."""
        room = {code: self.most - self.counts[code] for code in counts}
        self.counts += counts
        for each in shown:
            code = each.finding.code
            if room[code] > 0:
                room[code] -= 1
                self.shown.append(each)
