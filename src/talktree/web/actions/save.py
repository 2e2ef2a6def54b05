"""Write a conversation in a format as a download; several files become a ZIP.

Also: the losses of a conversion, as the page shows them.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from secrets import token_hex

from talktree import api
from talktree.conversion.losses import FiledLossReport
from talktree.conversion.options import ConversionResult, Options
from talktree.files import save
from talktree.formats import get_format
from talktree.model.document import Document
from talktree.text.file_names import to_portable_name
from talktree.views.width import to_one_line
from talktree.web.actions.scratch import create_file, is_private, open_new_file
from talktree.web.documents.cache import OpenConversation
from talktree.web.job_runner import Cancelled, JobProgress, JobResult
from talktree.web.schemas.edits_and_moves import LossLine, LossSummary, SaveAs

THEN = (1980, 1, 1, 0, 0, 0)
"""The time of all files in a ZIP, so that the same content gives the same bytes."""


def make_options(branch: str | None, *, clean: bool) -> Options:
    """Return the conversion options for a request of the page."""
    return Options(branch=branch or None, carry=not clean)


def isolate_document(opened: OpenConversation) -> Document:
    """Return the document of an open conversation without other conversations of its source."""
    document = opened.document
    if len(document.conversations) == 1:
        return document
    return document.with_only(opened.original_conversation)


def make_save_work(
    opened: OpenConversation, asked: SaveAs, scratch: Path
) -> Callable[[JobProgress], JobResult]:
    """Return the job that writes a conversation in a format."""
    info = get_format(asked.to).info
    document = isolate_document(opened)
    total = sum(each.record_count for each in document.conversations)
    name = to_portable_name(opened.title, otherwise="conversation")

    def work(progress: JobProgress) -> JobResult:
        """Write the conversation and report progress."""
        done = 0

        def step() -> None:
            """Report one more written message."""
            nonlocal done
            done += 1
            progress.report(min(done, total), total, f"writing {info.slug}")

        options = make_options(asked.branch, clean=asked.clean)
        loss_report = FiledLossReport(step=step)
        made = api.convert_document(document, to=asked.to, options=options, loss_report=loss_report)
        return write_result(made, name, info.suffixes[0], scratch, progress)

    return work


def write_result(
    made: ConversionResult, name: str, suffix: str, scratch: Path, progress: JobProgress
) -> JobResult:
    """Write the files of a conversion as one file in the scratch folder."""
    place = scratch / token_hex(16)
    if len(made.files) == 1 and not made.folder:
        (pieces,) = made.files.values()
        if is_private(place):
            with open_new_file(place) as file:
                file.writelines(_until_cancelled(pieces, progress))
            return JobResult(place, f"{name}{suffix}")
        save({name: _until_cancelled(pieces, progress)}, place, folder=False)
        return JobResult(place, f"{name}{suffix}")
    try:
        _write_zip(made, name, place, progress)
    except BaseException:
        place.unlink(missing_ok=True)
        raise
    return JobResult(place, f"{name}.zip")


def _until_cancelled(pieces: Iterable[bytes], progress: JobProgress) -> Iterator[bytes]:
    """Yield the same pieces until the job is cancelled."""
    for piece in pieces:
        if progress.cancelled:
            raise Cancelled
        yield piece


def _write_zip(made: ConversionResult, name: str, place: Path, progress: JobProgress) -> None:
    with create_file(place) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, pieces in made.files.items():
            inside = zipfile.ZipInfo(f"{name}/{path}", THEN)
            inside.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(inside, "w", force_zip64=True) as member:
                for piece in _until_cancelled(pieces, progress):
                    member.write(piece)


SHORT = 100


def preview_losses(document: Document, to: str, options: Options) -> LossSummary:
    """Return the losses of a conversion without writing it."""
    loss_report = FiledLossReport()
    api.preview(document, to=to, options=options, loss_report=loss_report)
    return summarize_losses(loss_report, to)


def summarize_losses(loss_report: FiledLossReport, to: str) -> LossSummary:
    """Return a loss report with counts and a few examples."""
    sums = dict.fromkeys(("lost", "carried"), 0)
    for (_, kept), count in loss_report.counts.items():
        sums[kept] = sums.get(kept, 0) + count
    return LossSummary(
        to=to,
        losses=tuple(
            LossLine(
                kind=kind,
                kept=kept,
                count=count,
                examples=tuple(
                    to_one_line(f"{loss.entry}: {loss.what}", SHORT)
                    for loss in loss_report.examples.get((kind, kept), ())
                ),
            )
            for (kind, kept), count in sorted(loss_report.counts.items())
        ),
        lost=sums["lost"],
        carried=sums["carried"],
        carried_bytes=loss_report.carried_bytes,
    )
