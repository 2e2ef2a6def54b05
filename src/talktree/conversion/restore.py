"""Restoring a source from the data that the records of a converted document embed.

The bytes are those of the source; where a text was edited since, the new text replaces the old one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from talktree.conversion import part_map
from talktree.conversion.attachments import restore_attachments
from talktree.conversion.embed import EmbeddedRecord
from talktree.conversion.embed_read import (
    At,
    EmbeddedIndex,
    EmbeddedPlace,
    LoadedRecord,
    load_records,
)
from talktree.conversion.embed_template import (
    NO_STRINGS,
    PLAIN,
    NotATemplate,
    Spelling,
    Strings,
    fill_template,
)
from talktree.conversion.map_entries import unjoin_parts
from talktree.errors import DamagedRecord, UsageError
from talktree.files import Source, encode_utf16, is_utf16_form, park_pieces, stem_of
from talktree.files.save import check_relative_path
from talktree.formats import all_formats, get_format
from talktree.formats.companions import are_companion_paths
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.formats.format import Format
from talktree.model.conversation import BATCH_SIZE
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.model.message import Message


def rebuild_files(
    document: Document, index: EmbeddedIndex, source: Format, *, without_texts: Collection[At] = ()
) -> tuple[Mapping[str, Iterable[bytes]], dict[str, list[At]]]:
    """Return the files by path, and for each file its records in order.

    Some records may be wanted without the texts that the document holds of them.
    """
    by_sheet: dict[int, list[At]] = {}
    if not source.file_per_record:
        # A file stays even if all its records were deleted.
        by_sheet = {number: [] for number in sorted(index.sheets)}
    for at in sorted(index.places):
        by_sheet.setdefault(at[0], []).append(at)
    files: dict[str, Iterable[bytes]] = {}
    order: dict[str, list[At]] = {}
    for sheet, row in by_sheet.items():
        path = _choose_path(index, sheet, source)
        if path in files:
            raise _broken_data_error(f"two files would be called {path}")
        order[path] = row
        pieces = _Sheet(document, index, source, sheet, row, without_texts)
        files[path] = _encode_file(index, sheet, pieces)
    for path, content in index.files.items():
        files[path] = [_fill_without_strings(content)]
    return files, order


def _choose_path(index: EmbeddedIndex, sheet: int, source: Format) -> str:
    known = index.sheets.get(sheet)
    if known is not None and (sheet not in index.damaged_sheets or _is_file_name(known.path)):
        return known.path
    # The record that held the name is missing or damaged.
    stem = stem_of(index.name or "conversation")
    return f"{stem}{f'-{sheet + 1}' if sheet else ''}{source.info.suffixes[0]}"


def _is_file_name(path: str) -> bool:
    """Whether a name has the suffix of some format."""
    return path.endswith(tuple(suffix for each in all_formats() for suffix in each.info.suffixes))


def _fill_without_strings(template: object) -> bytes:
    """Return the bytes of a template without strings of the document."""
    try:
        return fill_template(template, NO_STRINGS, PLAIN)  # type: ignore[arg-type]
    except (NotATemplate, ValueError, KeyError) as error:
        raise _broken_data_error("a template was changed") from error


def _broken_data_error(why: str) -> DamagedRecord:
    return DamagedRecord(
        f"what it carries cannot be put together again: {why}",
        hint="somebody changed or removed it; what is to be seen can still be converted",
    )


def _encode_file(index: EmbeddedIndex, sheet: int, pieces: _Sheet) -> Iterable[bytes]:
    """Return a file in its original encoding."""
    known = index.sheets.get(sheet)
    form = "" if known is None else known.form
    return _InUtf16(form, pieces) if is_utf16_form(form) else pieces


class _InUtf16:
    """A file in UTF-16, encoded when it is read."""

    def __init__(self, form: str, pieces: _Sheet) -> None:
        self._form = form
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        return encode_utf16(self._form, self._pieces)


class _Sheet:
    """One file, assembled when it is read."""

    def __init__(
        self,
        document: Document,
        index: EmbeddedIndex,
        source: Format,
        sheet: int,
        row: Sequence[At],
        without_texts: Collection[At],
    ) -> None:
        self._document = document
        self._index = index
        self._source = source
        self._sheet = sheet
        self._row = row
        self._without_texts = without_texts
        self._whole = [at[1] for at in row] == list(range(len(row)))
        """Whether no record in between is missing."""

    def __iter__(self) -> Iterator[bytes]:
        known = self._index.sheets.get(self._sheet)
        lead = b"" if known is None else _fill_without_strings(known.lead)
        yield lead
        ends: list[bytes] = []
        count = [0]
        for opens, closes, depth in self._iter_pieces():
            while len(ends) > depth:
                yield ends.pop()
                count.pop()
            yield opens if self._whole else _restore_comma(opens, first=not count[-1], lead=lead)
            count[-1] += 1
            ends.append(closes)
            count.append(0)
        while ends:
            yield ends.pop()
        if known is not None:
            yield _fill_without_strings(known.trail)

    def _iter_pieces(self) -> Iterator[tuple[bytes, bytes, int]]:
        spelling = Spelling(self._source.can.spelling, self._source.derived)
        for place, found in self._load_records():
            kept = _restore_record(found, place)
            strings: Mapping[str, str] = NO_STRINGS
            if kept.place in self._without_texts:
                strings = _Blanks()
            elif place.unattached < 0 and found.carry is not None:
                strings = Strings(self._restore_entry(found))
            try:
                opens = fill_template(kept.open, strings, spelling)
                ends = fill_template(kept.end, strings, spelling) if kept.end else b""
            except (NotATemplate, ValueError, KeyError) as error:
                raise _broken_data_error("a template was changed") from error
            yield opens, ends, kept.depth

    def _restore_entry(self, found: LoadedRecord) -> Entry:
        entry = restore_parts(found)
        origin = self._document.origin
        assert isinstance(origin, DocumentOrigin)
        return (
            restore_attachments(entry, origin.source.files) if isinstance(entry, Message) else entry
        )

    def _load_records(self) -> Iterator[tuple[EmbeddedPlace, LoadedRecord]]:
        """Yield the document's records that embed the file's records, read in batches."""
        origin = self._document.origin
        assert isinstance(origin, DocumentOrigin)
        for start in range(0, len(self._row), BATCH_SIZE):
            places = [self._index.places[at] for at in self._row[start : start + BATCH_SIZE]]
            found: dict[tuple[int, int], LoadedRecord] = {}
            for number in {place.conversation for place in places}:
                conversation = self._document.conversations[number]
                wanted = sorted({each.position for each in places if each.conversation == number})
                for position, each in zip(
                    wanted, load_records(origin, conversation, wanted), strict=True
                ):
                    found[number, position] = each
            for place in places:
                yield place, found[place.conversation, place.position]


class _Blanks(dict[str, str]):
    """A neutral text for every string, which no format takes for anything else."""

    def __missing__(self, way: str) -> str:
        return "-"


def restore_parts(found: LoadedRecord) -> Entry:
    """Return the entry of a record with its parts as the source had them."""
    assert found.carry is not None
    count = len(found.entry.parts) if isinstance(found.entry, Message) else 0
    return unjoin_parts(found.entry, part_map.parse_seams(found.carry.seams, count))


def _restore_record(found: LoadedRecord, place: EmbeddedPlace) -> EmbeddedRecord:
    carry = found.carry
    kept = None
    if carry is not None:
        kept = carry.kept if place.unattached < 0 else carry.unattached[place.unattached]
    if kept is None:
        raise _broken_data_error("a record changed while it was read")
    return kept


def _restore_comma(opens: bytes, *, first: bool, lead: bytes) -> bytes:
    """Return a record's bytes with the right comma before it, after its neighbours were removed."""
    start = opens.lstrip()
    if first and start.startswith(b","):
        return opens.replace(b",", b"", 1)
    if not first and start.startswith((b"{", b"[")) and lead.rstrip().endswith((b"[", b"{")):
        return b"," + opens
    return opens


