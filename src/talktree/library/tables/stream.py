"""A table of the library as a stream of Arrow record batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

from talktree.errors import UsageError
from talktree.library.stats.filter import Filters
from talktree.library.tables.batches import load_arrow, make_batches, schema_of
from talktree.library.tables.schemas import TABLES
from talktree.library.tables.table_rows import iter_table_rows
from talktree.library.tables.walk import Failed, Redaction, TableLibrary, TableRequest

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]


class Filtering(TypedDict, total=False):
    """The filters of a table; omitted ones match everything."""

    since: int | None
    """Nanoseconds since 1970."""
    until: int | None
    """The end, exclusive, in nanoseconds since 1970."""
    project: str | None
    """Part of the path of a project."""
    model: str | None
    """Part of the name of a model."""
    format: str | None


def open_table(
    library: TableLibrary,
    name: str,
    *,
    conversation: str | None = None,
    failed: Failed | None = None,
    include_deleted: bool = False,
    redaction: Redaction | None = None,
    **filters: Unpack[Filtering],
) -> pa.RecordBatchReader:
    """Return the rows of `messages`, `calls`, `usage` or `files`, read on demand.

    `conversation` is the id of one. The library must stay open meanwhile. A source that cannot be
    read raises an error, or is reported to `failed` if that is given. Rows of deleted messages, and
    of messages that are not shown to the user, have no texts without `include_deleted`. Secrets
    stay in the texts unless a `redaction` removes them.
    """
    if name not in TABLES:
        raise UsageError(f"no table {name}", hint=f"one of {', '.join(TABLES)}")
    schema = schema_of(name)
    asked = TableRequest(
        library,
        Filters(**filters),
        conversation,
        failed,
        include_deleted=include_deleted,
        redaction=redaction,
    )
    return load_arrow().RecordBatchReader.from_batches(
        schema, make_batches(name, iter_table_rows(asked, name))
    )
