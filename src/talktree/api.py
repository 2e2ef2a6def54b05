"""The verbs: what the command line, the web studio and Python programs call."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from talktree.conversion.losses import Ledger
from talktree.conversion.options import Made, Options
from talktree.errors import Unreadable
from talktree.files import (
    OutputGate,
    Source,
    as_named,
    input_paths,
    is_named_so,
    load,
    load_stream,
    save,
)
from talktree.formats import by_slug
from talktree.formats.companions import with_companions
from talktree.formats.detect import Guess
from talktree.formats.detect import detect as _detect
from talktree.formats.engine import Origin
from talktree.formats.engine import read as _read
from talktree.formats.engine import skim as _skim
from talktree.formats.engine import write as _write
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
    ledger: Ledger


def open_source(path: str | Path | Source, *, lazy: bool = False) -> Source:
    """A source from a path, `-` for standard input, or as given.

    With `lazy` the files of a folder are only listed until they are needed.
    """
    if isinstance(path, Source):
        return path
    if str(path) == "-":
        if sys.stdin is None:
            raise Unreadable("stdin is closed", hint="name a file, or pipe something in")
        return load_stream(sys.stdin.buffer)
    return load(path, lazy=lazy)


def detect(path: str | Path | Source) -> Guess:
    """The format of a file or folder, how sure that is, and why."""
    return _detect(open_source(path, lazy=True), named=True)


def read(path: str | Path | Source, *, format: str | None = None, alone: bool = False) -> Document:
    """The conversations in a file or folder; the format is recognised unless it is named.

    A folder of several sources gives a `Collection` with the conversations of all. Companion files
    of a file, such as the sub-agents of a session, are read with it unless it is wanted `alone`.
    """
    from talktree.formats.collection import read_source

    return read_source(open_source(path), format=format, alone=alone, named=True)


def skim(path: str | Path | Source, *, format: str | None = None) -> Iterator[LineOutline]:
    """Ids, parents, times and usage of all records in one quick pass; contents are not read."""
    source = open_source(path)
    chosen = by_slug(format) if format else _detect(source).format
    return _skim(with_companions(source, chosen), chosen)


def write(document: Document, path: str | Path, *, force: bool = False) -> list[Path]:
    """Write a document in its own format; what was not edited comes out byte for byte.

    It is never written onto what it was read from, and onto other files only with `force`.
    """
    return save_written(document, path, gate=_gate_for(document, force=force))


def save_written(document: Document, path: str | Path, *, gate: OutputGate) -> list[Path]:
    """Write a document in its own format where a gate allows it."""
    source, files, name = source_of(document), _write(document), Path(path).name
    if is_named_so(source.name) or is_named_so(name):
        files = as_named(name, files, folder=source.folder, main=source.main)
    return save(files, path, folder=source.folder, main=source.main, gate=gate)


def write_pieces(document: Document) -> Mapping[str, Iterable[bytes]]:
    """The files of a document in its own format, made as they are read."""
    return _write(document)


def save_edited(document: Document, path: str | Path) -> Replacement:
    """Put an edited document in the place of what it was read from, after a verified backup.

    It is refused if that is not the same any more.
    """
    from talktree.files.safe_replace import replaced

    return replaced(source_of(document), Path(path), lambda: _write(document))


def convert(
    document: Document,
    path: str | Path,
    *,
    to: str,
    options: Options = DEFAULT,
    ledger: Ledger | None = None,
    force: bool = False,
) -> Conversion:
    """Write a document in any format; what that cannot hold is embedded and reported.

    It is never written onto what it was read from, and onto other files only with `force`.
    """
    made = converted(document, to=to, options=options, ledger=ledger)
    return keep(made, path, options=options, gate=_gate_for(document, force=force))


def keep(
    made: Made,
    path: str | Path,
    *,
    options: Options = DEFAULT,
    gate: OutputGate | None = None,
) -> Conversion:
    """Write what a conversion made, if its losses are accepted and the gate allows it."""
    from talktree.conversion.verify import verify_built

    folder, main = made.folder, made.main
    files = as_named(Path(path).name, made.files, folder=folder, main=main)

    def agree(built: Path) -> None:
        """Compare what was built with what it must show, then look at the losses."""
        verify_built(made, built, Path(path).name)
        made.ledger.check(strict=options.strict, allow=options.allow, forbid=options.forbid)

    written = save(files, path, folder=folder, main=main, gate=gate, agreed=agree)
    return Conversion(written, made.ledger)


def converted(
    document: Document,
    *,
    to: str,
    options: Options = DEFAULT,
    ledger: Ledger | None = None,
    processes: int = 1,
) -> Made:
    """The files of a document in a format, made as they are read; the ledger fills meanwhile.

    A large document may be worked on in so many processes.
    """
    from talktree.conversion.convert import converted as _converted

    return _converted(document, to, options, ledger, processes=processes)


def grown(source: Document, edited: Document, *, ledger: Ledger | None = None) -> Made:
    """A source with what was edited or added in another format as new branches of its own."""
    from talktree.conversion.convert import grown as _grown

    return _grown(source, edited, ledger)


def preview(
    document: Document, *, to: str, options: Options = DEFAULT, ledger: Ledger | None = None
) -> Ledger:
    """What converting would lose, carry and render; nothing is written."""
    return seen(converted(document, to=to, options=options, ledger=ledger))


def seen(made: Made) -> Ledger:
    """The losses of a conversion that is made and read again without writing anything."""
    from talktree.conversion.verify import verify_made

    verify_made(made)
    return made.ledger


def migrate(
    document: Document,
    path: str | Path,
    *,
    back: bool = False,
    options: Options = DEFAULT,
    ledger: Ledger | None = None,
    force: bool = False,
) -> Conversion:
    """Write a document in the current version of its format, or with `back` as it was before.

    It is never written onto what it was read from, and onto other files only with `force`.
    """
    from talktree.conversion.migrate import migrated, unmigrated

    made = unmigrated(document, ledger) if back else migrated(document, options, ledger)
    return keep(made, path, options=options, gate=_gate_for(document, force=force))


def merged(documents: Sequence[Document]) -> Document:
    """Documents that share a history as one tree, in our own format; shared messages once."""
    from talktree.conversion.merge import merged as _merged

    return _merged(documents)


def check(
    document: Document | str | Path | Source,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> Report:
    """What is wrong with a document: findings by rules with permanent codes."""
    from talktree.checks.registry import chosen, refuse_unknown, rules_for
    from talktree.checks.report import report

    document = _as_written(document) if isinstance(document, Document) else read(document)
    refuse_unknown((*select, *ignore))
    return report(document, chosen(rules_for(document.format), select=select, ignore=ignore))


def repair(
    document: Document | str | Path | Source,
    *,
    unsafe: bool = False,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> Repair:
    """A document with safe fixes applied, or all fixes; nothing is written.

    Of a file with companion files only the file itself is repaired.
    """
    from talktree.checks.registry import chosen, refuse_unknown, rules_for
    from talktree.repairs.run import repaired

    if isinstance(document, Document):
        document = _alone(_as_written(document))
    else:
        document = read(document, alone=True)
    refuse_unknown((*select, *ignore))
    rules = chosen(rules_for(document.format), select=select, ignore=ignore)
    return repaired(document, unsafe=unsafe, rules=rules)


def write_repair(repair: Repair, path: str | Path, *, force: bool = False) -> list[Path]:
    """Write repaired files, and beside them the log with all that was taken out."""
    from talktree.repairs.write import keep as keep_repair

    return keep_repair(repair, path, gate=_gate_for(repair.before, force=force))


def repair_in_place(repair: Repair, path: str | Path) -> list[Path]:
    """Replace files by their repaired selves, after a verified backup of each."""
    from talktree.repairs.write import keep_in_place

    return keep_in_place(repair, Path(path))


def unrepaired(path: str | Path, log: str | Path | None = None) -> Source:
    """The files as they were before a repair, byte for byte, from its log."""
    from talktree.repairs.write import brought_back, log_of

    return brought_back(path, log or log_of(Path(path)))


def create_session(
    *,
    root: str | Path = ".sage",
    title: str | None = None,
    workspace: str | Path | None = None,
    durability: Literal["safe", "fast"] | None = None,
) -> Session:
    """A new session in a store; its workspace is the current folder unless another is named."""
    from talktree.session.store import Store

    return Store(root).create(title=title, workspace=workspace, durability=durability)


def open_session(
    id: str | None = None,
    *,
    root: str | Path = ".sage",
    workspace: str | Path | None = None,
    write: bool = True,
) -> Session:
    """A session by its id or the beginning of it, or the newest one; to go on with, or to go back.

    A session from elsewhere gets a workspace only if one is named.
    """
    from talktree.session.store import Store

    return Store(root).open(id, workspace=workspace, write=write)


def open_library(root: str | Path | None = None, *, write: bool = True) -> Library:
    """The library of every conversation: to take them in, to find anything, to count.

    It is in the data folder unless another folder is named; whoever writes makes it if need be.
    """
    from talktree.library.library import Library

    return Library.open(None if root is None else Path(root), write=write)


def source_of(document: Document) -> Source:
    """The files that a document was read from."""
    origin = document.origin
    assert isinstance(origin, Origin)
    return origin.source


def _as_written(document: Document) -> Document:
    """A document with the bytes that its edits give its records."""
    from talktree.conversion.forward import as_written

    return as_written(document) if isinstance(document.origin, Origin) else document


def _gate_for(document: Document, *, force: bool) -> OutputGate:
    return OutputGate(input_paths(source_of(document)), force=force)


def _alone(document: Document) -> Document:
    """A document without the companion files of the file that was named."""
    source = source_of(document)
    if source.main is None:
        return document
    return _read(source.alone(), by_slug(document.format))


def to_bytes(document: Document) -> dict[str, bytes]:
    """The files of a document in memory."""
    return {path: b"".join(pieces) for path, pieces in _write(document).items()}