Files = Mapping[str, Iterable[bytes]]


class Restoration:
    """One source, as a document embeds it, without later edits."""

    def __init__(
        self, document: Document, index: EmbeddedIndex, *, onto: Document | None = None
    ) -> None:
        self.document = document
        self.onto = onto
        """The source itself; then an edited message becomes a sibling of the old one in it."""
        self.index = index
        self.format = get_format(index.format)
        self.folder = index.folder
        if onto is not None:
            assert isinstance(onto.origin, DocumentOrigin)
            self.folder = onto.origin.source.folder
        self._rebuild(())
        # The record that names the format may be damaged.
        self.folder = self.folder or len(self.files) != 1

    def _rebuild(self, without_texts: Collection[At]) -> None:
        self.files, self._order = rebuild_files(
            self.document, self.index, self.format, without_texts=without_texts
        )

    def find_main_file(self, files: Collection[str]) -> str | None:
        """Return the file that the others are companion files of, if there is one."""
        name = self.index.name
        if name is None or not self.folder or name not in files:
            return None
        others = (path for path in files if path != name)
        # Embedded data may be forged: other names must not be written beside the output.
        return name if are_companion_paths(self.format, name, others) else None

    @property
    def stem(self) -> str:
        """The stem of its output among others."""
        return stem_of(check_relative_path(self.index.name or "conversation").name)

    @property
    def is_framed(self) -> bool:
        """Whether the names, beginnings and ends of its files are known, or do not matter."""
        numbers = {at[0] for at in self.index.places}
        unknown = numbers - self.index.sheets.keys()
        if self.format.record_per_line:
            # The name of a single file of lines does not matter; in a folder the name is
            # significant.
            return not unknown or (self.format.info.layout == "file" and len(numbers) == 1)
        return not unknown and not numbers & self.index.damaged_sheets

    @property
    def is_edited(self) -> bool:
        """Whether anything was changed or added since it was written."""
        return bool(self.index.touched or self.index.fresh or self.onto)

    @cached_property
    def base(self) -> Document:
        """The source as it was, except for texts that were edited since."""
        if self.onto is not None:
            return self.onto
        if self.index.touched and len(self._find_numbers_in(self._read())) < len(self.index.places):
            # A new text would split into more or fewer records, so it is put in later, by the
            # format's rules.
            self._rebuild(self.index.touched)
        return self._read()

    def _read(self) -> Document:
        name = self.index.name or "conversation"
        contents = {path: park_pieces(pieces) for path, pieces in self.files.items()}
        return self._read_source(Source(name, contents, folder=self.folder))

    def _read_source(self, source: Source) -> Document:
        return read_document(source, self.format)

    def find_numbers(self) -> dict[At, int]:
        """Return the numbers of the records in the base, without files that split differently."""
        if self.onto is not None:
            return self._find_numbers_in_source(self.onto)
        return self._find_numbers_in(self.base)

    def _find_numbers_in(self, base: Document) -> dict[At, int]:
        origin = base.origin
        assert isinstance(origin, DocumentOrigin)
        numbers: dict[At, int] = {}
        for first, sheet in zip(origin.firsts, origin.sheets, strict=True):
            row = self._order.get(sheet.path, [])
            if len(row) == len(sheet):
                numbers |= {at: first + place for place, at in enumerate(row)}
        return numbers

    def _find_numbers_in_source(self, source: Document) -> dict[At, int]:
        """Return the numbers of the records in the source itself, which must be unchanged."""
        origin = source.origin
        assert isinstance(origin, DocumentOrigin)
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
