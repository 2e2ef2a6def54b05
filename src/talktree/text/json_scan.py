"""The exact, tolerant, iterative JSON parser.

It never gives up: whatever is not JSON is reported as a `Problem` with its place, and parsing
goes on. The result is a flat table of nodes with byte spans, so that a caller can find, keep and
replace any value without touching its neighbours, at any nesting depth.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from talktree.text.json_string import unescape
from talktree.text.json_value import Json, Token

SPACE = re.compile(rb"[ \t\r\n]*")
STRING = re.compile(rb'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"', re.DOTALL)
LOOSE_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?(?=[ \t\r\n,\]}]|$)")
MEMBER = re.compile(
    rb'[ \t\r\n]*+"([ !#-\[\]-~]*+)"[ \t\r\n]*+:[ \t\r\n]*+'
    rb'(?:"([ !#-\[\]-~]*+)"|(-?(?:0|[1-9][0-9]{0,14}+))|(true|false|null))'
    rb"[ \t\r\n]*+(?:,|(?=\}))"
)
"""A whole member of an object, of the kind nearly all members are."""
WORD = re.compile(rb'[^\s,\[\]{}":]+')
COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
WORDS: dict[bytes, Json] = {b"true": True, b"false": False, b"null": None}
MOST_DIGITS = 4000
SAFE = 1 << 53
"""Beyond this, readers that keep numbers as doubles change them."""
DEEP = 200
MOST_PROBLEMS = 1000
"""Enough to tell what is wrong; a megabyte of garbage must not become a million findings."""


class Kind(IntEnum):
    """What a node is."""

    OBJECT = 0
    ARRAY = 1
    SCALAR = 2


class Problem(NamedTuple):
    """One place where the text is not plain JSON."""

    code: str
    at: int
    what: str


class Node:
    """One value in the text: where it stands, what it is, and for containers what is inside."""

    __slots__ = ("children", "closed", "key", "key_at", "kind", "start", "stop", "value")

    def __init__(self, kind: Kind, start: int, key: str | None, key_at: int) -> None:
        self.kind = kind
        self.start = start
        self.stop = -1
        self.key = key
        """The member's name, if it stands in an object."""
        self.key_at = key_at
        """Where the member starts: at its name, or at the value itself."""
        self.closed = False
        """Whether the text has its closing bracket."""
        self.children: list[Node] = []
        self.value: Json = None


class Scan(NamedTuple):
    """The outcome: the values found at top level, and everything that was odd."""

    roots: list[Node]
    problems: list[Problem]
    complete: bool
    """False if the text ended inside a value."""


