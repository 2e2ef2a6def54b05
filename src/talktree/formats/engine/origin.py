"""Where a document came from: its sheets, and the way from a record's number to its entry."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from talktree.files import Source
from talktree.formats.base import Format, Record, Split
from talktree.formats.sheets import Sheet
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry


class Origin:
    """Everything needed to read entries again and to write the document."""

    def __init__(self, source: Source, format: Format, split: Split) -> None:
        self.source = source
        self.format = format
        self.sheets = split.sheets
        self.strangers = split.strangers
        self.firsts = array("q")
        """The number of each sheet's first record; records are numbered through all sheets."""
        self.count = 0
        self.conversations: list[Conversation] = []
        """As they were read."""

    def sheet_of(self, number: int) -> tuple[int, int]:
        """Which sheet a record is in, and where."""
        which = bisect_right(self.firsts, number) - 1
        return which, number - self.firsts[which]

    def entry(self, number: int, id: str, parent: str | None) -> Entry:
        """One entry under the names the skeleton gave it."""
        return self.format.get(self.record(number, id, parent))

    def record(self, number: int, id: str, parent: str | None) -> Record:
        """One record under the names the skeleton gave it."""
        which, index = self.sheet_of(number)
        record = self.sheets[which].record(index)
        record.id, record.parent = id, parent
        return record

    def record_as_read(self, number: int) -> Record:
        """One record under the names it had when it was read."""
        for conversation in self.conversations:
            position = bisect_left(conversation.members, number)
            if position < len(conversation) and conversation.members[position] == number:
                return self.record(number, *conversation.names(position))
        raise IndexError(number)

    def entries(
        self, numbers: Sequence[int], names: Iterator[tuple[str, str | None]]
    ) -> Iterator[Entry]:
        """Many entries in order, each sheet read in one go."""
        get = self.format.get
        for sheet, indexes in self._runs(numbers):
            for record in sheet.records(indexes):
                record.id, record.parent = next(names)
                yield get(record)

    def _runs(self, numbers: Sequence[int]) -> Iterator[tuple[Sheet, Sequence[int]]]:
        at = 0
        while at < len(numbers):
            which, index = self.sheet_of(numbers[at])
            sheet = self.sheets[which]
            count = len(sheet) - index
            whole = (
                at + count <= len(numbers) and numbers[at + count - 1] - numbers[at] == count - 1
            )
            # Nearly always it is the rest of the sheet in order.
            count = count if whole else 1
            yield sheet, range(index, index + count)
            at += count
