"""What a file is that was brought in: its format, how sure that is, how sound it is."""

from __future__ import annotations

from collections.abc import Sequence

from talktree import api
from talktree.errors import TalktreeError
from talktree.formats.detect import Guess
from talktree.formats.engine import read
from talktree.model.counts import count_findings
from talktree.model.document import Document
from talktree.model.findings import Finding
from talktree.views.width import one_line
from talktree.web.actions.uploads import Brought
from talktree.web.schemas.library import Upload, UploadedFindings

LARGE = 64 << 20
"""Of larger files only what reading notices is told; all rules would take too long."""
EXAMPLES = 5
SHORT = 160


def looked_over(file: Brought) -> Upload:
    """Everything the page shows of a file before it is kept."""
    try:
        guess = api.detect(file.source)
    except TalktreeError as error:
        return _told(file, None, error.message)
    try:
        return _told(file, guess, guess.reason, read(file.source, guess.format))
    except TalktreeError as error:
        return _told(file, None, error.message)


def _told(
    file: Brought, guess: Guess | None, reason: str, document: Document | None = None
) -> Upload:
    conversations = () if document is None else document.conversations
    return Upload(
        upload=file.id,
        name=file.plain_name,
        size=file.size,
        format=None if guess is None else guess.format.info.slug,
        confidence=0.0 if guess is None else guess.confidence,
        reason=reason,
        conversations=len(conversations),
        messages=sum(map(len, conversations)),
        findings=None if document is None else _findings(document, file.size),
    )


def _findings(document: Document, size: int) -> UploadedFindings:
    found = document.noticed if size > LARGE else api.check(document).findings
    counts = count_findings(found)
    return UploadedFindings(
        errors=counts.errors,
        warnings=counts.warnings,
        notes=counts.notes,
        examples=_examples(found),
    )


def _examples(found: Sequence[Finding]) -> tuple[str, ...]:
    worst = sorted(found, key=lambda each: ("error", "warning", "note").index(each.severity))
    return tuple(one_line(f"{each.code} {each.message}", SHORT) for each in worst[:EXAMPLES])
