"""The public functions, called by the command line, the web studio and Python programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from talktree.conversion.losses import LossReport
from talktree.conversion.options import ConversionResult, Options
from talktree.errors import Unreadable
from talktree.files import (
    OutputGate,
    Source,
    encode_as_named,
    input_paths,
    is_compressed_name,
    load,
    load_stream,
    save,
)
from talktree.formats import get_format
from talktree.formats.companions import with_companions
from talktree.formats.detect import FormatGuess
from talktree.formats.detect import detect as _detect
from talktree.formats.engine import DocumentOrigin
from talktree.formats.engine import read_document as _read
from talktree.formats.engine import skim_records as _skim
from talktree.formats.engine import write_document as _write
from talktree.model.document import Document
from talktree.model.outline import LineOutline

if TYPE_CHECKING:
    from talktree.checks.report import Report
    from talktree.files.safe_replace import Replacement
    from talktree.library.library import Library
    from talktree.repairs.run import Repair
    from talktree.session.session import Session

DEFAULT = Options()


class Conversion(NamedTuple):
    """What was written, and what the target could not hold."""

    written: list[Path]
    loss_report: LossReport


def open_source(path: str | Path | Source, *, lazy: bool = False) -> Source:
    """Return a source for a path, for `-` (standard input), or the given source.

    With `lazy`, the files of a folder are only listed until they are needed.
    """
    if isinstance(path, Source):
        return path
    if str(path) == "-":
        if sys.stdin is None:
            raise Unreadable("stdin is closed", hint="name a file, or pipe something in")
        return load_stream(sys.stdin.buffer)
    return load(path, lazy=lazy)


def detect(path: str | Path | Source) -> FormatGuess:
    """Return the format of a file or folder, how certain that is, and why."""
    return _detect(open_source(path, lazy=True), named=True)


def read(path: str | Path | Source, *, format: str | None = None, alone: bool = False) -> Document:
    """Return the conversations in a file or folder; the format is detected by default.

    A folder of several sources returns a `Collection` with the conversations of all. Companion
    files, such as the sub-agents of a session, are read with a file unless `alone` is set.
    """
    from talktree.formats.collection import read_source

    return read_source(open_source(path), format=format, alone=alone, named=True)


def skim(path: str | Path | Source, *, format: str | None = None) -> Iterator[LineOutline]:
    """Return ids, parents, times and usage of all records in one quick pass, without contents."""
    source = open_source(path)
    chosen = get_format(format) if format else _detect(source).format
    return _skim(with_companions(source, chosen), chosen)


def write(document: Document, path: str | Path, *, force: bool = False) -> list[Path]:
    """Write a document in its own format; everything that was not edited is written byte for byte.

    It is never written onto its own input, and onto other files only with `force`.
    """
    return save_written(document, path, gate=_make_output_gate(document, force=force))


def save_written(document: Document, path: str | Path, *, gate: OutputGate) -> list[Path]:
    """Write a document in its own format where a gate allows it."""
    source, files, name = source_of(document), _write(document), Path(path).name
    if is_compressed_name(source.name) or is_compressed_name(name):
        files = encode_as_named(name, files, folder=source.folder, main=source.main)
    return save(files, path, folder=source.folder, main=source.main, gate=gate)


def write_pieces(document: Document) -> Mapping[str, Iterable[bytes]]:
    """Return the files of a document in its own format, made as they are read."""
    return _write(document)


def save_edited(document: Document, path: str | Path) -> Replacement:
    """Replace the source of an edited document, after a verified backup.

    This is refused if the source has changed.
    """
    from talktree.files.safe_replace import replace_files

    return replace_files(source_of(document), Path(path), lambda: _write(document))


def convert(
    document: Document,
    path: str | Path,
    *,
    to: str,
    options: Options = DEFAULT,
    loss_report: LossReport | None = None,
    force: bool = False,
) -> Conversion:
    """Write a document in any format; what the format cannot hold is embedded and reported.

    It is never written onto its own input, and onto other files only with `force`.
    """
    made = convert_document(document, to=to, options=options, loss_report=loss_report)
    return save_conversion(
        made, path, options=options, gate=_make_output_gate(document, force=force)
    )


def save_conversion(
    made: ConversionResult,
    path: str | Path,
    *,
    options: Options = DEFAULT,
    gate: OutputGate | None = None,
) -> Conversion:
    """Write the result of a conversion, if its losses are accepted and the gate allows it."""
    from talktree.conversion.verify import verify_built

    folder, main = made.folder, made.main
    files = encode_as_named(Path(path).name, made.files, folder=folder, main=main)

    def agree(built: Path) -> None:
        """Verify the built output, then check the losses."""
        verify_built(made, built, Path(path).name)
        made.loss_report.refuse_forbidden(
            strict=options.strict, allow=options.allow, forbid=options.forbid
        )

    written = save(files, path, folder=folder, main=main, gate=gate, agreed=agree)
    return Conversion(written, made.loss_report)


def convert_document(
    document: Document,
    *,
    to: str,
    options: Options = DEFAULT,
    loss_report: LossReport | None = None,
    processes: int = 1,
) -> ConversionResult:
    """Return the files of a document in a format, made as they are read; this fills the loss
    report.

    A large document may be converted in up to this many processes.
    """
    from talktree.conversion.convert import convert_conversations as _convert

    return _convert(document, to, options, loss_report, processes=processes)


def apply_edits(
    source: Document, edited: Document, *, loss_report: LossReport | None = None
) -> ConversionResult:
    """Return a source with edits and additions from another format as new branches of its own."""
    from talktree.conversion.convert import apply_edits as _apply_edits

    return _apply_edits(source, edited, loss_report)


def preview(
    document: Document,
    *,
    to: str,
    options: Options = DEFAULT,
    loss_report: LossReport | None = None,
) -> LossReport:
    """Return what converting would lose, embed and render; nothing is written."""
    return measure_losses(
        convert_document(document, to=to, options=options, loss_report=loss_report)
    )


def measure_losses(made: ConversionResult) -> LossReport:
    """Return the losses of a conversion that is made and read again without writing anything."""
    from talktree.conversion.verify import verify_made

    verify_made(made)
    return made.loss_report


def migrate(
    document: Document,
    path: str | Path,
    *,
    back: bool = False,
    options: Options = DEFAULT,
    loss_report: LossReport | None = None,
    force: bool = False,
) -> Conversion:
    """Write a document in the current version of its format, or with `back` in the previous one.

    It is never written onto its own input, and onto other files only with `force`.
    """
    from talktree.conversion.migrate import migrate_document, revert_migration

    made = (
        revert_migration(document, loss_report)
        if back
        else migrate_document(document, options, loss_report)
    )
    return save_conversion(
        made, path, options=options, gate=_make_output_gate(document, force=force)
    )


def merge(documents: Sequence[Document]) -> Document:
    """Merge documents with a shared history into one tree in Talktree's own format."""
    from talktree.conversion.merge import merge_documents as _merge_documents

    return _merge_documents(documents)


