"""The line of the source that a finding is about, with the part that it means."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from talktree.files import Content
from talktree.formats.engine import DocumentOrigin
from talktree.formats.jsonl_file import LineSheet
from talktree.formats.record_file import Sheet
from talktree.model.findings import Finding
from talktree.text.json.scanner import JsonNode, scan_json, scan_shallow
from talktree.text.positions import count_characters
from talktree.text.secrets import mask_secrets

BEFORE = 24
"""Number of characters of a long line that are shown before the marked part."""
WIDTH = 96
MOST_READ = 1 << 12
LEVELS = 16
"""Minimum number of levels of a record that are kept to locate its findings."""
LONGEST = 1 << 22
"""Longer records are shown from their start, because locating the finding would take too long."""


class FindingExcerpt(Struct, frozen=True):
    """A part of a line of the source."""

    line: int
    column: int
    """Where the marked part starts in the line, counted in characters from 1."""
    text: str
    start: int
    """Where it starts in the shown text."""
    length: int
    cut: bool = False
    """Whether the line continues before the shown text."""


def make_excerpt(origin: DocumentOrigin, finding: Finding) -> FindingExcerpt | None:
    """Return the excerpt for a finding, or None if the finding is not about bytes."""
    if finding.number >= 0:
        which, index = origin.sheet_of(finding.number)
        sheet = origin.sheets[which]
        if isinstance(sheet, LineSheet) and sheet.size_of(index) > LONGEST:
            return _excerpt_long_record(sheet, index, finding)
        raw = sheet.raw(index)
        start, stop = _find_span(raw, finding)
        amid = _is_amid_line(sheet, sheet.offset_of(index, 0))
        return _crop_line(raw, start, stop, sheet.position_of(index, start), amid=amid)
    sheet_there = origin.by_path.get(finding.path or "")
    if sheet_there is None or finding.line is None:
        return None
    raw = _read_line_at(sheet_there, finding.line)
    start, stop = _find_span(raw, finding)
    return _crop_line(raw, start, stop, (finding.line, count_characters(raw[:start]) + 1))


def _excerpt_long_record(sheet: LineSheet, index: int, finding: Finding) -> FindingExcerpt:
    """Return the excerpt for a very long record, of which only the shown part is read."""
    begin, size, at = sheet.offset_of(index, 0), sheet.size_of(index), max(0, finding.at)
    sought = finding.sought.encode("utf-8", "surrogatepass") if finding.at < 0 else b""
    if sought:
        at = max(0, _find_bytes(sheet.content, sought, begin, begin + size) - begin)
    lead = max(0, at - MOST_READ)
    raw = sheet.content.read(begin + lead, begin + min(size, at + 2 * MOST_READ))
    start = at - lead
    stop = (
        start + len(sought) if sought else _find_token_end(raw, start) if finding.at >= 0 else start
    )
    amid = lead > 0 or _is_amid_line(sheet, begin)
    return _crop_line(raw, start, stop, sheet.position_of(index, at), amid=amid)


def _find_bytes(content: Content, sought: bytes, start: int, stop: int) -> int:
    """Return where bytes are in a range of a file, or -1."""
    tail = b""
    for block in content.blocks(start, stop):
        found = (tail + block).find(sought)
        if found >= 0:
            return start - len(tail) + found
        start += len(block)
        tail = (tail + block)[1 - len(sought) :] if len(sought) > 1 else b""
    return -1


def _is_amid_line(sheet: Sheet, offset: int) -> bool:
    """Whether more than an indentation precedes an offset on its line."""
    before = sheet.content.read(max(0, offset - WIDTH), offset)
    return bool(before[before.rfind(b"\n") + 1 :].strip())


def _read_line_at(sheet: Sheet, line: int) -> bytes:
    for number, each in enumerate(sheet.content.lines(), 1):
        if number == line:
            return each
    return b""


def _find_span(raw: bytes, finding: Finding) -> tuple[int, int]:
    """Return the span of a record's bytes that a finding means."""
    if finding.at >= 0:
        return finding.at, _find_token_end(raw, finding.at)
    if finding.way and len(raw) <= LONGEST:
        node = _find_node(raw, finding.way)
        if node is not None:
            return node.key_at, node.stop
    if finding.sought:
        sought = finding.sought.encode("utf-8", "surrogatepass")
        found = raw.find(sought)
        return (found, found + len(sought)) if found >= 0 else (0, 0)
    return 0, 0


def _find_token_end(raw: bytes, at: int) -> int:
    # Only this much of it is shown.
    found = scan_json(raw[at : at + MOST_READ], only_first=True).roots
    return at + (found[0].stop if found else 1)


@lru_cache(maxsize=1)
def _parse_roots(raw: bytes, levels: int) -> list[JsonNode]:
    """Parse the values in a record; cached, because findings of one record follow each other."""
    return scan_shallow(raw, levels).roots


def _find_node(raw: bytes, way: str) -> JsonNode | None:
    """Return the value at a path, or the last existing value on the way to it."""
    steps = way.split("/")
    roots = _parse_roots(raw, max(LEVELS, len(steps) + 1))
    node = roots[0] if roots else None
    for step in steps:
        if node is None:
            return None
        name = step.replace("~1", "/").replace("~0", "~")
        inside = [
            child
            for number, child in enumerate(node.children)
            if child.key == name or (child.key is None and str(number) == step)
        ]
        if not inside:
            break
        node = inside[-1]
    return node if roots and node is not roots[0] else None


def _crop_line(
    raw: bytes, start: int, stop: int, place: tuple[int, int], *, amid: bool = False
) -> FindingExcerpt:
    """Return a part of the line; `amid` means that the line begins before the given bytes."""
    begin = raw.rfind(b"\n", 0, start) + 1
    end = raw.find(b"\n", start)
    end = len(raw) if end < 0 else end
    while end > begin and raw[end - 1] == 0x0D:
        end -= 1
    stop = min(max(start, stop), end)
    near = max(begin, start - 4 * MOST_READ)
    before = raw[near : min(start, end)].decode("utf-8", "replace")
    meant = raw[start : min(stop, start + MOST_READ)].decode("utf-8", "replace")
    behind = raw[stop : min(end, stop + MOST_READ)].decode("utf-8", "replace")
    here = min(BEFORE, len(before))
    # Masking keeps the length. More is masked than is shown, so that a secret at the edge is
    # recognized as a whole.
    lead = before[-MOST_READ:]
    hidden = mask_secrets(lead + meant + behind)
    shown = hidden[len(lead) - here :][:WIDTH]
    line, column = place
    return FindingExcerpt(
        line=line,
        column=column,
        text=shown,
        start=here,
        length=max(0, min(len(meant), WIDTH - here)),
        cut=len(before) > here or (amid and not begin),
    )
