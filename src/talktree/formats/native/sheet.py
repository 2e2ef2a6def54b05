"""A native file: lines of entries, in sections that lines of their own begin.

The lines that name the version and the conversations are no entries. They stand between records
like blank lines do, so they are never lost and never change.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from msgspec import UNSET

from talktree.files import Content
from talktree.files.splice import Splice
from talktree.formats.line_copy import Chunk
from talktree.formats.line_sheet import LineSheet
from talktree.formats.native.outlines import Dialect, Mark
from talktree.formats.record_file import Item, Mending, Sink, each_kind_once
from talktree.model.outline import LineOutline
from talktree.text.json.decode import inspect
from talktree.text.json.repair import mended

VERSION = 1


class Section(NamedTuple):
    """A conversation's stretch of the file."""

    group: str
    start: int
    """Where its bytes start."""
    first: int
    """Its first record."""


class _Run:
    """Outlines up to the next mark."""

    def __init__(self, first: LineOutline, rest: Iterator[LineOutline]) -> None:
        self._first = first
        self._rest = rest
        self.after: LineOutline | None = None

    def __iter__(self) -> Iterator[LineOutline]:
        yield self._first
        for found in self._rest:
            if type(found) is Mark:
                self.after = found
                return
            yield found


class NativeSheet(LineSheet):
    """A native file."""

    def __init__(self, path: str, content: Content, *, group: str, homes: dict[str, str]) -> None:
        """A file; `homes` says which file of the source holds a conversation, by its name."""
        super().__init__(path, content, Dialect(), group=group)
        self.sections: list[Section] = []
        self._groups: set[str] = set()
        self._homes = homes
        self._versions = 0
        self._marks: list[tuple[int, int, bool]] = []
        """Where the lines that are no records stand, and whether another stands before on it."""

    # reading

    def index(self, sink: Sink) -> None:
        lines = self.outlines()
        found = next(lines, None)
        while found is not None:
            if isinstance(found, Mark):
                self._take_mark(found, sink)
                found = next(lines, None)
                continue
            if not self.sections:
                self.sections.append(Section(self._new_group(None, 0), 0, 0))
            run = _Run(found, lines)
            sink.extend(self.sections[-1].group, run)
            found = run.after
        if not self._versions and self.content.size:
            self._note("no-version", "no line names the version of the format", None)

    def _take_mark(self, mark: Mark, sink: Sink) -> None:
        # It was counted as a record first; a mark is none.
        start, stop = self.starts.pop(), self.stops.pop()
        self._note_mark(start, stop)
        if mark.version is not UNSET:
            self._versions += 1
            self._judge_version(mark.version, start)
        if mark.starts:
            if not mark.conversation:
                what = "a conversation begins that has no id"
                self._note("nameless", what, self._line(start))
            group = self._new_group(mark.conversation, start)
            self.sections.append(Section(group, start if self.sections else 0, len(self)))
            sink.open(group, mark.habits)

    def _note_mark(self, start: int, stop: int) -> None:
        """Remember a line that is no record, and tell what is odd about its text."""
        shares = len(self.shared) > 0 and self.shared[-1] == len(self)
        if shares:
            self.shared.pop()
        else:
            self.blank.append(len(self))
        self._marks.append((start, stop, shares))
        for problem in each_kind_once(inspect(self.content.read(start, stop))):
            self._note(problem.code, problem.what, self._line(start))

    def mended(self, keys: Collection[str]) -> Iterator[Mending]:
        yield from super().mended(keys)
        for start, stop, shares in self._marks:
            if shares and "fused" in keys:
                yield Mending("fused", Splice(start, start, self.newline), "a line of its own")
            for key, at, end, new in mended(self.content.read(start, stop)).changes:
                if key in keys:
                    yield Mending(key, Splice(start + at, start + end, new), "as JSON wants it")

    def _judge_version(self, version: object, start: int) -> None:
        if not isinstance(version, int) or isinstance(version, bool):
            self._note("odd-version", "the version is not a whole number", self._line(start))
        elif version > VERSION:
            what = f"version {version} is newer than {VERSION}; what is understood was read"
            self._note("newer-version", what, self._line(start))

    def _new_group(self, name: str | None, start: int) -> str:
        group = name or self.group
        number = 2
        twice = group in self._groups
        # Two files may be copies of one conversation; each is one of its own.
        while group in self._groups or self._homes.get(group, self.path) != self.path:
            group = f"{name or self.group}#{number}"
            number += 1
        self._homes[group] = self.path
        if name and twice:
            what = f"the conversation {name[:60]} begins more than once"
            self._note("begins-twice", what, self._line(start))
        self._groups.add(group)
        return group

    def _line(self, start: int) -> int:
        return 1 + sum(block.count(b"\n") for block in self.content.blocks(0, start))

    # writing

    def laid_out(self, items: Sequence[Item]) -> Iterator[Chunk]:
        if not self.sections:
            return super().laid_out(items)
        sorted_items: dict[str, list[Item]] = {section.group: [] for section in self.sections}
        firsts = [section.first for section in self.sections]
        for item in items:
            group = item.group
            if item.at is not None:
                group = self.sections[bisect_right(firsts, item.at) - 1].group
            sorted_items[group].append(item)
        return chain.from_iterable(
            self.chunks(sorted_items[section.group], *self._extent(number))
            for number, section in enumerate(self.sections)
        )

    def _extent(self, number: int) -> tuple[range, range]:
        """The bytes and the records of a section."""
        section = self.sections[number]
        if number + 1 == len(self.sections):
            return range(section.start, self.content.size), range(section.first, len(self))
        after = self.sections[number + 1]
        return range(section.start, after.start), range(section.first, after.first)
