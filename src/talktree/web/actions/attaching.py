"""A file that is to go with a message: whether it may, and what must be confirmed."""

from __future__ import annotations

from talktree.errors import UsageError
from talktree.formats.attachment_review import refuse_size, review_attachment
from talktree.web.actions.uploads import Brought
from talktree.web.schemas.edits_and_moves import DoAttach
from talktree.web.schemas.library import Upload

NO_CONVERSATION = "a file to attach"


def content_of(file: Brought) -> tuple[bytes, str]:
    """The bytes of a file and a name it may have; a file that is too large is not read."""
    if file.files is not None:
        raise UsageError("a folder cannot go with a message", hint="attach its files")
    refuse_size(file.size, file.plain_name)
    return file.path.read_bytes(), file.plain_name


def require_harmless(file: Brought, deed: DoAttach) -> None:
    """Raise if a file is dangerous, or suspicious and that is not accepted."""
    data, name = content_of(file)
    review_attachment(data, name, claimed=deed.type).require(name, accept=deed.accept)


def reviewed(file: Brought, claimed: str) -> Upload:
    """What the page shows of a file before it is attached; a dangerous one is refused."""
    data, name = content_of(file)
    review = review_attachment(data, name, claimed=claimed)
    review.require(name, accept=True)
    return Upload(
        upload=file.id,
        name=name,
        size=file.size,
        format=None,
        confidence=0.0,
        reason=NO_CONVERSATION,
        conversations=0,
        messages=0,
        findings=None,
        warnings=review.warnings,
    )
