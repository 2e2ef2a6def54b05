"""Any line of a Claude Code session, valid or broken, read through the format and the model."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.files.content import LONGEST_LINE
from talktree.formats.claude_code.detect import ClaudeCodeDialect
from talktree.formats.claude_code.lens import get
from talktree.formats.format import Record
from talktree.formats.jsonl_file import NO_NODE
from talktree.library.extract.collector import FactsCollector
from talktree.library.extract.facts import SIDECHAIN
from talktree.library.extract.from_model import extract_entry
from talktree.model.outline import LineOutline
from talktree.model.skeleton import NO_TIME
from talktree.text.json.decode import decode
from talktree.text.json.value import REFUSALS
from talktree.text.lines import is_blank, split_line
from talktree.text.times import from_iso

_dialect = ClaudeCodeDialect()


def extract_any_line(telling: FactsCollector, line: bytes, at: int) -> None:
    """Extract facts from any line."""
    for start, stop, outline in _iter_records(line):
        raw = line[start:stop]
        value, problems, usable = decode(raw)
        if stop - start >= LONGEST_LINE:
            usable = False
        entry = get(Record(value, raw, "", None, "", 0, problems, usable))
        bits = extract_entry(telling, entry, at + start, outline.id or "")
        if outline.trait:
            _add_record_link(telling, at + start, bits, outline)


def slice_first_record(line: bytes) -> bytes:
    """Return the bytes of the first record on a line."""
    start, stop, _ = next(_iter_records(line), (0, len(line), NO_NODE))
    return line[start:stop].strip()


def _iter_records(line: bytes) -> Iterator[tuple[int, int, LineOutline]]:
    """Yield the records on a line, with their outlines in the tree."""
    try:
        yield 0, len(line), _dialect.skim(line)
        return
    except REFUSALS:
        pass
    if is_blank(line):
        return
    if len(line) >= LONGEST_LINE:
        yield 0, len(line), NO_NODE
        return
    whole = decode(line)
    broken = any(problem.code == "syntax" for problem in whole.problems)
    if whole.usable and not (broken and len(split_line(line, _dialect.is_record)) > 1):
        yield 0, len(line), _dialect.outline(whole.value)
        return
    for start, stop, _ in split_line(line, _dialect.is_record):
        part = decode(line[start:stop])
        yield start, stop, _dialect.outline(part.value) if part.usable else NO_NODE


def _add_record_link(telling: FactsCollector, at: int, bits: int, found: LineOutline) -> None:
    reply = found.reply
    time = from_iso(found.stamp) if isinstance(found.stamp, str) else None
    telling.add_record(
        at,
        (bits & ~SIDECHAIN) | bool(found.sidechain) * SIDECHAIN,
        found.trait,
        found.id,
        found.parent,
        found.follows,
        NO_TIME if time is None else time,
        found.role,
        found.group if reply is None else reply.id,
        found.kept,
        found.listing,
        found.request,
    )
