"""The one way from a document to files of a format."""

from __future__ import annotations

from talktree.convert.forward import forwarded
from talktree.convert.index import carries, indexed
from talktree.convert.ledger import Ledger
from talktree.convert.options import Made, Options
from talktree.convert.restore import Restoration
from talktree.formats import by_slug
from talktree.formats.engine import Origin, write
from talktree.model.document import Document


def converted(
    document: Document, to: str, options: Options | None = None, ledger: Ledger | None = None
) -> Made:
    """A document as files of a format: its own, the one it came from, or any other."""
    options = options or Options()
    ledger = ledger or Ledger()
    origin = document.origin
    assert isinstance(origin, Origin)
    if to == document.format:
        return Made(write(document), folder=origin.source.folder, ledger=ledger)
    target = by_slug(to)
    if carries(document):
        back = [Restoration(document, index) for index in indexed(document)]
        if len(back) == 1:
            if back[0].format is target:
                return Made(back[0].files(), folder=back[0].folder, ledger=ledger)
            return forwarded(back[0].source_document(), target, options, ledger)
    return forwarded(document, target, options, ledger)
