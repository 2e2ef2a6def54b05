"""The one way from a document to files of a format."""

from __future__ import annotations

from talktree.convert.forward import forwarded
from talktree.convert.index import carries, indexed
from talktree.convert.ledger import Ledger, Loss
from talktree.convert.options import Made, Options
from talktree.convert.restore import Restoration
from talktree.errors import Damaged, WouldLose
from talktree.formats import by_slug
from talktree.formats.base import Format
from talktree.formats.engine import Origin, write
from talktree.model.document import Document


def converted(
    document: Document, to: str, options: Options | None = None, ledger: Ledger | None = None
) -> Made:
    """A document as files of a format: its own, the one it came from, or any other.

    What it carries from an earlier conversion is used: going back restores the source, going on
    starts from the source and not from what the format in between could hold of it.
    """
    options = options or Options()
    ledger = ledger or Ledger()
    origin = document.origin
    assert isinstance(origin, Origin)
    if to == document.format:
        return Made(write(document), folder=origin.source.folder, ledger=ledger)
    target = by_slug(to)
    if carries(document):
        try:
            return _by_way_of_source(document, target, options, ledger)
        except (Damaged, WouldLose) as error:
            # What was carried no longer fits together, or the source's format has no place for an
            # edit. Then the document counts as it stands, and all it carries travels on.
            ledger.add([Loss("edit", document.name, str(error), "carried")])
    return forwarded(document, target, options, ledger)


def _by_way_of_source(document: Document, target: Format, options: Options, ledger: Ledger) -> Made:
    back = [Restoration(document, index) for index in indexed(document)]
    if len(back) != 1:
        raise Damaged("it carries conversations of several sources", hint="convert each alone")
    if back[0].format is target:
        return Made(back[0].files(), folder=back[0].folder, ledger=ledger)
    return forwarded(back[0].source_document(), target, options, ledger)
