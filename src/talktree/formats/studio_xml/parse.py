"""An XML file of comments as a record file.

A scanned file is cut into pieces: each comment with its own bytes, without its replies. A strict
XML parser verifies the text; characters that XML does not allow are ignored for this.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import NamedTuple

from msgspec.structs import replace

from talktree.errors import DamagedRecord, RefusedInput
from talktree.files import Content, MemoryContent
from talktree.files.splice import Splice
from talktree.formats.format import Format, Record
from talktree.formats.nested_file import FilePiece, PieceSheet
from talktree.formats.record_file import ByteRepair, Item, Sink
from talktree.formats.studio_xml.elements import (
    CHILDREN,
    COMMENT,
    COMMENTS,
    CONTENT,
    CONTROL,
    EXTRA,
    Element,
    ElementKind,
)
from talktree.formats.studio_xml.lens import (
    NOWHERE,
    ObjectReading,
    TextSpan,
    read_leaf,
    read_object,
)
from talktree.formats.studio_xml.scanner import XmlScan, scan_comments
from talktree.formats.studio_xml.write import (
    LEARNT_FROM,
    Edit,
    ObjectPatch,
    XmlWriter,
    apply_edits,
    learn_habits,
    learn_layout,
)
from talktree.model.entries import Entry
from talktree.model.findings import Finding, make_finding
from talktree.text import utf8
from talktree.text.json import decode
from talktree.text.json.repair import find_invalid_utf8
from talktree.text.json.scanner import MOST_PROBLEMS, Problem
from talktree.text.json.value import Json, is_same
from talktree.text.utf8 import BOM


class RecordLocation(NamedTuple):
    """A record and where it was found."""

    element: Element
    gap_from: int
    depth: int
    first: bool


def iterate_locations(top: Sequence[Element], start: int) -> Iterator[RecordLocation]:
    """Yield all records in file order, each with where the bytes before it start."""
    pending = _locate_siblings(top, start, 0)
    while pending:
        cut = pending.pop()
        yield cut
        nested = cut.element.nested
        if nested:
            pending += _locate_siblings(nested, find_replies_span(cut.element).start, cut.depth + 1)


def _locate_siblings(records: Sequence[Element], start: int, depth: int) -> list[RecordLocation]:
    row = []
    for number, element in enumerate(records):
        row.append(RecordLocation(element, start, depth, number == 0))
        start = element.stop
    row.reverse()
    return row


def find_replies_span(comment: Element) -> TextSpan:
    """Return the range of a comment that holds its replies; `NOWHERE` if it has no place."""
    if not comment.nested:
        lists = [
            each for each in comment.children if each.kind is ElementKind.LIST and not each.bare
        ]
        return TextSpan(lists[-1].inside, lists[-1].end) if lists else NOWHERE
    first, last = comment.nested[0], comment.nested[-1]
    assert first.holder is not None
    assert last.holder is not None
    start = first.holder.inside if first.holder is not comment else _find_end_before(comment, first)
    return TextSpan(start, last.holder.end if last.holder is not comment else last.stop)


def _find_end_before(comment: Element, first: Element) -> int:
    """Return the end of the element before the first reply, if it is directly in the comment."""
    stop = comment.taken
    for child in comment.children:
        if child is first:
            break
        stop = child.stop
    return stop


def is_readable(comment: Element) -> bool:
    """Whether a comment itself could be fully read, or its text, or a place for replies."""
    if comment.closed and not comment.truncated:
        return True
    return find_replies_span(comment) is not NOWHERE or has_words(comment)


def has_words(comment: Element) -> bool:
    """Whether the text of a comment is whole, whatever else of it is missing."""
    if comment.fields is not None and CONTENT in comment.fields:
        return True
    return any(
        each.name == CONTENT and each.kind is ElementKind.LEAF and each.closed
        for each in comment.children
    )


def make_cut_piece(text: bytes, cut: RecordLocation) -> tuple[FilePiece, list[Problem]]:
    """Return the bytes and the value of a record, and its oddities."""
    element = cut.element
    made = FilePiece(
        None,
        b"",
        gap=text[cut.gap_from : element.start],
        depth=cut.depth,
        first=cut.first,
        usable=element.closed,
        closed=element.closed or element.stop < len(text),
    )
    place = find_replies_span(element)
    # A deep comment is long: its bytes are copied only without those of its replies.
    made.raw = text[element.start : place.start or element.stop]
    if element.kind is not ElementKind.COMMENT:
        made.value, problems = read_other(text, element)
        return made, problems
    made.usable = is_readable(element)
    if not made.usable:
        return made, []
    found = read_object(text, element, without=place if element.nested else NOWHERE)
    made.value = found.value
    if place is not NOWHERE:
        made.hole = place.start - element.start
        made.raw += text[place.stop : element.stop]
        made.empty = not element.nested
        made.tail = text[element.nested[-1].stop if element.nested else place.start : place.stop]
    return made, found.problems


def read_other(text: bytes, element: Element) -> tuple[Json, list[Problem]]:
    """Return a value among comments that is not a comment: a marked bare value, or any other."""
    if element.name == EXTRA and element.closed:
        found = ObjectReading({}, {}, [])
        words = read_leaf(text, element, found)
        decoded = decode.decode(utf8.encode(words)) if isinstance(words, str) else None
        if decoded is not None and decoded.usable and not isinstance(decoded.value, dict):
            return decoded.value, found.problems
    what = f"<{element.name[:40]}> is not a comment"
    problems = [Problem("unknown-record", element.start, what)]
    return utf8.decode(text[element.start : element.stop]), problems


def is_odd(found: XmlScan) -> bool:
    """Whether the records are nested in a way that would not survive a move."""
    if found.misnested or len({id(each.holder) for each in found.records}) > 1:
        return True
    pending = [each for each in found.records if each.nested]
    while pending:
        comment = pending.pop()
        if len({id(each.holder) for each in comment.nested}) > 1 or comment.truncated:
            return True
        pending += [each for each in comment.nested if each.nested]
    return False


_UNHELD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def find_parse_error(text: bytes) -> tuple[int, str] | None:
    """Return the line and the reason of the first parse error; None if the text can be parsed."""
    from xml.parsers.expat import ExpatError, ParserCreate

    sound = _UNHELD.sub(".", text.decode("utf-8", "replace")).encode()
    try:
        ParserCreate("utf-8").Parse(sound, True)
    except ExpatError as error:
        return error.lineno, str(error).partition(":")[0]
    return None


def can_parse(text: bytes) -> bool:
    """Whether a text can be parsed."""
    return find_parse_error(text) is None


BLANK = b'<?xml version="1.0" encoding="UTF-8"?>\n<comments>\n</comments>\n'
"""A file without comments, to start from."""
_ENCODING = re.compile(rb"""\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)["']""")
_BLANK = re.compile(rb"(?:\xef\xbb\xbf)?+\s*+")
_NUL_FILE = re.compile(rb"[\0 \t\r\n]*+")
REFUSED = frozenset({"torn-record", "malformed", "empty-file", "nul-file"})
"""Findings that already report why a file cannot be parsed."""
_STAND_IN = b"<comment/>"
"""Replaces the replies, so that a comment's own bytes can be scanned again."""


