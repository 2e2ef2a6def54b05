"""A source put together again from what the records of a converted document embed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from talktree.conversion.embed_read import At, Index
from talktree.conversion.rebuild import rebuilt
from talktree.errors import UsageError
from talktree.files import Source, parked, stem_of
from talktree.files.save import beneath
from talktree.formats import by_slug
from talktree.formats.companions import are_companions
from talktree.formats.engine import Origin, read
from talktree.model.document import Document

Files = Mapping[str, Iterable[bytes]]


class Restoration:
    """One source, as a document carries it; edits made since are not in it."""

    def __init__(self, document: Document, index: Index, *, onto: Document | None = None) -> None:
        self.document = document
        self.onto = onto
        """The source itself; then an edited message becomes a sibling of the old one in it."""
        self.index = index
        self.format = by_slug(index.format)
        self.folder = index.folder
        if onto is not None:
            assert isinstance(onto.origin, Origin)
            self.folder = onto.origin.source.folder
        self._rebuild(())
        # The record that says so may be damaged.
        self.folder = self.folder or len(self.files) != 1

    def _rebuild(self, without_texts: Collection[At]) -> None:
        self.files, self._order = rebuilt(
            self.document, self.index, self.format, without_texts=without_texts
        )

    def main_among(self, files: Collection[str]) -> str | None:
        """The file that all others are companion files of, if there is one."""
        name = self.index.name
        if name is None or not self.folder or name not in files:
            return None
        others = (path for path in files if path != name)
        # What is embedded in a file may be forged: other names must not get beside the output.
        return name if are_companions(self.format, name, others) else None

    @property
    def stem(self) -> str:
        """What to call it among others."""
        return stem_of(beneath(self.index.name or "conversation").name)

    @property
    def is_framed(self) -> bool:
        """Whether the names, beginnings and ends of its files are known, or are of no matter."""
        numbers = {at[0] for at in self.index.places}
        unknown = numbers - self.index.sheets.keys()
        if self.format.record_per_line:
            # One file of lines is the same under any name; in a folder the name says what it is.
            return not unknown or (self.format.info.layout == "file" and len(numbers) == 1)
        return not unknown and not numbers & self.index.damaged_sheets

    @property
    def edited(self) -> bool:
        """Whether anything was changed or added since it was written."""
        return bool(self.index.touched or self.index.fresh or self.onto)

    @cached_property
    def base(self) -> Document:
        """The source as it was, but for texts that were edited since."""
        if self.onto is not None:
            return self.onto
        if self.index.touched and len(self._numbers_in(self._read())) < len(self.index.places):
            # A new text reads as more or fewer records: put it there later, by the format's rules.
            self._rebuild(self.index.touched)
        return self._read()

    def _read(self) -> Document:
        name = self.index.name or "conversation"
        contents = {path: parked(pieces) for path, pieces in self.files.items()}
        return self._read_source(Source(name, contents, folder=self.folder))

    def _read_source(self, source: Source) -> Document:
        return read(source, self.format)

    def numbers(self) -> dict[At, int]:
        """The numbers of the records in the base; those of files that read otherwise are absent."""
        if self.onto is not None:
            return self._numbers_in_itself(self.onto)
        return self._numbers_in(self.base)

    def _numbers_in(self, base: Document) -> dict[At, int]:
        origin = base.origin
        assert isinstance(origin, Origin)
        numbers: dict[At, int] = {}
        for first, sheet in zip(origin.firsts, origin.sheets, strict=True):
            row = self._order.get(sheet.path, [])
            if len(row) == len(sheet):
                numbers |= {at: first + place for place, at in enumerate(row)}
        return numbers

    def _numbers_in_itself(self, source: Document) -> dict[At, int]:
        """The numbers of the records in the source itself, which must be what it was."""
        origin = source.origin
        assert isinstance(origin, Origin)
        firsts, sheets = origin.firsts, origin.sheets
        numbers = {}
        for at in self.index.places:
            if at[0] >= len(sheets) or at[1] >= len(sheets[at[0]]):
                raise UsageError(
                    f"{source.shown} is not what {self.document.shown} was made from",
                    hint="name the source it was converted from, unchanged or grown",
                )
            numbers[at] = firsts[at[0]] + at[1]
        return numbers
