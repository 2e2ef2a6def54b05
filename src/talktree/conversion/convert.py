"""Converting a document to files of a format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from talktree.conversion.embed_read import EmbeddedIndex, has_embedded_data, index_embedded_sources
from talktree.conversion.forward import convert_to_format, encode_edits, list_files_without_records
from talktree.conversion.losses import Loss, LossReport
from talktree.conversion.options import ConversionResult, Options
from talktree.conversion.proof import Proof, join_proofs
from talktree.conversion.restore import Restoration
from talktree.conversion.restore_edits import find_restoration, restore_document, restore_files
from talktree.errors import TalktreeError, UsageError
from talktree.files import find_text_form
from talktree.formats import get_format
from talktree.formats.engine import DocumentOrigin, write_document
from talktree.formats.format import TAGS, Format
from talktree.model.document import Document


def convert_conversations(
    document: Document,
    to: str,
    options: Options | None = None,
    loss_report: LossReport | None = None,
    *,
    processes: int = 1,
) -> ConversionResult:
    """Convert a document to its own format, the one it came from, or any other.

    Conversations that embed records of the target format are restored from them; all others are
    converted as they are shown. A large document may be converted in several processes, where the
    platform can fork.
    """
    options = options or Options()
    loss_report = loss_report or LossReport()
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    target = get_format(to)
    to = target.info.slug
    loss_report.add(_find_damage_losses(origin, options))
    if to == document.format:
        if options.branch not in (None, "all") or (
            not options.carry and has_embedded_data(document)
        ):
            return convert_to_format(document, target, options, loss_report, processes=processes)
        source = origin.source
        return ConversionResult(
            write_document(document),
            folder=source.folder,
            loss_report=loss_report,
            main=source.main,
            proof=Proof(format=to, copied=document),
        )
    document = encode_edits(document)
    back = _find_restorations(document, to, loss_report)
    if not back:
        return convert_to_format(document, target, options, loss_report, processes=processes)
    made = [(each, _restore_source(each, target, options, loss_report)) for each in back]
    taken = {number for each in back for number in each.index.conversations}
    left = [each for number, each in enumerate(document.conversations) if number not in taken]
    if left:
        rest = convert_to_format(document.with_these(left), target, options, loss_report)
        return _combine_results(made, rest, to, loss_report)
    _report_files(document, loss_report)
    return made[0][1] if len(made) == 1 else _combine_results(made, None, to, loss_report)


def _find_damage_losses(origin: DocumentOrigin, options: Options) -> Iterator[Loss]:
    """Return the losses of damaged files; the bytes of a truncated character are embedded."""
    for path, why in origin.damaged_files.items():
        is_embedded = options.carry and bool(find_text_form(origin.by_path[path].content))
        yield Loss("damage", path, why, "carried" if is_embedded else "lost")


def _find_restorations(document: Document, to: str, loss_report: LossReport) -> list[Restoration]:
    """Return the embedded sources of a document that lead to a format."""
    found = []
    for index in index_embedded_sources(document):
        if not index.can_restore_to(to):
            continue
        why = "it does not fit what is shown"
        try:
            back = find_restoration(document, index)
        except TalktreeError as error:
            back, why = None, str(error)
        if back is not None:
            found.append(back)
            continue
        # Its conversations are then converted as they are shown.
        _report_unused(document, index, why, loss_report)
    return found


def _report_unused(
    document: Document, index: EmbeddedIndex, why: str, loss_report: LossReport
) -> None:
    ids = [document.conversations[number].id for number in index.conversations]
    loss_report.add(Loss("embedded", id, why, "carried") for id in ids)


def _restore_source(
    back: Restoration, target: Format, options: Options, loss_report: LossReport
) -> ConversionResult:
    _report_others(back, loss_report)
    if back.format is target:
        files = restore_files(back, loss_report)
        shown = back.document.conversations
        digests = [(shown[number], log) for number, log in back.index.digests.items()]
        proof = Proof(format=target.info.slug, restored=digests)
        main = back.find_main_file(files)
        return ConversionResult(
            files, folder=back.folder, loss_report=loss_report, main=main, proof=proof
        )
    return convert_conversations(
        restore_document(back, loss_report), target.info.slug, options, loss_report
    )


def _report_others(back: Restoration, loss_report: LossReport) -> None:
    """Report added entries that are not messages: there is no place for them."""
    document = back.document
    for number, position in back.index.others:
        entry = document.conversations[number].entry(position)
        loss_report.add([Loss(TAGS[type(entry)], entry.id, TAGS[type(entry)], "lost")])


def _report_files(document: Document, loss_report: LossReport) -> None:
    """Report files that no conversation embeds."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    loss_report.add(Loss("file", path, path, "lost") for path in list_files_without_records(origin))


def _combine_results(
    back: Sequence[tuple[Restoration, ConversionResult]],
    rest: ConversionResult | None,
    format: str,
    loss_report: LossReport,
) -> ConversionResult:
    """Combine the files of several sources in one folder; each folder becomes a folder in it.

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
    return ConversionResult(files, folder=True, loss_report=loss_report, proof=proof)


def apply_edits(
    source: Document, edited: Document, loss_report: LossReport | None = None
) -> ConversionResult:
    """Return a source with what was edited or added elsewhere as new branches; old records stay."""
    mine = [index for index in index_embedded_sources(edited) if index.format == source.format]
    if len(mine) != 1:
        raise UsageError(
            f"{edited.shown} does not come from {source.shown}",
            hint="it must have been converted from it, with what it could not hold carried along",
        )
    loss_report = loss_report or LossReport()
    back = Restoration(edited, mine[0], onto=source)
    assert isinstance(source.origin, DocumentOrigin)
    main = source.origin.source.main
    return ConversionResult(
        restore_files(back, loss_report), folder=back.folder, loss_report=loss_report, main=main
    )