class XmlSheet(PieceSheet):
    """An XML file cut into comments."""

    links = "nested"

    def __init__(self, path: str, content: Content, format: Format, *, group: str) -> None:
        super().__init__(path, content, format, [], group=group)
        text = content.read()
        _refuse_other_encodings(path, text)
        start = len(BOM) if text.startswith(BOM) else 0
        # The elements of the first comments are needed to learn how a file is written.
        self._cut_records(text, scan_comments(text, start, exact=LEARNT_FROM), start)

    def index(self, sink: Sink) -> None:
        sink.open(self.group)
        super().index(sink)

    # splitting

    def _cut_records(self, text: bytes, found: XmlScan, start: int) -> None:
        records = found.records
        root = records[0].holder if records else next(iter(found.lists), None)
        self.listed = root is not None
        """Whether there is an element around the comments."""
        self.odd = is_odd(found)
        self.sound = not found.problems
        self._set_frame(text, records, root, start)
        all_cuts = list(iterate_locations(records, len(self.frame[0])))
        comments = [cut.element for cut in all_cuts if cut.element.kind is ElementKind.COMMENT]
        self.writer = XmlWriter(learn_layout(text, comments, root), learn_habits(text, comments))
        problems = list(found.problems)
        pieces = []
        for cut in all_cuts:
            made, odd = make_cut_piece(text, cut)
            pieces.append(made)
            problems += odd[: max(0, MOST_PROBLEMS - len(problems))]
        self.pieces = pieces
        lines = _compute_line_numbers(text, [cut.element.start for cut in all_cuts])
        for made, line in zip(pieces, lines, strict=True):
            made.line = line
        self._report_problems(text, problems, root)

    def _set_frame(
        self, text: bytes, records: Sequence[Element], root: Element | None, start: int
    ) -> None:
        self.blank: tuple[bytes, bytes] | None = None
        """The frame to put first records into, if there are none yet."""
        if records:
            head = records[0].start if root is None else root.inside
            holder = records[-1].holder
            end = records[-1].stop if holder is None else holder.end
            self.frame = (text[:head], text[end:])
            self.tail = text[records[-1].stop : end]
            return
        self.frame = (text, b"")
        if root is not None and root.bare:
            tag = text[root.start : root.stop - 2].rstrip() + b">"
            end_tag = f"</{root.name}>".encode()
            self.blank = (text[: root.start] + tag, end_tag + text[root.stop :])
        elif root is not None and root.closed:
            inside = text[root.inside : root.end].rstrip()
            self.blank = (text[: root.inside] + inside, text[root.end :])
        elif not text[start:].strip():
            before, _, behind = BLANK.rpartition(b"\n</")
            self.blank = (text[:start] + before, b"</" + behind)

    def _report_problems(self, text: bytes, problems: list[Problem], root: Element | None) -> None:
        if _BLANK.fullmatch(text):
            problems.append(Problem("empty", 0, "the file is empty"))
        elif _NUL_FILE.fullmatch(text):
            problems[:] = [Problem("nul-file", 0, f"nothing but {text.count(0)} NUL bytes")]
        elif root is None and not self.pieces:
            problems.append(Problem("syntax", 0, "no comments here"))
        problems.sort(key=lambda each: each.at)
        lines = _compute_line_numbers(text, [each.at for each in problems])
        self.findings = [
            make_finding(each.code, each.what, path=self.path, line=line)
            for each, line in zip(problems, lines, strict=True)
        ]

    def list_elements(self, text: bytes) -> list[Element]:
        """Return the elements of all records, in the order of the records."""
        start = len(BOM) if text.startswith(BOM) else 0
        found = scan_comments(text, start).records
        return [cut.element for cut in iterate_locations(found, len(self.frame[0]))]

    def inspect(self) -> Iterator[Finding]:
        return iter(self._all_findings)

    @cached_property
    def _all_findings(self) -> Sequence[Finding]:
        found = list(super().inspect())
        if not any(each.name in REFUSED for each in self.findings):
            # The scanner accepts more than a parser does.
            refused = find_parse_error(self.content.read())
            if refused is not None:
                line, what = refused
                found.append(self._make_finding("syntax", f"an XML parser says: {what}", line))
        return [*found, *self._find_odd_characters({each.name for each in self.findings})]

    @property
    def is_broken(self) -> bool:
        """Whether there are missing or unmatched tags."""
        return any(each.name in ("torn-record", "malformed") for each in self._all_findings)

    def _find_odd_characters(self, diagnostic: set[str]) -> Iterator[Finding]:
        """Yield invalid characters that are not in the text of a comment."""
        text = self.content.read()
        at = next((start for start, _ in find_invalid_utf8(text, 0, len(text))), -1)
        if at >= 0 and "invalid-utf8" not in diagnostic:
            yield self._make_finding(
                "utf8", "bytes that are not UTF-8", text.count(b"\n", 0, at) + 1
            )
        control = CONTROL.search(text)
        if control is not None and not diagnostic & {"control-character", "nul-file"}:
            line = text.count(b"\n", 0, control.start()) + 1
            yield self._make_finding("control", "a character that XML does not allow", line)

    def _make_finding(self, key: str, what: str, line: int) -> Finding:
        return make_finding(key, what, path=self.path, line=line)

    # Each broken rule asks for some of the repairs of the file.

    @cached_property
    def changes(self) -> Sequence[Splice]:
        """The repairs of the file's structure."""
        from talktree.formats.studio_xml.repair import find_xml_repairs

        return find_xml_repairs(self)

    @cached_property
    def text_changes(self) -> Sequence[ByteRepair]:
        """The repairs of texts in a file with a valid structure."""
        from talktree.formats.studio_xml.repair import repair_texts

        return list(repair_texts(self))

    def find_repairs(self, keys: Collection[str]) -> Iterator[ByteRepair]:
        from talktree.formats.studio_xml.repair import repair_xml

        return repair_xml(self, keys)

    # writing

    def rewrite(self, items: Sequence[Item]) -> Iterator[bytes]:
        if self.odd and not self._is_same_shape(items):
            raise DamagedRecord(
                f"{self.path}: tags are missing, so no record can be added, moved or taken out",
                hint="repair the file first; editing in place works",
            )
        if self.pieces or not items:
            outgrown = not self.listed and 1 <= _count_top_records(
                self.pieces
            ) < _count_top_records(items)
            written = super(XmlSheet, self._wrap_in_root() if outgrown else self).rewrite(items)
            return written if self.sound else self._verify_written(written, items)
        if self.blank is None:
            raise DamagedRecord(f"{self.path}: there is no <{COMMENTS}> to write into")
        return super(XmlSheet, self._add_frame(self.blank)).rewrite(items)

    def _add_frame(self, frame: tuple[bytes, bytes]) -> XmlSheet:
        other = copy(self)
        other.frame = frame
        return other

    def _wrap_in_root(self) -> XmlSheet:
        """Return the same with an element around it: one comment was the whole file."""
        line = self.writer.layout.line_start(0)
        start, end = f"<{COMMENTS}>".encode(), f"</{COMMENTS}>".encode()
        return self._add_frame((self.frame[0] + start + line, line + end + self.frame[1]))

    def _verify_written(self, written: Iterator[bytes], items: Sequence[Item]) -> Iterator[bytes]:
        """Yield the output if it reads back as the same records: damage may make them run on."""
        text = b"".join(written)
        again = XmlSheet(self.path, MemoryContent(text), self.format, group=self.group).pieces
        kept = [
            self.pieces[item.at].raw if not item.changed and item.at is not None else None
            for item in items
        ]
        if len(again) != len(kept) or any(
            raw is not None and raw != each.raw for raw, each in zip(kept, again, strict=True)
        ):
            raise DamagedRecord(
                f"{self.path}: the file is too damaged to be edited here",
                hint="repair the file first",
            )
        return iter((text,))

    def _is_same_shape(self, items: Sequence[Item]) -> bool:
        now = [(item.at, item.depth) for item in items]
        return now == [(index, each.depth) for index, each in enumerate(self.pieces)]

    def level(self, depth: int) -> int:
        """Return the indentation level of a comment."""
        return 2 * depth + (self.listed or not self.pieces)

    def make_piece(self, value: Json, depth: int) -> FilePiece:
        return FilePiece(value, self.writer.format_record(value, self.level(depth)), depth=depth)

    def apply_patch(self, old: FilePiece, value: Json, depth: int) -> FilePiece:
        text, element = self._rescan_piece(old)
        place = find_replies_span(element)
        found = read_object(text, element, without=place)
        if element.truncated or not isinstance(value, dict) or not is_same(found.value, old.value):
            raise self._damage_error(old)
        patch = ObjectPatch(text, self.writer)
        patch.patch_object(element, found, value, self.level(depth))
        made = apply_edits(text, patch.edits)
        hole = old.hole
        if hole is not None:
            hole += _compute_shift(patch.edits, hole)
            made = made[:hole] + made[hole + len(_STAND_IN) :]
        changed = replace(old, value=value, raw=made, hole=hole)
        if self._read_entry(self._read_again(changed)) != self._read_entry(value):
            # An unclosed tag in the record swallows what was put into it.
            raise self._damage_error(old)
        return changed

    def _read_again(self, piece: FilePiece) -> Json:
        text, element = self._rescan_piece(piece)
        return read_object(text, element, without=find_replies_span(element)).value

    def _read_entry(self, value: Json) -> Entry:
        return self.format.get(Record(value, id="same"))

    def add_children_slot(self, piece: FilePiece, depth: int) -> FilePiece:
        if not piece.usable or not isinstance(piece.value, dict):
            return super().add_children_slot(piece, depth)
        start, end = f"<{CHILDREN}>".encode(), f"</{CHILDREN}>".encode()
        rest = self.writer.layout.line_start(self.level(depth)) + f"</{COMMENT}>".encode()
        before = piece.raw.removesuffix(f"<{CHILDREN}/>".encode() + rest)
        if len(before) < len(piece.raw):
            # Every new comment ends with this, so the rest of it need not be checked.
            return replace(piece, raw=before + start + end + rest, hole=len(before + start))
        text, element = self._rescan_piece(piece)
        if not element.closed or element.truncated:
            raise self._damage_error(piece)
        empty = next((each for each in element.children if each.kind is ElementKind.LIST), None)
        patch = ObjectPatch(text, self.writer)
        if empty is not None:
            patch.edits.append((empty.start, empty.stop, start + end))
        else:
            patch.insert_elements(element, [start + end], self.level(depth))
        ((at, _, fresh),) = patch.edits
        hole = at + fresh.index(start) + len(start)
        return replace(piece, raw=apply_edits(text, patch.edits), hole=hole)

    def _rescan_piece(self, piece: FilePiece) -> tuple[bytes, Element]:
        """Scan a record's own bytes again, with one reply in place of all."""
        text = piece.raw
        if piece.hole is not None:
            text = text[: piece.hole] + _STAND_IN + text[piece.hole :]
        records = scan_comments(text).records
        if len(records) != 1 or records[0].name != COMMENT:
            raise self._damage_error(piece)
        return text, records[0]

    def make_separator(self, container: FilePiece | None, *, depth: int, first: bool) -> bytes:
        return self.writer.layout.line_start(self.level(depth))

    def end_of_list(self, depth: int) -> bytes:
        return self.writer.layout.line_start(self.level(depth) - 1)


