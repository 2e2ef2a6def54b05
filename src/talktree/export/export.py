"""Exporting a document: the only way to share it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from talktree.export.choice import PAGES, ExportOptions
from talktree.export.facts import facts_of, title_of
from talktree.export.names import make_file_name
from talktree.export.page.page import render_page
from talktree.export.redacted_document import redact_document
from talktree.export.redaction import Redactor
from talktree.export.shared_files import (
    origin_of,
    without_binary_files,
    without_foreign_files,
)
from talktree.export.targets import RedactionTargets
from talktree.export.text_page import Markdown, PlainTextWriter
from talktree.export.walk import ExportWalk, Tell
from talktree.files import OutputGate, encode_as_named, save
from talktree.formats.engine import DocumentOrigin
from talktree.model.document import Document
from talktree.model.link_repair import with_inferred_links
from talktree.settings.redaction import redaction_settings

if TYPE_CHECKING:
    from talktree.conversion.options import ConversionResult

PIECE = 1 << 16
SMALL = 4 << 20
"""Maximum size of sources whose entries are cached between reading and writing."""


class ExportResult(Struct, frozen=True, kw_only=True):
    """Output files, made while they are read."""

    files: Mapping[str, Iterable[bytes]]
    folder: bool = False
    main: str | None = None
    """The file that all others are companion files of, if there is one."""
    name: str
    """The output name, with its ending."""
    secrets: Counter[str]
    """How many different secrets of each kind were replaced."""
    looked_for: str = ""
    """A description of what was searched for replacement; empty if nothing was."""
    left_out: Counter[str] = Counter()
    """How many deleted and hidden items of each kind were left out."""
    other_files: tuple[str, ...] = ()
    """Files next to the conversations, or embedded in them, that were left out."""
    title: str = ""
    facts: Sequence[str] = ()

    def save(self, path: str | Path, *, gate: OutputGate | None = None) -> list[Path]:
        """Write it, whole or not at all, where the gate allows it."""
        name = Path(path).name
        files = encode_as_named(name, self.files, folder=self.folder, main=self.main)
        return save(files, path, folder=self.folder, main=self.main, gate=gate)

    @property
    def is_file(self) -> bool:
        """Whether it is a file, perhaps with companion files."""
        return not self.folder or self.main is not None


def _ignore_progress(done: int) -> None:
    """Ignore the progress."""


def make_redactor(choice: ExportOptions, key: bytes | None = None) -> Redactor:
    """Return a redactor for secrets, the words of the options, and those of the user's settings.

    Without a key, a random one is used, and equal secrets get other placeholders in the next
    export.
    """
    settings = redaction_settings()
    words = (*choice.words, *settings.words)
    return Redactor(
        key, targets=RedactionTargets(words, settings.patterns, personal=choice.personal)
    )


def export_document(
    document: Document,
    choice: ExportOptions,
    *,
    only: Sequence[int] | None = None,
    tell: Tell = _ignore_progress,
    redactor: Redactor | None = None,
) -> ExportResult:
    """Export a document, or only the conversations with these numbers, as a page or in a format.

    `tell` is called with how many messages are done; an exception from it stops the export.
    """
    redactor = redactor or make_redactor(choice)
    looked_for = redactor.targets.describe() if choice.redact else ""
    document, other_files = _without_unexported_files(document, choice)
    if choice.redact:
        document = redact_document(document, redactor, lambda: tell(0))
    if choice.to not in PAGES:
        # Imported only here, because that is slow.
        from talktree.export.as_format import convert_selection

        made, left_out = convert_selection(document, choice, only, tell)
        return ExportResult(
            files=made.files,
            folder=made.folder,
            main=made.main,
            name=make_file_name(document.name, _file_ending(made)),
            secrets=redactor.counts,
            looked_for=looked_for,
            left_out=left_out,
            other_files=other_files,
        )
    numbers = range(len(document.conversations)) if only is None else only
    small = _is_small(document)
    walks = [
        ExportWalk(
            with_inferred_links(document.conversations[number]), choice, tell, remembers=small
        )
        for number in numbers
    ]
    title, facts = title_of(walks, document.name), facts_of(walks)
    name = make_file_name(document.name, PAGES[choice.to])
    return ExportResult(
        files={name: _render_pieces(walks, choice, title, facts)},
        name=name,
        secrets=redactor.counts,
        looked_for=looked_for,
        left_out=sum((walk.left_out for walk in walks), Counter()),
        other_files=other_files,
        title=title,
        facts=facts,
    )


def _without_unexported_files(
    document: Document, choice: ExportOptions
) -> tuple[Document, tuple[str, ...]]:
    """Return the document without files that are not exported, and the names of these files."""
    origin = origin_of(document)
    folder = os.path.dirname(document.shown) if origin.source.main else document.shown
    document, foreign = without_foreign_files(document)
    embedded: tuple[str, ...] = ()
    binary: tuple[str, ...] = ()
    if choice.to not in PAGES:
        # Imported only here, because that is slow.
        from talktree.export.embedded_files import without_embedded_files

        document, embedded = without_embedded_files(document)
        document, binary = without_binary_files(document) if choice.redact else (document, ())
    paths = (os.path.join(folder, path) for path in (*foreign, *binary))
    return document, (*paths, *(f"{path} (embedded)" for path in embedded))


def _is_small(document: Document) -> bool:
    origin = document.origin
    if not isinstance(origin, DocumentOrigin):
        return False
    return sum(content.size for content in origin.source.files.values()) <= SMALL


def _render_pieces(
    walks: Sequence[ExportWalk], choice: ExportOptions, title: str, facts: Sequence[str]
) -> Iterator[bytes]:
    """Yield a page, Markdown or text, piece by piece."""
    if choice.to == "html":
        yield from render_page(walks, title, facts)
        return
    kind = Markdown if choice.to == "md" else PlainTextWriter
    yield from _encode_texts([kind.render_title(title, facts)])
    for walk in walks:
        yield from _encode_texts(kind(walk).render_texts())


def _encode_texts(texts: Iterable[str]) -> Iterator[bytes]:
    held: list[str] = []
    size = 0
    for text in texts:
        held.append(text)
        size += len(text)
        if size >= PIECE:
            yield "".join(held).encode("utf-8", "replace")
            held, size = [], 0
    yield "".join(held).encode("utf-8", "replace")


def _file_ending(made: ConversionResult) -> str:
    """Return the ending of the file name; empty for a folder."""
    if made.folder:
        return Path(made.main or "").suffix
    (path,) = made.files
    return Path(path).suffix
