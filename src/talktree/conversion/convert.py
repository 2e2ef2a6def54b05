"""The one way from a document to files of a format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from talktree.conversion.embed_read import Index, carries, indexed
from talktree.conversion.forward import as_written, forwarded, without_records
from talktree.conversion.losses import Ledger, Loss
from talktree.conversion.options import Made, Options
from talktree.conversion.proof import Proof, join_proofs
from talktree.conversion.restore import Restoration
from talktree.conversion.restore_edits import restoration, restored, restored_files
from talktree.errors import TalktreeError, UsageError
from talktree.files import form_of
from talktree.formats import by_slug
from talktree.formats.engine import Origin, write
from talktree.formats.format import TAGS, Format
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

    Conversations that embed records of the target format are restored from them; all others are
    converted as they are shown. A large document may be worked on in several processes, where they
    can begin as copies of this one.
    """
    options = options or Options()
    ledger = ledger or Ledger()
    origin = document.origin
    assert isinstance(origin, Origin)
    target = by_slug(to)
    to = target.info.slug
    ledger.add(_damage(origin, options))
    if to == document.format:
        if options.branch not in (None, "all") or (not options.carry and carries(document)):
            return forwarded(document, target, options, ledger, processes=processes)
        source = origin.source
        return Made(
            write(document),
            folder=source.folder,
            ledger=ledger,
            main=source.main,
            proof=Proof(format=to, copied=document),
        )
    document = as_written(document)
    back = _restorations(document, to, ledger)
    if not back:
        return forwarded(document, target, options, ledger, processes=processes)
    made = [(each, _restored(each, target, options, ledger)) for each in back]
    taken = {number for each in back for number in each.index.conversations}
    left = [each for number, each in enumerate(document.conversations) if number not in taken]
    if left:
        rest = forwarded(document.with_these(left), target, options, ledger)
        return _side_by_side(made, rest, to, ledger)
    _report_files(document, ledger)
    return made[0][1] if len(made) == 1 else _side_by_side(made, None, to, ledger)


def _damage(origin: Origin, options: Options) -> Iterator[Loss]:
    """What is lost of damaged files; the rest of a character that is cut off is embedded."""
    for path, why in origin.damaged.items():
        is_embedded = options.carry and bool(form_of(origin.by_path[path].content))
        yield Loss("damage", path, why, "carried" if is_embedded else "lost")


def _restorations(document: Document, to: str, ledger: Ledger) -> list[Restoration]:
    """The sources that a document embeds and that lead to a format."""
    found = []
    for index in indexed(document):
        if not index.leads_to(to):
            continue
        why = "it does not fit what is shown"
        try:
            back = restoration(document, index)
        except TalktreeError as error:
            back, why = None, str(error)
        if back is not None:
            found.append(back)
            continue
        # Then its conversations count as they are shown.
        _report_unused(document, index, why, ledger)
    return found


def _report_unused(document: Document, index: Index, why: str, ledger: Ledger) -> None:
    ids = [document.conversations[number].id for number in index.conversations]
    ledger.add(Loss("embedded", id, why, "carried") for id in ids)


def _restored(back: Restoration, target: Format, options: Options, ledger: Ledger) -> Made:
    _report_others(back, ledger)
    if back.format is target:
        files = restored_files(back, ledger)
        shown = back.document.conversations
        digests = [(shown[number], log) for number, log in back.index.digests.items()]
        proof = Proof(format=target.info.slug, restored=digests)
        main = back.main_among(files)
        return Made(files, folder=back.folder, ledger=ledger, main=main, proof=proof)
    return converted(restored(back, ledger), target.info.slug, options, ledger)


def _report_others(back: Restoration, ledger: Ledger) -> None:
    """Report entries that were added since and are not messages: they have no place to go."""
    document = back.document
    for number, position in back.index.others:
        entry = document.conversations[number].entry(position)
        ledger.add([Loss(TAGS[type(entry)], entry.id, TAGS[type(entry)], "lost")])


def _report_files(document: Document, ledger: Ledger) -> None:
    """Report files that no conversation carries along."""
    origin = document.origin
    assert isinstance(origin, Origin)
    ledger.add(Loss("file", path, path, "lost") for path in without_records(origin))


def _side_by_side(
    back: Sequence[tuple[Restoration, Made]], rest: Made | None, format: str, ledger: Ledger
) -> Made:
    """The files of several sources in one folder; each that was a folder is one in it.

    A file with companion files is not a folder: all of them go directly into the one folder.
    """
    files: dict[str, Iterable[bytes]] = {}
    for number, (each, made) in enumerate(back, 1):
        prefix = f"{each.stem}/" if made.folder and made.main is None else ""
        if any(f"{prefix}{path}" in files for path in made.files):
            prefix = f"{number}-{each.stem}/"
        files |= {f"{prefix}{path}": pieces for path, pieces in made.files.items()}
    for path, pieces in (rest.files if rest is not None else {}).items():
        files[path if path not in files else f"more/{path}"] = pieces
    all_made = [made for _, made in back] + ([] if rest is None else [rest])
    proof = join_proofs(format, [each.proof for each in all_made])
    return Made(files, folder=True, ledger=ledger, proof=proof)


def grown(source: Document, edited: Document, ledger: Ledger | None = None) -> Made:
    """A source with what was edited or added elsewhere as new branches; nothing old changes."""
    mine = [index for index in indexed(edited) if index.format == source.format]
    if len(mine) != 1:
        raise UsageError(
            f"{edited.shown} does not come from {source.shown}",
            hint="it must have been converted from it, with what it could not hold carried along",
        )
    ledger = ledger or Ledger()
    back = Restoration(edited, mine[0], onto=source)
    assert isinstance(source.origin, Origin)
    main = source.origin.source.main
    return Made(restored_files(back, ledger), folder=back.folder, ledger=ledger, main=main)
