"""Repair a readable JSON text, change by change, so that every reader accepts it.

The same walk as in `scanner` records, for each oddity, which bytes to remove and what to insert.
After all changes, a strict reader finds the same values as the scanner, except meaningless ones:
names without values, unknown words, a number at the end of a truncated text that may have had more
digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from talktree.text.json.scanner import Scanner
from talktree.text.json.syntax import (
    CONTROL,
    NULS,
    NUMBER,
    WORDS,
    JsonNode,
    JsonScan,
    NodeKind,
    fill_containers,
)
from talktree.text.json.value import Json, Token

_PAIR = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_HALF = rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
_SOUND = rb'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
ESCAPE = re.compile(_PAIR + rb"|(" + _HALF + rb")|" + _SOUND + rb"|(\\)")
STRANGE = re.compile("[\udc80-\udcff]+")
CUT_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{0,3})?\Z")
SHORT = {0x08: b"\\b", 0x09: b"\\t", 0x0A: b"\\n", 0x0C: b"\\f", 0x0D: b"\\r"}
NAN = frozenset({b"NaN", b"Infinity", b"-NaN", b"-Infinity"})
REPLACEMENT = "\ufffd".encode()


class JsonRepair(NamedTuple):
    """A change that fixes an oddity, with the key of the oddity."""

    key: str
    start: int
    stop: int
    new: bytes = b""


class RepairedJson(NamedTuple):
    """What was found in a text, and the changes that make it valid, in order."""

    scan: JsonScan
    changes: list[JsonRepair]


def repair_values(text: bytes) -> RepairedJson:
    """Return the values in a text and the changes that fix it."""
    repairer = _JsonRepairer(text)
    found = fill_containers(repairer.run())
    changes = list(repairer.changes)
    # Duplicate members are certain only where it is certain what a member is.
    broken = any(change.key in ("syntax", "torn") for change in changes)
    if not broken and any(problem.code == "duplicate-key" for problem in found.problems):
        changes += _repair_duplicates(found.roots)
    return RepairedJson(found, sort_repairs(changes))


def sort_repairs(changes: Iterable[JsonRepair]) -> list[JsonRepair]:
    """Sort changes by place; adjacent ones of one kind are merged, and nested ones are dropped."""
    out: list[JsonRepair] = []
    for each in sorted(changes, key=lambda change: (change.start, change.stop)):
        last = out[-1] if out else None
        if last is None or each.start > last.stop or each.key != last.key:
            out.append(each)
        elif each.start == last.stop:
            out[-1] = JsonRepair(last.key, last.start, each.stop, last.new + each.new)
        elif each.start == last.start:
            out[-1] = each
    return out


def apply_repairs(text: bytes, changes: Iterable[JsonRepair]) -> bytes:
    """Return the text with all changes made; of two that overlap, only the first."""
    out: list[bytes] = []
    at = 0
    for change in changes:
        if change.start >= at:
            out += (text[at : change.start], change.new)
            at = change.stop
    return b"".join([*out, text[at:]])


class _JsonRepairer(Scanner):
    def __init__(self, text: bytes) -> None:
        super().__init__(text, 0, only_first=False)
        self.changes: list[JsonRepair] = []
        self._useless = ""
        """Why the current word is removed: the key of the oddity, or empty if it stays."""
        self._states: list[tuple[int, int]] = []
        """What came before each open container, and where the last comma was."""

    def _repair(self, key: str, start: int, stop: int, new: bytes = b"") -> None:
        changes = self.changes
        # Changes in a removed range are no longer needed, except insertions before it.
        while stop > start and changes and start < changes[-1].stop <= stop:
            if changes[-1].start < start:
                break
            changes.pop()
        changes.append(JsonRepair(key, start, stop, new))

    def _repair_comma(self, at: int) -> None:
        taken = bool(self.changes) and self.changes[-1].stop > self.end
        place = at if taken else self.end
        # A quote that is inserted at the same place belongs after the comma.
        index = len(self.changes)
        while index and self.changes[index - 1].start >= place:
            index -= 1
        self.changes.insert(index, JsonRepair("syntax", place, place, b","))

    def _unmend_comma(self, at: int) -> None:
        for index in range(len(self.changes) - 1, -1, -1):
            change = self.changes[index]
            if change.start == change.stop <= at and change.new == b",":
                del self.changes[index]
                return

    # removals

    def _open_container(self, kind: NodeKind) -> None:
        self._states.append((self.before, self.comma_at))
        super()._open_container(kind)

    def _close_container(self, stop: int, *, closed: bool = False) -> None:
        state = self._states.pop()
        super()._close_container(stop, closed=closed)
        above = self.open[-1] if self.open else None
        node = (above.children if above is not None else self.roots)[-1]
        if above is not None and above.kind is NodeKind.OBJECT and node.key is None:
            self._repair("syntax", node.start, stop)
            self.before, self.comma_at = state

    def _drop_key(self, stop: int, *, truncated: bool = False) -> None:
        if self.key is not None:
            self._take_back_comma()
        super()._drop_key(stop, truncated=truncated)

    def _take_back_comma(self) -> None:
        """Drop the insertion of a comma before a name that is removed."""
        changes = self.changes
        if self.key_before == 1 and changes and changes[-1].new == b",":
            changes.pop()

    def _read_word(self, word: bytes, start: int) -> Json:
        value = super()._read_word(word, start)
        number = NUMBER.match(self.text, start)
        whole = number is not None and number.end() == self.at
        self._useless = ""
        if word in NAN:
            self._repair("nan", start, self.at, b"null")
        elif self.open and self.at == len(self.text) and word not in WORDS:
            self._useless = "torn"
        elif isinstance(value, Token) and not whole:
            self._useless = "syntax"
        return value

    def _add_scalar(self, start: int, value: Json) -> None:
        useless, self._useless = self._useless, ""
        if not useless or not self.open:
            super()._add_scalar(start, value)
            return
        if self.key is None:
            self._repair(useless, start, self.at)
            return
        self._take_back_comma()
        self._repair(useless, self.key_at, self.at)
        self.key, self.before = None, self.key_before

    # strings

    def _check_unescaped(self, start: int, stop: int) -> None:
        super()._check_unescaped(start, stop)
        for found in NULS.finditer(self.text, start, stop):
            self._repair("nul", found.start(), found.end())
        self._repair_escapes("control", start, stop)

    def _repair_escapes(self, key: str, start: int, stop: int) -> None:
        for found in CONTROL.finditer(self.text, start, stop):
            byte = self.text[found.start()]
            new = SHORT.get(byte, b"\\u%04x" % byte)
            self._repair(key, found.start(), found.end(), new)

    def _read_text(self, start: int, stop: int) -> str:
        value = super()._read_text(start, stop)
        self._repair_characters(start + 1, stop)
        return value

    def _repair_characters(self, start: int, stop: int) -> None:
        """Fix invalid characters of a string."""
        if self.text.find(b"\\", start, stop) >= 0:
            for found in ESCAPE.finditer(self.text, start, stop):
                if found.group(1) is not None:
                    self._repair("surrogate", found.start(), found.end(), b"\\ufffd")
                elif found.group(2) is not None:
                    self._repair("syntax", found.start(), found.end(), b"\\\\")
        for here, behind in find_invalid_utf8(self.text, start, stop):
            self._repair("utf8", here, behind, REPLACEMENT)

    def _truncated_string(self, start: int) -> None:
        self.changes = [each for each in self.changes if each.start < start]
        if self._is_key_expected():
            super()._truncated_string(start)
            self._repair("torn", start, self.at)
            return
        super()._truncated_string(start)
        text, stop = self.text, len(self.text.rstrip(b"\r\n\0"))
        cut = CUT_ESCAPE.search(text, max(start + 1, stop - 5), stop)
        if cut is not None and _is_escape(text, start + 1, cut.start()):
            stop = cut.start()
        stop = max(start + 1, _find_last_whole(text, start + 1, stop))
        for found in NULS.finditer(text, start, stop):
            self._repair("torn", found.start(), found.end())
        self._repair_escapes("torn", start, stop)
        self._repair_characters(start + 1, stop)
        self.changes.sort(key=lambda change: change.start)
        self._repair("torn", stop, len(text), b'"')


def find_invalid_utf8(raw: bytes, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges that are not UTF-8, in one pass."""
    part = raw[start:stop]
    if part.isascii():
        return
    text = part.decode("utf-8", "surrogateescape")
    here, at = 0, start
    for found in STRANGE.finditer(text):
        at += len(text[here : found.start()].encode())
        here = found.end()
        behind = at + here - found.start()
        yield at, behind
        at = behind


def _is_escape(text: bytes, start: int, at: int) -> bool:
    """Whether the backslash at a place starts an escape and does not end one."""
    count = 0
    while at - count > start and text[at - count - 1] == 0x5C:
        count += 1
    return count % 2 == 0


def _find_last_whole(text: bytes, start: int, stop: int) -> int:
    """Return where the last whole character ends."""
    for back in range(1, min(4, stop - start) + 1):
        byte = text[stop - back]
        if byte >= 0xC0:
            wanted = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return stop if back >= wanted else stop - back
        if byte < 0x80:
            break
    return stop


def _repair_duplicates(roots: Iterable[JsonNode]) -> Iterator[JsonRepair]:
    """Remove all but the last of several members with the same name."""
    pending = list(roots)
    while pending:
        node = pending.pop()
        named: dict[str, int] = {}
        for place, child in enumerate(node.children):
            if child.key is not None and child.key in named:
                gone = named[child.key]
                after = node.children[gone + 1]
                yield JsonRepair("duplicate-key", node.children[gone].key_at, after.key_at)
            if child.key is not None:
                named[child.key] = place
        pending.extend(child for child in node.children if child.kind is not NodeKind.SCALAR)