def _count_top_records(records: Sequence[Item] | Sequence[FilePiece]) -> int:
    return sum(each.depth == 0 for each in records)


def _compute_shift(edits: Sequence[Edit], place: int) -> int:
    return sum(len(fresh) - (stop - start) for start, stop, fresh in edits if stop <= place)


def _refuse_other_encodings(path: str, text: bytes) -> None:
    if text[:2] in (b"\xff\xfe", b"\xfe\xff") or text[:4] in (b"<\0?\0", b"\0<\0?"):
        raise _encoding_error(path, "UTF-16")
    declared = _ENCODING.match(text.removeprefix(BOM)[:200])
    if declared is None:
        return
    name = declared.group(1).decode()
    try:
        known = codecs.lookup(name).name
    except LookupError:
        return
    if known not in ("utf-8", "ascii"):
        raise _encoding_error(path, name)


def _encoding_error(path: str, name: str) -> RefusedInput:
    return RefusedInput(
        f"{path}: the file is in {name}, not in UTF-8",
        hint="convert it and its declaration to UTF-8 first",
    )


def _compute_line_numbers(text: bytes, places: Sequence[int]) -> list[int]:
    """Return the line numbers of rising offsets, in one pass."""
    line, at = 1, 0
    out = []
    for place in places:
        line += text.count(b"\n", at, place)
        at = place
        out.append(line)
    return out
