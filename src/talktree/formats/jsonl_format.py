"""Helpers of formats with one JSON record on each line: the type of record file, and a first look.

Files of such formats are sometimes one pretty-printed value, or several; those are read as a JSON
document, so that every byte and every record is still found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from talktree.files import Content
from talktree.formats.format import Format
from talktree.formats.json_file import JsonSheet
from talktree.formats.jsonl_file import LineDialect, LineSheet
from talktree.formats.record_file import Item, Sheet
from talktree.model.findings import make_finding
from talktree.text.json.decode import decode
from talktree.text.json.encode import encode_new
from talktree.text.json.value import EncodedValue, Json
from talktree.text.lines import split_line

HEAD = 1 << 16
LONG = 1 << 20


def make_sheet(
    path: str, content: Content, format: Format, dialect: LineDialect, *, group: str
) -> Sheet:
    """Return a record file for a file that should hold a record on each line."""
    if is_lines(content.read(0, HEAD), dialect):
        return LineSheet(path, content, dialect, group=group)
    sheet = JsonSheet(path, content, format, group=group, hole=_no_children_key, links="own")
    if _has_shared_lines(sheet):
        sheet.findings.append(make_finding("not-lines", "records are not one to a line", path=path))
    return sheet


def _has_shared_lines(sheet: JsonSheet) -> bool:
    """Whether a record spans several lines, shares a line with another, or is in a list."""
    lines = [piece.line for piece in sheet.pieces]
    return (
        sheet.listed
        or len(set(lines)) < len(lines)
        or any(b"\n" in piece.raw for piece in sheet.pieces)
    )


def _no_children_key(value: Json, depth: int) -> None:
    return None


def is_lines(head: bytes, dialect: LineDialect) -> bool:
    """Whether the first part of a file shows records one to a line."""
    start = head.lstrip(b"\xef\xbb\xbf\0 \t\r\n")[:2]
    if not start or start[:1] not in b"{[/":
        return True
    if b"\n" not in head:
        return start[:1] == b"{"
    starts = (line.lstrip(b"\xef\xbb\xbf\0") for line in _iterate_lines(head))
    return any(_has_record(line, dialect.is_record) for line in starts if line.startswith(b'{"'))


def _iterate_lines(head: bytes) -> Iterator[bytes]:
    """Yield the lines one by one: nearly always the first one is enough."""
    at = 0
    while (stop := head.find(b"\n", at)) >= 0:
        yield head[at:stop]
        at = stop + 1
    yield head[at:]


def _has_record(line: bytes, is_record: Callable[[Json], bool]) -> bool:
    """Whether a record starts on a line, or several share it."""
    if is_record(decode(line).value):
        return True
    return any(
        is_record(decode(line[start:stop]).value) for start, stop, _ in split_line(line, is_record)
    )


def compose_lines(items: Iterable[Item]) -> Iterator[bytes]:
    """Yield a new file with one record on each line."""
    for item in items:
        yield from encode_record_line(encode_new(item.value))


def encode_record_line(text: bytes) -> tuple[bytes, ...]:
    """Return a record and its newline in pieces, so that a long record is not copied."""
    return (text + b"\n",) if len(text) < LONG else (text, b"\n")


def pre_encode_lines(values: Iterable[Json]) -> EncodedValue:
    """Return some records as one text of lines, without the last newline."""
    return EncodedValue(b"\n".join(map(encode_new, values)))
