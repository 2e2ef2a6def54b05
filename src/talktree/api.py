"""The verbs: what the command line, the web studio and Python programs call."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from talktree.errors import Unreadable, UsageError
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

NATIVE = "native"
"""The format that holds whatever any other format holds."""


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


def convert(document: Document, path: str | Path, *, to: str) -> list[Path]:
    """Write a document in a format: its own, or `native`."""
    origin = document.origin
    assert isinstance(origin, Origin)
    folder = origin.source.folder and to == document.format
    return save(converted(document, to=to), Path(path), folder=folder)


def converted(document: Document, *, to: str) -> Mapping[str, Iterable[bytes]]:
    """The files of a document in a format, made as they are read."""
    if to == document.format:
        return _write(document)
    if to == NATIVE:
        from talktree.formats.native.dump import dump

        return {f"{document.name}.{NATIVE}.jsonl": dump(document)}
    raise UsageError(
        f"{document.format} cannot be written as {to} yet",
        hint=f"possible now: {document.format} and {NATIVE}",
    )


def to_bytes(document: Document) -> dict[str, bytes]:
    """The files of a document in memory."""
    return {path: b"".join(pieces) for path, pieces in _write(document).items()}
