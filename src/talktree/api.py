"""The verbs: what the command line, the web studio and Python programs call."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from talktree.conversion.ledger import Ledger
from talktree.conversion.options import Made, Options
from talktree.errors import Unreadable
from talktree.files import Source, load, load_stream, save
from talktree.formats import by_slug
from talktree.formats.detect import Guess
from talktree.formats.detect import detect as _detect
from talktree.formats.engine import Origin
from talktree.formats.engine import read as _read
from talktree.formats.engine import skim as _skim
from talktree.formats.engine import write as _write
from talktree.model.document import Document
from talktree.model.outline import LineOutline

DEFAULT = Options()


class Conversion(NamedTuple):
    """What was written, and what the target could not hold."""

    written: list[Path]
    ledger: Ledger


def open_source(path: str | Path | Source) -> Source:
    """A source from a path, `-` for standard input, or as given."""
    if isinstance(path, Source):
        return path
    if str(path) == "-":
        if sys.stdin is None:
            raise Unreadable("stdin is closed", hint="name a file, or pipe something in")
        return load_stream(sys.stdin.buffer)
    return load(Path(path))


def detect(path: str | Path | Source) -> Guess:
    """The format of a file or folder, how sure that is, and why."""
    return _detect(open_source(path))


def read(path: str | Path | Source, *, format: str | None = None) -> Document:
    """The conversations in a file or folder; the format is recognised unless it is named."""
    source = open_source(path)
    chosen = by_slug(format) if format else _detect(source).format
    return _read(source, chosen)


def skim(path: str | Path | Source, *, format: str | None = None) -> Iterator[LineOutline]:
    """Ids, parents, times and usage of all records in one quick pass; contents are not read."""
    source = open_source(path)
    chosen = by_slug(format) if format else _detect(source).format
    return _skim(source, chosen)


def write(document: Document, path: str | Path) -> list[Path]:
    """Write a document in its own format; what was not edited comes out byte for byte."""
    origin = document.origin
    assert isinstance(origin, Origin)
    return save(_write(document), Path(path), folder=origin.source.folder)


def convert(
    document: Document,
    path: str | Path,
    *,
    to: str,
    options: Options = DEFAULT,
    ledger: Ledger | None = None,
) -> Conversion:
    """Write a document in any format; what that cannot hold travels along and is told."""
    return keep(converted(document, to=to, options=options, ledger=ledger), path, options=options)


def keep(made: Made, path: str | Path, *, options: Options = DEFAULT) -> Conversion:
    """Write what a conversion made, if its ledger is agreed to."""
    written = save(made.files, Path(path), folder=made.folder, agreed=lambda: _agree(made, options))
    return Conversion(written, made.ledger)


def converted(
    document: Document, *, to: str, options: Options = DEFAULT, ledger: Ledger | None = None
) -> Made:
    """The files of a document in a format, made as they are read; the ledger fills meanwhile."""
    from talktree.conversion.convert import converted as _converted

    return _converted(document, to, options, ledger)


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
    """The ledger of a conversion that is gone through without writing anything."""
    for pieces in made.files.values():
        for _ in pieces:
            pass
    return made.ledger


def migrate(
    document: Document,
    path: str | Path,
    *,
    back: bool = False,
    options: Options = DEFAULT,
    ledger: Ledger | None = None,
) -> Conversion:
    """Write a document in the current version of its format, or with `back` as it was before."""
    from talktree.conversion.migrate import migrated, unmigrated

    made = unmigrated(document, ledger) if back else migrated(document, options, ledger)
    return keep(made, path, options=options)


def merged(documents: Sequence[Document]) -> Document:
    """Documents that share a history as one tree, in our own format; shared messages once."""
    from talktree.conversion.merge import merged as _merged

    return _merged(documents)


def _agree(made: Made, options: Options) -> None:
    made.ledger.check(strict=options.strict, allow=options.allow, forbid=options.forbid)


def to_bytes(document: Document) -> dict[str, bytes]:
    """The files of a document in memory."""
    return {path: b"".join(pieces) for path, pieces in _write(document).items()}
