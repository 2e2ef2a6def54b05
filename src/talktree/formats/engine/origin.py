"""The origin of a document: its record files, and how to read the entry of a record number."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from talktree.files import Source, UnpackedContent
from talktree.formats.format import Format, Links, Record, SplitSource
from talktree.formats.record_file import Sheet
from talktree.model.conversation import Conversation, Reading
from talktree.model.entries import Entry
from talktree.model.findings import Finding, make_finding
from talktree.model.measures import MessageMeasures
from talktree.model.message import Message
from talktree.model.replies import ReplyUsage
from talktree.model.skeleton import Skeleton


class DocumentOrigin:
    """Everything that is needed to read entries again and to write the document."""

    def __init__(self, source: Source, format: Format, split: SplitSource) -> None:
        self.source = source
        self.format = format
        self.sheets = split.sheets
        self.foreign_files = split.foreign_files
        self.firsts = array("q")
        """The number of each file's first record; records are numbered across all files."""
        self.count = 0
        self.conversations: list[Conversation] = []
        """The conversations as they were read."""
        self.notes: dict[str, object] = {}
        """What fixes keep from one round of repair to the next, by names of their own."""

    def sheet_of(self, number: int) -> tuple[int, int]:
        """Return which record file a record is in, and its index there."""
        which = bisect_right(self.firsts, number) - 1
        return which, number - self.firsts[which]

    def path_of(self, number: int) -> str:
        """Return the file that a record was read from."""
        return self.sheets[self.sheet_of(number)[0]].path

    @cached_property
    def by_path(self) -> dict[str, Sheet]:
        """The record files by their paths."""
        return {sheet.path: sheet for sheet in self.sheets}

    @cached_property
    def damaged_files(self) -> dict[str, str]:
        """Files of which only a part could be decompressed or decoded, and why."""
        return {
            sheet.path: sheet.content.damage
            for sheet in self.sheets
            if isinstance(sheet.content, UnpackedContent) and sheet.content.damage is not None
        }

    def report_damage(self) -> list[Finding]:
        """Return a finding for each damaged file."""
        return [
            make_finding("damaged-file", f"{why}; the rest is missing", path=path)
            for path, why in self.damaged_files.items()
        ]

    def links(self, conversation: Conversation) -> Links | None:
        """Return how the records of a conversation are linked; None if it was not read."""
        sheet = self.by_path.get(conversation.main_file)
        return None if sheet is None else sheet.links

    def entry(self, number: int, id: str, parent: str | None) -> Entry:
        """Return an entry under the names that the skeleton gave it."""
        return self.format.get(self.record(number, id, parent))

    def record(self, number: int, id: str, parent: str | None) -> Record:
        """Return a record under the names that the skeleton gave it."""
        which, index = self.sheet_of(number)
        record = self.sheets[which].record(index)
        record.id, record.parent = id, parent
        return record

    def record_as_read(self, number: int) -> Record:
        """Return a record under the names that it had when it was read."""
        for conversation in self.conversations:
            position = bisect_left(conversation.members, number)
            if position < conversation.record_count and conversation.members[position] == number:
                return self.record(number, *conversation.names(position))
        raise IndexError(number)

    def entries(
        self, numbers: Sequence[int], names: Iterator[tuple[str, str | None]]
    ) -> Iterator[Entry]:
        """Yield many entries in order; adjacent records of a file are read together."""
        return map(self.format.get, self.records(numbers, names))

    def records(
        self, numbers: Sequence[int], names: Iterator[tuple[str, str | None]]
    ) -> Iterator[Record]:
        """Yield many records in order; adjacent records of a file are read together."""
        for sheet, indexes in self._iterate_runs(numbers):
            # No reference to a yielded record is kept: it may be very long.
            yield from map(_with_names, sheet.records(indexes), names)

    def sizes(self, numbers: Sequence[int]) -> Sequence[int]:
        """Return the sizes of many records in bytes, in order."""
        found = array("q")
        for sheet, indexes in self._iterate_runs(numbers):
            found.extend(map(sheet.size_of, indexes))
        return found

    def link(self, skeleton: Skeleton, read: Reading) -> None:
        """Let the format add links that only contents show."""
        self.format.link(skeleton, read)

    def replies(self, message: Message, own: str) -> Iterator[ReplyUsage]:
        """Return the API replies of a message, as the format names them."""
        return self.format.replies(message, own)

    def measures(self, message: Message) -> MessageMeasures:
        """Return what the format records about a message."""
        return self.format.measures(message)

    def _iterate_runs(self, numbers: Sequence[int]) -> Iterator[tuple[Sheet, Sequence[int]]]:
        at = 0
        while at < len(numbers):
            which, index = self.sheet_of(numbers[at])
            sheet = self.sheets[which]
            first = numbers[at] - index
            most = min(len(sheet) - index, len(numbers) - at)
            # Nearly always it is the rest of the file without a gap.
            if numbers[at + most - 1] - numbers[at] == most - 1:
                yield sheet, range(index, index + most)
                at += most
                continue
            end = at + 1
            while end < len(numbers) and first <= numbers[end] < first + len(sheet):
                end += 1
            yield sheet, [number - first for number in numbers[at:end]]
            at = end


def _with_names(record: Record, names: tuple[str, str | None]) -> Record:
    record.id, record.parent = names
    return record
