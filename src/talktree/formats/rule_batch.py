"""A batch of records that are checked together.

Searching the bytes of many records in one call is much faster than searching each. Nearly always it
finds nothing, and then no single record needs to be checked.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from talktree.formats.format import Record
from talktree.formats.rule import Glance
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.model.message import Message
from talktree.model.parts import Artifact, Attachment, Part, Text, ToolResult
from talktree.text.char_classes import Marks, find_marks
from talktree.text.json.precheck import is_fully_represented, join_strings
from talktree.text.json.value import Json
from talktree.text.numpy_scan import can_hide, has_numbered, is_worth
from talktree.text.secrets.numpy_prefilter import find_telling_runs

BATCH_SIZE = 64
"""Maximum number of records in a batch."""
LOAD = 1 << 18
"""Number of bytes at which a batch is full."""
Place = tuple[Part, RuleRecord, int]
"""A part, the message it is in, and its number there."""
JSON = frozenset({"json", "ascii"})
"""How strings are written in formats that are only JSON."""
_NUMBERED = re.compile(rb"\\u")
_CONTROLS = re.compile(rb"\\u00(?:00|1[bB])")


class RecordBatch:
    """Records that follow each other."""

    def __init__(self, talk: CheckedConversation, seen: Sequence[RuleRecord]) -> None:
        self.talk = talk
        self.seen = seen
        self._picked: dict[Glance, Sequence[Any]] = {}

    def apply_glance(self, glance: Glance) -> Sequence[Any]:
        """Return what a prefilter selects; it runs once for all rules that share it."""
        found = self._picked.get(glance)
        if found is None:
            found = self._picked[glance] = glance(self)
        return found

    # contents

    @cached_property
    def messages(self) -> Sequence[RuleRecord]:
        """The records that are messages."""
        return [seen for seen in self.seen if type(seen.entry) is Message]

    @cached_property
    def parts(self) -> dict[type[Part], list[Place]]:
        """The parts of the messages by their kind."""
        found: dict[type[Part], list[Place]] = {}
        for seen in self.messages:
            for number, part in enumerate(seen.entry.parts):  # type: ignore[union-attr]
                found.setdefault(type(part), []).append((part, seen, number))
        return found

    # bytes

    @cached_property
    def data(self) -> bytes:
        """The bytes of all records, each on a line of its own."""
        # A line's bytes end with its newline; records without one must not run into the next.
        return b"\n".join([seen.record.raw for seen in self.seen])

    @cached_property
    def marks(self) -> Marks:
        """The marks found in these bytes."""
        data = self.data
        return (
            Marks(find_telling_runs(data), can_hide(data))
            if is_worth(len(data))
            else find_marks(data)
        )

    @property
    def is_json(self) -> bool:
        """Whether all strings are written as in JSON."""
        return JSON.issuperset(self.talk.format.can.spelling)

    @cached_property
    def has_numbered(self) -> bool:
        """Whether any character is written as a numeric JSON escape."""
        data = self.data
        return has_numbered(data) if is_worth(len(data)) else _NUMBERED.search(data) is not None

    @cached_property
    def has_controls(self) -> bool:
        """Whether U+0000 or the escape character is written as a numeric JSON escape."""
        return self.has_numbered and _CONTROLS.search(self.data) is not None

    @property
    def values(self) -> list[Json]:
        """The native values."""
        return [seen.record.value for seen in self.seen]

    @cached_property
    def strings(self) -> str:
        """All strings of the values, joined."""
        return join_strings(self.values)

    @cached_property
    def is_plain(self) -> bool:
        """Whether none of their texts has an oddity that reading ignores."""
        diagnostic = [seen for seen in self.seen if seen.record.problems]
        return not diagnostic and self.is_json and is_fully_represented(self.data, self.values)


def select_files(batch: RecordBatch) -> Sequence[Place]:
    """Return parts that are files, or tool results that are more than a text (a prefilter)."""
    parts = batch.parts
    files = [*parts.get(Attachment, ()), *parts.get(Artifact, ())]
    return files + [
        place
        for place in parts.get(ToolResult, ())
        if len(output := place[0].output) != 1 or type(output[0]) is not Text  # type: ignore[union-attr]
    ]


def split_into_batches(
    talk: CheckedConversation, records: Iterable[Record]
) -> Iterator[RecordBatch]:
    """Yield the records of a conversation that can be checked in batches.

    Large records are in batches of their own, and all records are added to the facts."""
    get = talk.format.get
    held: list[RuleRecord] = []
    count = size = 0
    places = itertools.count()
    for record in records:
        large = record.usable and len(record.raw) > LOAD
        if large and held:
            # A large record is checked alone, so that its bytes need not be joined with others.
            yield _make_batch(talk, held)
            held, count, size = [], 0, 0
        held.append(RuleRecord(record, get(record), next(places), talk))
        if record.usable:
            count += 1
            size += len(record.raw)
        del record  # free a large record before the next is read
        if large or count == BATCH_SIZE or size > LOAD:
            yield _make_batch(talk, held)
            held, count, size = [], 0, 0
    if held:
        yield _make_batch(talk, held)


def _make_batch(talk: CheckedConversation, held: Sequence[RuleRecord]) -> RecordBatch:
    talk.facts.take_records(held)
    return RecordBatch(talk, [seen for seen in held if seen.record.usable])
