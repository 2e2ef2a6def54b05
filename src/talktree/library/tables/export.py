"""A table of the library as a file: Parquet, CSV or Arrow, whole or not at all."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Unpack

from msgspec import Struct

from talktree.errors import Failure, TalktreeError, UsageError, failure_of
from talktree.files import OutputGate
from talktree.files.save import save
from talktree.library.stats.filter import SourceInfo
from talktree.library.tables.batches import load_arrow
from talktree.library.tables.stream import Filtering, open_table
from talktree.library.tables.walk import Redaction, TableLibrary

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

KINDS = ("parquet", "csv", "arrow")
PLACEHOLDER = "[redacted: "
"""The beginning of a secret's placeholder."""
Sink = Callable[[Iterable[bytes]], None]
"""Receives the bytes of a file as they are made."""


class TableExportResult(Struct, frozen=True):
    """The result of an export."""

    rows: int
    failed: tuple[tuple[bytes, Failure], ...]
    """Sources that could not be read, and why."""


class _Writer(Protocol):
    def write_batch(self, batch: pa.RecordBatch) -> None: ...

    def close(self) -> None: ...


class _Buffer(io.RawIOBase):
    """A buffer for a writer, whose contents can be taken piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._at = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # noqa: ANN401
        piece = bytes(data)
        self._pieces.append(piece)
        self._at += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._at

    def take_written(self) -> bytes:
        """Return what was written since the last call."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def write_table(
    library: TableLibrary,
    name: str,
    path: Path | Sink,
    *,
    to: str | None = None,
    gate: OutputGate | None = None,
    conversation: str | None = None,
    include_deleted: bool = False,
    redaction: Redaction | None = None,
    **filters: Unpack[Filtering],
) -> TableExportResult:
    """Write a table to a file, or to a function that receives its bytes piece by piece.

    `to` is parquet, csv or arrow, by default the ending of the path. The filters, `include_deleted`
    and `redaction` are those of `open_table`. An old file is replaced only if the gate allows it.
    """
    kind = to or (path.suffix.lstrip(".") if isinstance(path, Path) else "")
    if kind not in KINDS:
        raise UsageError(f"cannot write {kind or 'this'}", hint=f"one of {', '.join(KINDS)}")
    failed: list[tuple[bytes, Failure]] = []

    def _note(source: SourceInfo, error: TalktreeError) -> None:
        failed.append((source.path, failure_of(error)))

    found = open_table(
        library,
        name,
        conversation=conversation,
        failed=_note,
        include_deleted=include_deleted,
        redaction=redaction,
        **filters,
    )
    counter = _Counter(found, redaction)
    pieces = _encode_file(kind, counter)
    if isinstance(path, Path):
        save({path.name: pieces}, path, folder=False, gate=gate)
    else:
        path(pieces)
    return TableExportResult(counter.rows, tuple(failed))


class _Counter:
    """An iterator over batches that counts their rows."""

    def __init__(self, reader: pa.RecordBatchReader, redaction: Redaction | None) -> None:
        self._redaction = redaction
        self.schema = reader.schema
        self.rows = 0
        self._reader = reader

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for batch in self._reader:
            self.rows += batch.num_rows
            if self._redaction is not None:
                for text in _iter_redacted_texts(batch):
                    self._redaction.count_placeholders(text)
            yield batch


def _iter_redacted_texts(batch: pa.RecordBatch) -> Iterator[str]:
    """Yield the texts of a batch that may have placeholders in them."""
    pa = load_arrow()
    from pyarrow import compute

    for column in batch.columns:
        texts = column.dictionary if pa.types.is_dictionary(column.type) else column
        if pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type):
            yield from texts.filter(compute.match_substring(texts, PLACEHOLDER)).to_pylist()


def _encode_file(kind: str, batches: _Counter) -> Iterator[bytes]:
    """Yield the bytes of the file as they are made."""
    sink = _Buffer()
    writer = _make_writer(kind, sink, batches.schema)
    for batch in batches:
        writer.write_batch(batch)
        yield sink.take_written()
    writer.close()
    yield sink.take_written()


def _make_writer(kind: str, sink: _Buffer, schema: pa.Schema) -> _Writer:
    pa = load_arrow()
    made: _Writer
    if kind == "parquet":
        from pyarrow import parquet

        made = parquet.ParquetWriter(sink, schema, compression="zstd")
    elif kind == "csv":
        from pyarrow import csv

        made = csv.CSVWriter(sink, schema)
    else:
        made = pa.ipc.new_file(sink, schema)
    return made
