"""The one way from a document to files of a format."""

from __future__ import annotations

from collections.abc import Iterable

from talktree.conversion.forward import forwarded
from talktree.conversion.index import carries, indexed
from talktree.conversion.ledger import Ledger, Loss
from talktree.conversion.options import Made, Options
from talktree.conversion.restore import Restoration
from talktree.errors import Damaged, UsageError, WouldLose
from talktree.formats import by_slug
from talktree.formats.base import Format
from talktree.formats.engine import Origin, write
from talktree.model.document import Document


def converted(
    document: Document,
    to: str,
    options: Options | None = None,
    ledger: Ledger | None = None,
    *,
    processes: int = 1,
) -> Made:
    """A document as files of a format: its own, the one it came from, or any other.

    What it carries from an earlier conversion is used: going back restores the source, going on
    starts from the source and not from what the format in between could hold of it. A large one may
    be worked on in several processes, where they can begin as copies of this one.
    """
    options = options or Options()
    ledger = ledger or Ledger()
    origin = document.origin
    assert isinstance(origin, Origin)
    target = by_slug(to)
    if to == document.format:
        if options.branch not in (None, "all") or (not options.carry and carries(document)):
            return forwarded(document, target, options, ledger, processes=processes)
        return Made(write(document), folder=origin.source.folder, ledger=ledger)
    if carries(document):
        try:
            return _by_way_of_source(document, target, options, ledger)
        except (Damaged, WouldLose) as error:
            # What was carried no longer fits together, or the source's format has no place for an
            # edit. Then the document counts as it stands, and all it carries travels on.
            ledger.add([Loss("edit", document.name, str(error), "carried")])
    return forwarded(document, target, options, ledger, processes=processes)


def _by_way_of_source(document: Document, target: Format, options: Options, ledger: Ledger) -> Made:
    """Back to the source, and from there on; the files of several sources stand side by side."""
    back = [Restoration(document, index) for index in indexed(document)]
    if len(back) == 1:
        return _onward(back[0], target, options, ledger)
    files: dict[str, Iterable[bytes]] = {}
    for number, each in enumerate(back):
        made = _onward(each, target, options, ledger)
        folder = f"{number + 1}-{each.stem}/" if made.folder else ""
        for path, pieces in made.files.items():
            name = f"{folder}{path}"
            files[name if name not in files else f"{number + 1}-{name}"] = pieces
    return Made(files, folder=True, ledger=ledger)


def _onward(back: Restoration, target: Format, options: Options, ledger: Ledger) -> Made:
    if back.format is target:
        return Made(back.files(), folder=back.folder, ledger=ledger)
    return forwarded(back.source_document(), target, options, ledger)


def grown(source: Document, edited: Document, ledger: Ledger | None = None) -> Made:
    """A source with what was edited or added elsewhere as new branches; nothing old changes."""
    mine = [index for index in indexed(edited) if index.format == source.format]
    if len(mine) != 1:
        raise UsageError(
            f"{edited.name} does not come from {source.name}",
            hint="it must have been converted from it, with what it could not hold carried along",
        )
    back = Restoration(edited, mine[0], onto=source)
    return Made(back.files(), folder=back.folder, ledger=ledger or Ledger())
