"""Secrets in columns: tables of databases, of Markdown and of CSV with a header that names a
secret."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.text.secrets.patterns import Found, find_kind, find_meaning
from talktree.text.secrets.quoting import WrittenValue
from talktree.text.secrets.setting_lines import is_strong
from talktree.text.secrets.values import SHORTEST_UNSURE, Value, is_mixed, is_password

_MOST_ROWS = 400
_LONGEST_NAME = 40
_LONGEST_LINE = 4096
_FAR = 600
_LEAD = re.compile(rb"(?:[ \t]*[0-9]{1,6}(?:\t|\?|[|:](?![|])[ ]?))?(?:> |[+](?![-=]))?")
"""Prefixes of lines: a line number, a sign of a patch or a quotation."""
_RULE = re.compile(rb"[ \t]*[|+]?(?:[ \t]*:?-{2,}:?[ \t]*[|+]?)+[ \t]*\r?")
_HEADING = re.compile(rb"\"?[\w. -]{1,40}\"?")
_CELL = re.compile(rb"\"((?:[^\"]|\"\")*)\"|([^%b]*)")
_COLUMN = re.compile(
    rb"(?:\w{1,20}[ _-])?"
    rb"(?:passw(?:or)?d|passwort|kennwort|passphrase|pwd|pass|api[ _-]?key|secret)",
    re.IGNORECASE,
)
_WHOSE = re.compile(
    rb"\b(?:user|login|account|e?mail|host|server|site|url|service"
    rb"|benutzer|username|user_name|name)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    rb"\b(?:type|default|description|required|option|feature|notes?)\b", re.IGNORECASE
)
_WIDE = re.compile(rb" {2,}")
_SHORT_TITLE = re.compile(rb"[A-Za-z][\w()#%-]*(?: [\w()#%-]+){0,2}")
_NEXT_CELL = re.compile(
    rb"</(?:th|td|dt|key|strong|b)>\s{0,80}<(?:td|dd|string|code)(?:[ \t][^<>\n]{0,80})?>"
    rb"(?:<code>)?(?P<value>[^<>\s]{4,256})<"
)
_NEXT_COLUMN = re.compile(
    rb"[`*]{0,2}[ \t]*\|[ \t]*[`*]{0,2}(?P<value>[^\s`|]{4,256})[`*]{0,2}[ \t]*\|"
)
_TITLE = re.compile(rb"[A-Za-z_. -]{0,20}")


def find_column_secrets(data: bytes, start: int, end: int) -> list[Found]:
    """Return the secrets below a name that is the header of a column."""
    begin = data.rfind(b"\n", max(0, start - _LONGEST_LINE), start) + 1
    stop = data.find(b"\n", end, end + _LONGEST_LINE)
    if stop < 0:
        return []
    lead = _LEAD.match(data, begin, start)
    begin = begin if lead is None else lead.end()
    mark = _find_separator(data, begin, start, end, stop)
    if mark is None:
        return list(_aligned(data, begin, start, stop))
    if mark == b"|":
        return list(_find_in_ruled_table(data, begin, start, stop))
    return list(_find_in_separated_table(data, begin, start, stop, mark))


def _find_separator(data: bytes, begin: int, start: int, end: int, stop: int) -> bytes | None:
    """Return the separator of a line's cells if the name is one of the cells, else None."""
    before = data[begin:start].rstrip(b" \"'`*")[-1:]
    behind = data[end:stop].lstrip(b" \"'`*\r")[:1]
    for mark in (b"|", b",", b";", b"\t"):
        if before in (b"", mark) and behind in (b"", mark) and before + behind:
            return mark
    return None


def _find_in_ruled_table(data: bytes, begin: int, start: int, stop: int) -> Iterator[Found]:
    """Return the cells of a table with a line below its header."""
    number = data.count(b"|", begin, start)
    worded = _has_logins(data[begin:stop], data[start:stop])
    at, rule = _find_line(data, stop + 1)
    if rule is None or _RULE.fullmatch(data, at, rule) is None:
        return
    at = rule + 1
    for _ in range(_MOST_ROWS):
        at, end = _find_line(data, at)
        if end is None or data.count(b"|", at, end) < max(1, number):
            return
        cells = data[at:end].split(b"|")
        if number < len(cells):
            place = at + sum(len(cell) + 1 for cell in cells[:number])
            if _is_heading(cells[number]):
                return
            yield from _judge_cell(data, place, cells[number], begin, start, worded=worded)
        at = end + 1


def _find_in_separated_table(
    data: bytes, begin: int, start: int, stop: int, mark: bytes
) -> Iterator[Found]:
    """Return the cells of a table in which every line has the same number of separators."""
    headings = data[begin:stop].rstrip(b"\r").split(mark)
    if not all(_HEADING.fullmatch(each) for each in headings):
        return
    number = data.count(mark, begin, start)
    worded = mark + b" " not in data[begin:stop] and _has_logins(data[begin:stop], data[start:stop])
    at = stop + 1
    for _ in range(_MOST_ROWS):
        at, end = _find_line(data, at)
        if end is None:
            return
        cells = list(_iterate_cells(data, at, end, mark))
        if len(cells) != len(headings):
            return
        place, text = cells[number]
        if _is_heading(text):
            return
        yield from _judge_cell(data, place, text, begin, start, worded=worded)
        at = end + 1