def check(
    document: Document | str | Path | Source,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> Report:
    """Return the findings in a document, by rules with permanent codes."""
    from talktree.checks.registry import choose_rules, refuse_unknown, rules_for
    from talktree.checks.report import make_report

    document = _encode_edits(document) if isinstance(document, Document) else read(document)
    refuse_unknown((*select, *ignore))
    return make_report(
        document, choose_rules(rules_for(document.format), select=select, ignore=ignore)
    )


def repair(
    document: Document | str | Path | Source,
    *,
    unsafe: bool = False,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> Repair:
    """Return a document with safe fixes applied, or all fixes; nothing is written.

    If the document has companion files, only the file itself is repaired.
    """
    from talktree.checks.registry import choose_rules, refuse_unknown, rules_for
    from talktree.repairs.run import repair_document

    if isinstance(document, Document):
        document = _without_companions(_encode_edits(document))
    else:
        document = read(document, alone=True)
    refuse_unknown((*select, *ignore))
    rules = choose_rules(rules_for(document.format), select=select, ignore=ignore)
    return repair_document(document, unsafe=unsafe, rules=rules)


def write_repair(repair: Repair, path: str | Path, *, force: bool = False) -> list[Path]:
    """Write repaired files, and beside them the log with everything that was removed."""
    from talktree.repairs.write import save_repair

    return save_repair(repair, path, gate=_make_output_gate(repair.before, force=force))


def repair_in_place(repair: Repair, path: str | Path) -> list[Path]:
    """Replace files by their repaired versions, after a verified backup of each."""
    from talktree.repairs.write import save_in_place

    return save_in_place(repair, Path(path))


def revert_repair(path: str | Path, log: str | Path | None = None) -> Source:
    """Return the files as they were before a repair, byte for byte, from its log."""
    from talktree.repairs.write import find_log, revert_source

    return revert_source(path, log or find_log(Path(path)))


def create_session(
    *,
    root: str | Path = ".sage",
    title: str | None = None,
    workspace: str | Path | None = None,
    durability: Literal["safe", "fast"] | None = None,
) -> Session:
    """Create a session in a store; its workspace is the current folder by default."""
    from talktree.session.store import Store

    return Store(root).create(title=title, workspace=workspace, durability=durability)


def open_session(
    id: str | None = None,
    *,
    root: str | Path = ".sage",
    workspace: str | Path | None = None,
    write: bool = True,
) -> Session:
    """Open a session by its id or a prefix of it, or the newest one, to continue it or to move
    back.

    A session from elsewhere gets a workspace only if one is named.
    """
    from talktree.session.store import Store

    return Store(root).open(id, workspace=workspace, write=write)


def open_library(root: str | Path | None = None, *, write: bool = True) -> Library:
    """Open the library of all conversations, to import, search and count them.

    It is in the data folder unless another folder is named; opening it for writing creates it.
    """
    from talktree.library.library import Library

    return Library.open(None if root is None else Path(root), write=write)


def source_of(document: Document) -> Source:
    """Return the files that a document was read from."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    return origin.source


def _encode_edits(document: Document) -> Document:
    """Return a document with the bytes of its edited records."""
    from talktree.conversion.forward import encode_edits

    return encode_edits(document) if isinstance(document.origin, DocumentOrigin) else document


def _make_output_gate(document: Document, *, force: bool) -> OutputGate:
    return OutputGate(input_paths(source_of(document)), force=force)


def _without_companions(document: Document) -> Document:
    """Return a document without the companion files of its main file."""
    source = source_of(document)
    if source.main is None:
        return document
    return _read(source.without_companions(), get_format(document.format))


def to_bytes(document: Document) -> dict[str, bytes]:
    """Return the files of a document in memory."""
    return {path: b"".join(pieces) for path, pieces in _write(document).items()}
