"""Writing a conversation in a format, as a file to be downloaded; several files become a ZIP.

What a conversion would lose, carry and render, as the page shows it.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from secrets import token_hex

from talktree import api
from talktree.conversion.losses import FiledLedger
from talktree.conversion.options import Made, Options
from talktree.files import save
from talktree.formats import by_slug
from talktree.model.document import Document
from talktree.text.file_names import plain
from talktree.views.width import one_line
from talktree.web.actions.scratch import created, is_private, whole
from talktree.web.documents.cache import Opened
from talktree.web.job_runner import Cancelled, Progress, Result
from talktree.web.schemas.edits_and_moves import Ledger, LossLine, SaveAs

THEN = (1980, 1, 1, 0, 0, 0)
"""The time of all files in a ZIP: the same content gives the same bytes."""


def options_of(branch: str | None, *, clean: bool) -> Options:
    """How to convert, as the page says it."""
    return Options(branch=branch or None, carry=not clean)


def alone(opened: Opened) -> Document:
    """The document of an open conversation, without the others that its source may hold."""
    document = opened.document
    if len(document.conversations) == 1:
        return document
    return document.with_only(opened.as_read)


def saving_as(opened: Opened, asked: SaveAs, scratch: Path) -> Callable[[Progress], Result]:
    """The work of writing a conversation in a format."""
    info = by_slug(asked.to).info
    document = alone(opened)
    total = sum(each.record_count for each in document.conversations)
    name = plain(opened.title, otherwise="conversation")

    def work(progress: Progress) -> Result:
        """Write it, and tell how far that is."""
        done = 0

        def step() -> None:
            """One more message is written."""
            nonlocal done
            done += 1
            progress.tell(min(done, total), total, f"writing {info.slug}")

        options = options_of(asked.branch, clean=asked.clean)
        ledger = FiledLedger(step=step)
        made = api.converted(document, to=asked.to, options=options, ledger=ledger)
        return written(made, name, info.suffixes[0], scratch, progress)

    return work


def written(made: Made, name: str, suffix: str, scratch: Path, progress: Progress) -> Result:
    """The files of a conversion as one file in scratch."""
    place = scratch / token_hex(16)
    if len(made.files) == 1 and not made.folder:
        (pieces,) = made.files.values()
        if is_private(place):
            with whole(place) as file:
                file.writelines(_watched(pieces, progress))
            return Result(place, f"{name}{suffix}")
        save({name: _watched(pieces, progress)}, place, folder=False)
        return Result(place, f"{name}{suffix}")
    try:
        _zip(made, name, place, progress)
    except BaseException:
        place.unlink(missing_ok=True)
        raise
    return Result(place, f"{name}.zip")


def _watched(pieces: Iterable[bytes], progress: Progress) -> Iterator[bytes]:
    """The same pieces, until somebody does not want them any more."""
    for piece in pieces:
        if progress.cancelled:
            raise Cancelled
        yield piece


def _zip(made: Made, name: str, place: Path, progress: Progress) -> None:
    with created(place) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, pieces in made.files.items():
            inside = zipfile.ZipInfo(f"{name}/{path}", THEN)
            inside.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(inside, "w", force_zip64=True) as member:
                for piece in _watched(pieces, progress):
                    member.write(piece)


SHORT = 100


def previewed(document: Document, to: str, options: Options) -> Ledger:
    """The ledger of a conversion that is not made."""
    ledger = FiledLedger()
    api.preview(document, to=to, options=options, ledger=ledger)
    return told(ledger, to)


def told(ledger: FiledLedger, to: str) -> Ledger:
    """A ledger with counts and a few examples."""
    sums = dict.fromkeys(("lost", "carried"), 0)
    for (_, kept), count in ledger.counts.items():
        sums[kept] = sums.get(kept, 0) + count
    return Ledger(
        to=to,
        losses=tuple(
            LossLine(
                kind=kind,
                kept=kept,
                count=count,
                examples=tuple(
                    one_line(f"{loss.entry}: {loss.what}", SHORT)
                    for loss in ledger.examples.get((kind, kept), ())
                ),
            )
            for (kind, kept), count in sorted(ledger.counts.items())
        ),
        lost=sums["lost"],
        carried=sums["carried"],
        carried_bytes=ledger.carried_bytes,
    )