def _aligned(data: bytes, begin: int, start: int, stop: int) -> Iterator[Found]:
    """Return the cells below a header in columns of equal width, as commands print them."""
    titles = _WIDE.split(data[begin:stop].strip())
    named = data[start:stop].partition(b"  ")[0].strip()
    if len(titles) < 2 or named not in titles or not all(map(_SHORT_TITLE.fullmatch, titles)):
        return
    offset = start - begin
    at = stop + 1
    for _ in range(_MOST_ROWS):
        at, end = _find_line(data, at)
        if end is None:
            return
        row = data[at:end]
        if len(row) <= offset or (offset and row[offset - 1 : offset] != b" "):
            return
        cell = row[offset:].partition(b" ")[0]
        if is_strong(cell):
            yield from _judge_cell(data, at + offset, cell, begin, start)
        at = end + 1


def cell_behind(data: bytes, name: bytes, end: int) -> WrittenValue | None:
    """Return the value in the cell after a name, in Markdown, HTML and lists of properties."""
    sign = _NEXT_CELL.match(data, end)
    if sign is None and name.isupper():
        sign = _NEXT_COLUMN.match(data, end)
    if sign is None or not is_mixed(sign["value"]):
        return None
    return WrittenValue(*sign.span("value"), sign["value"], False, sign.end("value"))


def _has_logins(headings: bytes, name: bytes) -> bool:
    """Whether a table names the users of its passwords, so that words count as passwords, too."""
    title = _TITLE.match(name)
    known = title is not None and _COLUMN.fullmatch(title.group().strip()) is not None
    return known and _WHOSE.search(headings) is not None and _ABOUT.search(headings) is None


def _is_heading(cell: bytes) -> bool:
    """Whether another table begins, so that every line is searched for one table only."""
    name = cell.strip(b" \"'`*")
    return len(name) <= _LONGEST_NAME and find_meaning(name) is not None


def _iterate_cells(data: bytes, at: int, end: int, mark: bytes) -> Iterator[tuple[int, bytes]]:
    pattern = re.compile(_CELL.pattern % mark)
    while at <= end:
        found = pattern.match(data, at, end)
        assert found is not None
        group = 1 if found.group(1) is not None else 2
        yield found.start(group), found.group(group).rstrip(b"\r")
        at = found.end() + 1


def _find_line(data: bytes, at: int) -> tuple[int, int | None]:
    """Return where a line starts, after its prefix, and where it ends."""
    if at >= len(data):
        return at, None
    end = data.find(b"\n", at, at + _LONGEST_LINE)
    if end < 0:
        end = min(len(data), at + _LONGEST_LINE)
    lead = _LEAD.match(data, at, end)
    return (at if lead is None else lead.end()), (end if end > at else None)


def _judge_cell(
    data: bytes, at: int, cell: bytes, begin: int, start: int, *, worded: bool = False
) -> Iterator[Found]:
    text = cell.strip(b" \t\r\"'`*")
    if len(text) < SHORTEST_UNSURE or b" " in text or not (worded or is_mixed(text)):
        return
    if not is_password(Value(text, False, True, sure=worded)):
        return
    name = data[max(begin, start) : start + 60]
    title = _TITLE.match(name)
    kind, what = find_kind(title.group().rstrip() if title is not None else name)
    place = at + cell.index(text)
    yield kind, place, place + len(text), what


_VALUES = re.compile(rb"[^()]{0,600}\)\s{0,8}(?i:values)\s{0,8}\(")
_VALUE = re.compile(rb"\s*(?:'((?:[^'\\]|''|\\.)*)'|([^,()']*))\s*([,)])")
_NEXT_ROW = re.compile(rb"\s{0,8},\s{0,8}\(")


def find_inserted_passwords(data: bytes, start: int, end: int) -> list[Found]:
    """Return the passwords in `INSERT INTO users (name, password) VALUES ('bob', '…')`."""
    begin = data.rfind(b"(", max(0, start - _FAR), start)
    sign = _VALUES.match(data, end) if begin >= 0 and b")" not in data[begin:start] else None
    found: list[Found] = []
    number = data.count(b",", begin, start) if sign is not None else 0
    for _ in range(_MOST_ROWS if sign is not None else 0):
        assert sign is not None
        at, cell = sign.end(), 0
        while (value := _VALUE.match(data, at)) is not None:
            if cell == number and value.group(1) is not None:
                found += _judge_cell(data, value.start(1), value.group(1), start, start)
            at, cell = value.end(), cell + 1
            if value.group(3) == b")":
                break
        sign = _NEXT_ROW.match(data, at)
        if sign is None:
            break
    return found
