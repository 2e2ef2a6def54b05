"""Some records that are judged together: what all of them are made of is seen at once.

One look at the bytes of many records takes far less time than a look at each. Nearly always it
finds nothing, and then no record has to be looked at.
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
"""How many records are judged together,"""
LOAD = 1 << 18
"""unless they are large."""
Place = tuple[Part, RuleRecord, int]
"""A part, the message it is in, and its number there."""
JSON = frozenset({"json", "ascii"})
"""How strings are written where they are JSON and nothing else."""
_NUMBERED = re.compile(rb"\\u")
_CONTROLS = re.compile(rb"\\u00(?:00|1[bB])")


class RecordBatch:
    """Records that follow each other."""

    def __init__(self, talk: CheckedConversation, seen: Sequence[RuleRecord]) -> None:
        self.talk = talk
        self.seen = seen
        self._picked: dict[Glance, Sequence[Any]] = {}

    def apply_glance(self, glance: Glance) -> Sequence[Any]:
        """What a glance picks; one that several rules share is cast once."""
        found = self._picked.get(glance)
        if found is None:
            found = self._picked[glance] = glance(self)
        return found

    # what they say

    @cached_property
    def messages(self) -> Sequence[RuleRecord]:
        """Those that are messages."""
        return [seen for seen in self.seen if type(seen.entry) is Message]

    @cached_property
    def parts(self) -> dict[type[Part], list[Place]]:
        """The parts of the messages by their kind."""
        found: dict[type[Part], list[Place]] = {}
        for seen in self.messages:
            for number, part in enumerate(seen.entry.parts):  # type: ignore[union-attr]
                found.setdefault(type(part), []).append((part, seen, number))
        return found

    # what they are written with

    @cached_property
    def data(self) -> bytes:
        """The bytes of all of them, each on a line of its own."""
        # A line has its end in its bytes; where it has not, what follows must not seem to go on.
        return b"\n".join([seen.record.raw for seen in self.seen])

    @cached_property
    def marks(self) -> Marks:
        """What the marks of these bytes tell."""
        data = self.data
        return (
            Marks(find_telling_runs(data), can_hide(data))
            if is_worth(len(data))
            else find_marks(data)
        )

    @property
    def is_json(self) -> bool:
        """Whether all strings are written as JSON writes them."""
        return JSON.issuperset(self.talk.format.can.spelling)

    @cached_property
    def has_numbered(self) -> bool:
        """Whether any character stands there by its number, in the way JSON writes it."""
        data = self.data
        return has_numbered(data) if is_worth(len(data)) else _NUMBERED.search(data) is not None

    @cached_property
    def has_controls(self) -> bool:
        """Whether U+0000 or the escape character stand there in the way JSON writes them."""
        return self.has_numbered and _CONTROLS.search(self.data) is not None

    @property
    def values(self) -> list[Json]:
        """The native values."""
        return [seen.record.value for seen in self.seen]

    @cached_property
    def strings(self) -> str:
        """All strings of the values in one."""
        return join_strings(self.values)

    @cached_property
    def is_plain(self) -> bool:
        """Whether no text of theirs is odd in a way that reading passes over."""
        diagnostic = [seen for seen in self.seen if seen.record.problems]
        return not diagnostic and self.is_json and is_fully_represented(self.data, self.values)


def select_files(batch: RecordBatch) -> Sequence[Place]:
    """A glance at parts: those that are files, or results of tools that are more than a text."""
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
    """The records of a conversation that can be judged, some at a time, and few where they are
    large; all records are noted."""
    get = talk.format.get
    held: list[RuleRecord] = []
    count = size = 0
    places = itertools.count()
    for record in records:
        large = record.usable and len(record.raw) > LOAD
        if large and held:
            # A large record is judged alone, so that its bytes need not be joined with others.
            yield _make_batch(talk, held)
            held, count, size = [], 0, 0
        held.append(RuleRecord(record, get(record), next(places), talk))
        if record.usable:
            count += 1
            size += len(record.raw)
        del record  # a large one goes before the next is read
        if large or count == BATCH_SIZE or size > LOAD:
            yield _make_batch(talk, held)
            held, count, size = [], 0, 0
    if held:
        yield _make_batch(talk, held)


def _make_batch(talk: CheckedConversation, held: Sequence[RuleRecord]) -> RecordBatch:
    talk.facts.take_records(held)
    return RecordBatch(talk, [seen for seen in held if seen.record.usable])
