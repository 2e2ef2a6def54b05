"""Finding the records of a JSONL file that are copies of earlier records.

The model decides in the same way (`formats/engine/duplicates.py`). Only records whose id occurs
twice are read for that.
"""

from __future__ import annotations

from collections.abc import Sequence

from talktree.files.content import LONGEST_LINE
from talktree.formats.claude_code.detect import identity_of
from talktree.formats.engine.duplicates import compute_identity_key
from talktree.formats.format import Record
from talktree.library.extract.claude_lines import slice_first_record
from talktree.library.extract.record import Read, read_line_at
from talktree.text.json.decode import decode


def find_copies(ids: Sequence[int], at: Sequence[int], first: int, read: Read) -> dict[int, int]:
    """Return the copies from a record on, each with its original.

    `ids` are the hashes of the ids of all records, and `at` the places where the records begin.
    """
    known = set(ids[:first])
    wanted: set[int] = set()
    for id in ids[first:]:
        if id in known:
            wanted.add(id)
        known.add(id)
    wanted.discard(0)
    originals: dict[tuple[int, bytes], int] = {}
    found: dict[int, int] = {}
    for number, id in enumerate(ids) if wanted else ():
        if id in wanted:
            digest = _digest(read, at[number])
            original = originals.setdefault((id, digest), number)
            if original != number and number >= first:
                found[number] = original
    return found


def make_reader(data: bytes, start: int = 0) -> Read:
    """Return a function that reads from lines in memory; `start` is the place of the first."""
    return lambda at, size: data[at - start : at - start + size]


def _digest(read: Read, at: int) -> bytes:
    raw = slice_first_record(read_line_at(read, at))
    value, problems, usable = decode(raw)
    record = Record(value, raw, "", None, "", 0, problems, usable and len(raw) < LONGEST_LINE)
    return compute_identity_key(record, identity_of)
