"""Report on stderr what reading found."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from talktree.cli.errors import print_stderr
from talktree.formats.collection import Collection
from talktree.formats.engine import DocumentOrigin
from talktree.formats.engine.notices import select_findings
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.findings import Finding, Severity
from talktree.model.link_repair import find_inferred_links
from talktree.text.json.value import Json
from talktree.views.width import format_count

MOST = 3
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


def report_findings(
    document: Document,
    shown: Sequence[Conversation] = (),
    *,
    chosen: Sequence[Conversation] | None = None,
) -> None:
    """Print one line about serious findings, and one if links of the shown messages were inferred.

    Findings in conversations that are neither shown nor selected are left out, if some are
    selected.
    """
    report_damage(document)
    found = select_findings(document, chosen or shown or document.conversations)
    _report_serious(document.shown, found)
    links = sum(len(find_inferred_links(each)) for each in shown)
    if links:
        what = format_count(links, "link was", "links were")
        print_stderr(f"talktree: {document.shown}: {what} inferred; the file is as it was")


def report_damage(document: Document) -> None:
    """Warn about each file of which only a part could be read."""
    for source in document.sources if isinstance(document, Collection) else (document,):
        origin = source.origin
        assert isinstance(origin, DocumentOrigin)
        for path, why in origin.damaged_files.items():
            folder = source.shown if origin.source.folder else os.path.dirname(source.shown)
            name = source.shown if path == source.name else os.path.join(folder, path)
            print_stderr(f"talktree: {name}: {why}; the rest is missing")


def report_unrecognized(paths: Sequence[str]) -> None:
    """Print one line about files of a folder that no format matches."""
    if paths:
        some = ", ".join(paths[:MOST]) + (", …" if len(paths) > MOST else "")
        print_stderr(
            f"talktree: {format_count(len(paths), 'file')} in no known format left out: {some}"
        )


def _report_serious(name: str, found: Sequence[Finding]) -> None:
    """Print findings of higher severity; notes alone are not reported."""
    serious = [each for each in found if each.severity != "note"]
    if not serious:
        return
    serious.sort(key=lambda each: SEVERITIES.index(each.severity))
    counts = Counter(each.severity for each in serious)
    details = " and ".join(
        f"{counts[kind]:,} {kind}{'' if counts[kind] == 1 else 's'}"
        for kind in SEVERITIES
        if counts[kind]
    )
    first = "; ".join(_summarize_finding(each) for each in serious[:MOST])
    more = "; …" if len(serious) > MOST else ""
    print_stderr(f"talktree: {name}: {details}: {first}{more}")


def _summarize_finding(found: Finding) -> str:
    where = f"line {found.line} " if found.line else f"{found.entry[:40]} " if found.entry else ""
    return f"{where}{found.name}"


def build_findings_shape(found: Sequence[Finding]) -> Json:
    """Return the number of findings by severity."""
    counts = Counter(each.severity for each in found)
    return {kind: counts[kind] for kind in SEVERITIES}
