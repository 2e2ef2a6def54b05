"""Rows gathered into Arrow record batches of a bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from talktree.errors import MissingExtra
from talktree.library.extract.texts import replace_surrogates
from talktree.library.tables.schemas import TABLES, Column

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

MOST_ROWS = 8_192
MOST_TEXT = 4 << 20
"""A batch is full when its texts have this many characters."""
Row = Sequence[Any]


def load_arrow() -> Any:  # noqa: ANN401
    """Import pyarrow; an error says how to install it."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra("a table", "data") from None
    return pyarrow


def schema_of(name: str) -> pa.Schema:
    """Return the Arrow schema of a table."""
    pa = load_arrow()
    kinds = {
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "text": pa.string(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    return pa.schema(
        [
            pa.field(
                each.name, kinds[each.kind], nullable=not each.always, metadata={"what": each.what}
            )
            for each in TABLES[name]
        ]
    )


def make_batches(name: str, rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table, some thousands per batch; long texts make smaller batches."""
    schema, columns = schema_of(name), TABLES[name]
    texts = [place for place, each in enumerate(columns) if each.kind == "text"]
    held: list[Row] = []
    size = 0
    for row in rows:
        held.append(row)
        size += sum(len(row[place] or "") for place in texts)
        if len(held) >= MOST_ROWS or size >= MOST_TEXT:
            yield _make_batch(schema, columns, held)
            held, size = [], 0
    if held:
        yield _make_batch(schema, columns, held)


def _make_batch(schema: pa.Schema, columns: Sequence[Column], rows: list[Row]) -> pa.RecordBatch:
    pa = load_arrow()
    arrays = []
    for place, (column, field) in enumerate(zip(columns, schema, strict=True)):
        values = [row[place] for row in rows]
        if column.kind == "time":
            values = [None if value is None else value // 1000 for value in values]
        elif column.kind == "text":
            values = [None if value is None else replace_surrogates(value) for value in values]
        arrays.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