class _Scanner:
    def __init__(self, text: bytes, start: int, *, only_first: bool) -> None:
        self.text = text
        self.at = start
        self.only_first = only_first
        self.roots: list[Node] = []
        self.open: list[Node] = []
        self.problems: list[Problem] = []
        self.key: str | None = None
        self.key_at = -1
        self.deepest = 0

    def run(self) -> Scan:
        """Go through the text once, from value to value."""
        text, size = self.text, len(self.text)
        while True:
            if self.key is None and self._takes_key():
                member = MEMBER.match(text, self.at)
                if member is not None:
                    self._member(member)
                    continue
            self.at = SPACE.match(text, self.at).end()  # type: ignore[union-attr]
            if self.at >= size or (self.only_first and self.roots and not self.open):
                break
            self._step(text[self.at])
        complete = not self.open and self.key is None
        while self.open:
            self._close(size)
        if self.deepest > DEEP:
            self._problem("deep", f"nested {self.deepest} deep", at=0)
        return Scan(self.roots, self.problems, complete)

    def _step(self, byte: int) -> None:
        match byte:
            case 0x7B:
                self._open(Kind.OBJECT)
            case 0x5B:
                self._open(Kind.ARRAY)
            case 0x7D | 0x5D:
                self._close_with(byte)
            case 0x22:
                self._string()
            case 0x2C:
                self._comma()
            case 0x3A:
                self._junk(1)
            case 0x00:
                self._nuls()
            case _:
                self._bare()

    # containers

    def _open(self, kind: Kind) -> None:
        node = self._place(kind)
        node.value = {} if kind is Kind.OBJECT else []
        self.open.append(node)
        self.deepest = max(self.deepest, len(self.open))
        self.at += 1

    def _close_with(self, byte: int) -> None:
        wanted = Kind.OBJECT if byte == 0x7D else Kind.ARRAY
        if not self.open or self.open[-1].kind is not wanted:
            if len(self.open) < 2 or self.open[-2].kind is not wanted:
                self._junk(1)
                return
            self._problem("syntax", "a bracket is closed by the wrong one")
            self._close(self.at)
        self.at += 1
        self._close(self.at, closed=True)

    def _close(self, stop: int, *, closed: bool = False) -> None:
        self._drop_key()
        node = self.open.pop()
        node.stop = stop
        node.closed = closed

    # scalars

    def _member(self, found: re.Match[bytes]) -> None:
        """Take a plain member at once; the same as taking its name and then its value."""
        raw, text, number, word = found.groups()
        name, key_at, group = raw.decode(), found.start(1) - 1, found.lastindex or 0
        self._take_key(name, key_at, found.end())
        self.key = None
        quote = group == 2
        node = Node(Kind.SCALAR, found.start(group) - quote, name, key_at)
        node.stop = found.end(group) + quote
        node.value = text.decode() if quote else int(number) if number else WORDS[word]
        self.open[-1].children.append(node)

    def _string(self) -> None:
        start = self.at
        found = STRING.match(self.text, start)
        if found is None:
            found = LOOSE_STRING.match(self.text, start)
            if found is None:
                self._problem("torn", "a string is not closed")
                self._torn_string(start)
                return
            self._problem("control", "a control character stands unescaped in a string")
        self.at = found.end()
        text = self._text(start)
        if self._takes_key():
            colon = SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
            if self.text[colon : colon + 1] == b":":
                self._take_key(text, start, colon + 1)
                return
            self._problem("syntax", "a name without a value")
            return
        self._scalar(start, text)

    def _torn_string(self, start: int) -> None:
        self.at = len(self.text)
        if self._takes_key():
            return
        self._scalar(start, unescape(self.text[start + 1 : self.at].rstrip(b"\r\n\0")))

    def _text(self, start: int) -> str:
        raw = self.text[start + 1 : self.at - 1]
        value = unescape(raw)
        if not raw.isascii():
            try:
                raw.decode()
            except UnicodeDecodeError:
                self._problem("utf8", "bytes that are not UTF-8", at=start)
        if b"\\u" in raw and any("\ud800" <= char <= "\udfff" for char in value):
            self._problem("surrogate", "half of a surrogate pair", at=start)
        return value

    def _bare(self) -> None:
        text, start = self.text, self.at
        comment = COMMENT.match(text, start)
        if comment:
            self._problem("comment", "a comment is not JSON")
            self.at = comment.end()
            return
        if text.startswith(b"\xef\xbb\xbf", start):
            self._problem("bom", "a byte order mark")
            self.at += 3
            return
        word = WORD.match(text, start)
        if word is None:
            self._junk(1)
            return
        if self._takes_key():
            self._junk(len(word.group()))
            return
        self.at = word.end()
        self._scalar(start, self._word(word.group(), start))

    def _word(self, word: bytes, start: int) -> Json:
        if word in WORDS:
            return WORDS[word]
        number = NUMBER.match(self.text, start)
        if number and number.end() == self.at:
            return self._number(number)
        shown = word.decode("utf-8", "replace")
        code = "nan" if word.lstrip(b"-") in (b"NaN", b"Infinity") else "syntax"
        self._problem(code, f"{shown[:40]} is not a JSON value", at=start)
        return Token(shown)

    def _number(self, found: re.Match[bytes]) -> Json:
        text = found.group().decode()
        if found.group(1) or found.group(2):
            value = float(text)
            if value in (float("inf"), float("-inf")):
                self._problem("number", f"{text[:40]} is out of range", at=found.start())
                return Token(text)
            return value
        if len(text) > MOST_DIGITS:
            self._problem("number", f"an integer of {len(text)} digits", at=found.start())
            return Token(text)
        value = int(text)
        if abs(value) > SAFE:
            self._problem("number", f"{text[:40]} is more than a double holds", at=found.start())
        return value

    # placing values

    def _takes_key(self) -> bool:
        return bool(self.open) and self.open[-1].kind is Kind.OBJECT and self.key is None

    def _take_key(self, key: str, start: int, after: int) -> None:
        holder = self.open[-1].value
        if isinstance(holder, dict):
            if key in holder:
                self._problem("duplicate-key", f"the name {key[:40]!r} stands twice", at=start)
            holder[key] = None
        self.key = key
        self.key_at = start
        self.at = after

    def _place(self, kind: Kind) -> Node:
        if self._takes_key():
            self._problem("syntax", "a value without a name")
        node = Node(kind, self.at, self.key, self.key_at if self.key is not None else self.at)
        self.key = None
        (self.open[-1].children if self.open else self.roots).append(node)
        return node

    def _scalar(self, start: int, value: Json) -> None:
        end, self.at = self.at, start
        node = self._place(Kind.SCALAR)
        node.value = value
        node.stop = self.at = end

    # oddities

    def _comma(self) -> None:
        self._drop_key()
        self.at += 1

    def _drop_key(self) -> None:
        if self.key is not None:
            self._problem("syntax", f"the name {self.key[:40]!r} has no value", at=self.key_at)
            self.key = None

    def _junk(self, length: int) -> None:
        shown = self.text[self.at : self.at + length].decode("utf-8", "replace")
        self._problem("syntax", f"{shown[:40]!r} does not belong here")
        self.at += length

    def _nuls(self) -> None:
        start = self.at
        stop = start
        while self.text[stop : stop + 1] == b"\0":
            stop += 1
        self._problem("nul", f"{stop - start} NUL bytes")
        self.at = stop

    def _problem(self, code: str, what: str, *, at: int | None = None) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(code, self.at if at is None else at, what))


def scan(text: bytes, start: int = 0, *, only_first: bool = False) -> Scan:
    """Parse everything in the text, or just the first value in it."""
    found = _Scanner(text, start, only_first=only_first).run()
    for root in found.roots:
        _fill(root)
    return found


def _fill(root: Node) -> None:
    """Hang the values of all nodes into the values of their containers."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node.value, dict):
            for child in node.children:
                if child.key is not None:
                    node.value[child.key] = child.value
        elif isinstance(node.value, list):
            node.value.extend(child.value for child in node.children)
        pending.extend(child for child in node.children if child.kind is not Kind.SCALAR)
