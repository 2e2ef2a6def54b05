"""What reading noticed, told in one line on stderr."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from talktree.cli.failures import tell
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.findings import Finding, Severity
from talktree.model.mending import inferred_links
from talktree.text.json_value import Json
from talktree.views.measure import counted

MOST = 3
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


def tell_findings(document: Document, shown: Iterable[Conversation] = ()) -> None:
    """One line if anything is worth telling, and one if links of what is shown were inferred."""
    _tell_serious(document)
    links = sum(len(inferred_links(each)) for each in shown)
    if links:
        what = counted(links, "link was", "links were")
        tell(f"talktree: {document.name}: {what} inferred; the file is as it was")


def _tell_serious(document: Document) -> None:
    """Notes alone are not worth telling."""
    found = document.noticed
    serious = [each for each in found if each.severity != "note"]
    if not serious:
        return
    serious.sort(key=lambda each: SEVERITIES.index(each.severity))
    counts = Counter(each.severity for each in serious)
    told = " and ".join(
        f"{counts[kind]:,} {kind}{'' if counts[kind] == 1 else 's'}"
        for kind in SEVERITIES
        if counts[kind]
    )
    first = "; ".join(_brief(each) for each in serious[:MOST])
    more = "; …" if len(serious) > MOST else ""
    tell(f"talktree: {document.name}: {told}: {first}{more}")


def _brief(found: Finding) -> str:
    where = f"line {found.line} " if found.line else f"{found.entry[:40]} " if found.entry else ""
    return f"{where}{found.name}"


def findings_shape(found: Sequence[Finding]) -> Json:
    """How many findings of each severity."""
    counts = Counter(each.severity for each in found)
    return {kind: counts[kind] for kind in SEVERITIES}
