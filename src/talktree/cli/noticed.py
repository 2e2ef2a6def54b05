"""What reading noticed, told in one line on stderr."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from talktree.cli.errors import tell
from talktree.formats.collection import Collection
from talktree.formats.engine import Origin
from talktree.formats.engine.notices import noticed_in
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.findings import Finding, Severity
from talktree.model.link_repair import inferred_links
from talktree.text.json.value import Json
from talktree.views.measure import counted

MOST = 3
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


def tell_findings(
    document: Document,
    shown: Sequence[Conversation] = (),
    *,
    chosen: Sequence[Conversation] | None = None,
) -> None:
    """One line if anything is worth telling, and one if links of what is shown were inferred.

    Findings in conversations that are neither shown nor chosen are left out, if some are.
    """
    tell_damage(document)
    found = noticed_in(document, chosen or shown or document.conversations)
    _tell_serious(document.shown, found)
    links = sum(len(inferred_links(each)) for each in shown)
    if links:
        what = counted(links, "link was", "links were")
        tell(f"talktree: {document.shown}: {what} inferred; the file is as it was")


def tell_damage(document: Document) -> None:
    """A warning for each file of which only a part could be read."""
    for source in document.sources if isinstance(document, Collection) else (document,):
        origin = source.origin
        assert isinstance(origin, Origin)
        for path, why in origin.damaged.items():
            folder = source.shown if origin.source.folder else os.path.dirname(source.shown)
            name = source.shown if path == source.name else os.path.join(folder, path)
            tell(f"talktree: {name}: {why}; the rest is missing")


def tell_unrecognised(paths: Sequence[str]) -> None:
    """One line on files of a folder that no format recognises."""
    if paths:
        some = ", ".join(paths[:MOST]) + (", …" if len(paths) > MOST else "")
        tell(f"talktree: {counted(len(paths), 'file')} in no known format left out: {some}")


def _tell_serious(name: str, found: Sequence[Finding]) -> None:
    """Notes alone are not worth telling."""
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
    tell(f"talktree: {name}: {told}: {first}{more}")


def _brief(found: Finding) -> str:
    where = f"line {found.line} " if found.line else f"{found.entry[:40]} " if found.entry else ""
    return f"{where}{found.name}"


def findings_shape(found: Sequence[Finding]) -> Json:
    """How many findings of each severity."""
    counts = Counter(each.severity for each in found)
    return {kind: counts[kind] for kind in SEVERITIES}
