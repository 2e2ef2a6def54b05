"""Verification: the output of a conversion is read again and compared with what it must show.

The ordinary reader reads it, with detection. Each message that was written must be found in it, by
a digest of its role and visible text; conversations are compared one by one. A conversation that
was restored from embedded source data is compared in the other direction: its output is converted
once more to the format it came from, and must show the same there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain
from pathlib import Path

from talktree.conversion.digests import digest_conversation
from talktree.conversion.forward import digest_in_format
from talktree.conversion.losses import Loss, LossReport
from talktree.conversion.options import Attachments, ConversionResult, Options
from talktree.conversion.proof import Proof, Shown
from talktree.errors import TalktreeError
from talktree.files import Content, Source, load, park_pieces
from talktree.formats import get_format
from talktree.formats.collection import Collection, read_source
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.model.document import Document

KIND = "mismatch"
POLICIES: tuple[Attachments, ...] = ("inline", "link", "beside")
"""The attachment policies of a restored conversation, the usual one first."""


def verify(made: ConversionResult, source: Source) -> None:
    """Add to the loss report what the output of a conversion, read again, does not show."""
    proof, loss_report = made.proof, made.loss_report
    if proof is None or _is_copy(proof, source):
        return
    proof.finish()
    if not proof.has_messages and not any(content.size for content in source.files.values()):
        return
    document, losses = _read_again(proof, source)
    loss_report.add(losses)
    if document is not None:
        loss_report.add(_compare_output(proof, document, loss_report))


def verify_built(made: ConversionResult, built: Path, name: str) -> None:
    """Verify files that were built on disk and will be called `name`."""
    found = load(built)
    if not made.folder:
        verify(made, Source(name, {name: next(iter(found.files.values()))}, folder=False))
        return
    verify(made, Source(made.main or name, found.files, folder=True))


def verify_made(made: ConversionResult) -> dict[str, Content]:
    """Verify files that are not written to their place, and return their contents."""
    files = {path: park_pieces(pieces) for path, pieces in made.files.items()}
    name = made.main or next(iter(files), "") if not made.folder or made.main else "output"
    verify(made, Source(name, files, folder=made.folder))
    return files


def _read_again(proof: Proof, source: Source) -> tuple[Document | None, list[Loss]]:
    """Return the output as the ordinary reader reads it, and the losses found in that."""
    losses = []
    try:
        document = read_source(source)
        found = {each.format for each in _sources_of(document)}
        if found <= {proof.format}:
            return document, []
        names = ", ".join(sorted(found - {proof.format}))
        losses.append(Loss(KIND, source.name, f"recognised as {names} when it is read again"))
    except TalktreeError as error:
        losses.append(Loss(KIND, source.name, f"not recognised again: {error.message}"))
    if proof.copied is not None or proof.restored:
        # Such files are unchanged; the user may have named their format.
        losses.clear()
    try:
        return read_document(source, get_format(proof.format)), losses
    except TalktreeError as error:
        return None, [*losses, Loss(KIND, source.name, f"cannot be read: {error.message}")]


def _sources_of(document: Document) -> Sequence[Document]:
    """Return the sources that were read: one, or those of a collection."""
    return document.sources if isinstance(document, Collection) else (document,)


def _compare_output(proof: Proof, document: Document, loss_report: LossReport) -> Iterator[Loss]:
    """Return the differences between what must be shown and what is shown."""
    if proof.shown or not proof.restored:
        found = [(each, digest_conversation(each)) for each in document.conversations]
        wanted, found = _pair_off(proof.shown, found)
        yield from _find_missing(wanted, chain.from_iterable(log.digests for _, log in found))
        if not proof.restored:
            yield from _find_added(wanted, found)
    if proof.restored:
        # Edits that the source has no place for are reported already.
        yield from _compare_restored(proof, document, edits_lost=loss_report.counts["edit", "lost"])


def _compare_restored(proof: Proof, document: Document, *, edits_lost: int) -> list[Loss]:
    """Return the messages of a restored document that it does not show in its previous format.

    The usual attachment policy is tried first, the others only if that does not show everything.
    """
    formats = [get_format(slug) for slug in sorted({each.format for each, _ in proof.restored})]
    branched = all(format.can.branches for format in formats)
    lost: list[Loss] = []
    views: list[int] = []
    for policy in POLICIES:
        for branch in (None,) if branched else (None, "all"):
            options = Options(carry=False, branch=branch, attachments=policy)
            shown = [
                digest
                for each in _sources_of(document)
                for format in formats
                for digest in digest_in_format(each, format, options)
            ]
            lost = list(_find_missing(proof.restored, chain(views, shown)))
            if len(lost) <= edits_lost:
                return []
        views += shown
    return lost


def _pair_off(wanted: Sequence[Shown], found: Sequence[Shown]) -> tuple[list[Shown], list[Shown]]:
    """Return the conversations of both sides without an equal counterpart."""
    keys = Counter(log.key for _, log in wanted) & Counter(log.key for _, log in found)
    return _drop_matched(wanted, keys.copy()), _drop_matched(found, keys)


def _drop_matched(sides: Sequence[Shown], keys: Counter[bytes]) -> list[Shown]:
    left = []
    for side in sides:
        key = side[1].key
        if keys[key]:
            keys[key] -= 1
        else:
            left.append(side)
    return left


def _find_missing(wanted: Sequence[Shown], found: Iterable[int]) -> Iterator[Loss]:
    """Yield messages that are not found."""
    left = Counter(found)
    for conversation, log in wanted:
        for position, digest in zip(log.positions, log.digests, strict=True):
            left[digest] -= 1
            if left[digest] < 0:
                name = conversation.skeleton.ids[position] if position >= 0 else conversation.id
                yield Loss(KIND, name, "not found when the output is read again")


def _find_added(wanted: Sequence[Shown], found: Sequence[Shown]) -> Iterator[Loss]:
    """Yield messages that the output shows in addition."""
    expected = chain.from_iterable(log.digests for _, log in wanted)
    for loss in _find_missing(found, expected):
        yield Loss(KIND, loss.entry, "shown only when the output is read again")


def _is_copy(proof: Proof, source: Source) -> bool:
    """Whether the output has the same bytes as the source of the conversion."""
    if proof.copied is None:
        return False
    origin = proof.copied.origin
    assert isinstance(origin, DocumentOrigin)
    mine = origin.source
    if mine.folder != source.folder:
        return False
    if not mine.folder:
        (one,), (two,) = mine.files.values(), source.files.values()
        return _is_equal(one, two)
    return mine.files.keys() == source.files.keys() and all(
        _is_equal(content, source.files[path]) for path, content in mine.files.items()
    )


def _is_equal(one: Content, two: Content) -> bool:
    return one.size == two.size and _digest(one) == _digest(two)


def _digest(content: Content) -> bytes:
    state = blake2b()
    for block in content.blocks():
        state.update(block)
    return state.digest()
