"""Messages about companion files, for commands that change one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from talktree import api
from talktree.cli.errors import print_stderr
from talktree.errors import NotFound, UsageError
from talktree.files.placement import place_in_source
from talktree.formats.companions import with_companions
from talktree.formats.engine import DocumentOrigin
from talktree.model.document import Document
from talktree.views.width import format_count


def report_left_out(path: str, document: Document) -> None:
    """Report how many companion files of a file were not written with it."""
    if path == "-":
        return
    source = api.open_source(path)
    count = len(with_companions(source, _get_origin(document).format).files) - 1
    if count and not source.folder:
        belong = "belongs" if count == 1 else "belong"
        print_stderr(f"talktree: left out {format_count(count, 'file')} that {belong} to {path}")


@contextmanager
def add_companion_hint(path: str, id: str, format: str | None) -> Iterator[None]:
    """If a message is not in a file but in one of its companions, add a hint to the error."""
    try:
        yield
    except NotFound:
        if path == "-":
            raise
        origin = _get_origin(whole := api.read(path, format=format))
        for each in whole.conversations if origin.source.main is not None else ():
            try:
                number = each.members[each.find_position(id)]
            except NotFound:
                continue
            place = place_in_source(origin.source, Path(path), origin.path_of(number))
            raise UsageError(
                f"{id} is a message of {place}, which belongs to {path}", hint=f"edit {place}"
            ) from None
        raise


def _get_origin(document: Document) -> DocumentOrigin:
    assert isinstance(document.origin, DocumentOrigin)
    return document.origin
