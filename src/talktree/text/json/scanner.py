"""The exact, tolerant, iterative JSON parser.

It never gives up: whatever is not JSON is reported as a `Problem` with its place, and parsing
goes on. The result is a flat table of nodes with byte spans, so that a caller can find, keep and
replace any value without touching its neighbours, at any nesting depth.
"""

from __future__ import annotations

import re

import msgspec

from talktree.text.json.quotes import (
    BEFORE_OBJECT,
    FIRST_NAME,
    NAME,
    REST_OF_STRING,
    STRUCTURE,
    UNCLOSED_NAME,
    UNOPENED_NAME,
    end_of_name,
    end_of_unopened,
    end_of_value,
)
from talktree.text.json.syntax import (
    COLON,
    COLONLESS,
    COMMENT,
    CONTROL,
    FLAT,
    LONG_DIGITS,
    LOOSE_STRING,
    MEMBER,
    NULS,
    NUMBER,
    SOUND_ESCAPES,
    SPACE,
    STRING,
    WORD,
    WORDS,
    Kind,
    Node,
    Problem,
    Scan,
    filled,
    unescape,
)
from talktree.text.json.value import REFUSALS, Json, Token

__all__ = ["DEEP", "MOST_PROBLEMS", "Kind", "Node", "Problem", "Scan", "Scanner", "scan"]

_decode = msgspec.json.Decoder().decode
MOST_DIGITS = 4000
SAFE = 1 << 53
"""Beyond this, readers that keep numbers as doubles change them."""
DEEP = 200
MOST_NAMES = 10_000
"""Number of names that are looked up instead of decoded again."""
MOST_PROBLEMS = 1000
"""Enough to tell what is wrong; a megabyte of garbage must not become a million findings."""
_OPENED, _VALUE, _COMMA = range(3)
"""What stands before the place that is looked at: a bracket or a name, a value, or a comma."""


class Scanner:
    """Goes through a text; `json_mend` builds on it and notes down what would mend each oddity."""

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
        self.before = _OPENED
        self.comma_at = 0
        self.key_before = _OPENED
        self.end = 0
        """Where the last value ended."""
        self._names: dict[bytes, str] = {}
        self.unended = False
        """Whether no comment that is open from here on has an end."""

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
                self._close_unended()
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
        value: Json = {} if kind is Kind.OBJECT else []
        node = self._place(kind, value)
        self.open.append(node)
        self.deepest = max(self.deepest, len(self.open))
        self.before = _OPENED
        self.at += 1

    def _close_unended(self) -> None:
        """Close an item of a list before the next one, which shows that its end is missing."""
        if not self._takes_key() or self.before != _COMMA or len(self.open) < 2:
            return
        if self.open[-2].kind is Kind.ARRAY and FIRST_NAME.match(self.text, self.at):
            # Before the comma, which then separates the two; what was dropped may be behind it.
            end = min(self.end, self.comma_at)
            self._problem("syntax", "an object is not closed", at=end)
            self.before = _VALUE
            self._close(end)
            self.before = _COMMA

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
        torn = not closed and stop == len(self.text)
        self._drop_key(stop - closed, torn=torn)
        node = self.open.pop()
        if self.before == _COMMA:
            if not torn:
                self._problem("syntax", "a comma too many", at=self.comma_at)
            self._mend("torn" if torn else "syntax", self.comma_at, self.comma_at + 1)
        if not closed:
            bracket = b"}" if node.kind is Kind.OBJECT else b"]"
            self._mend("torn" if torn else "syntax", stop, stop, bracket)
        self.before, self.end = _VALUE, stop
        node.stop = stop
        node.closed = closed

    # scalars

    def _member(self, found: re.Match[bytes]) -> None:
        """Take a plain member at once; the same as taking its name and then its value."""
        raw, text, number, word = found.groups()
        name, key_at, group = self._named(raw), found.start(1) - 1, found.lastindex or 0
        self._take_key(name, key_at, found.end())
        self.key = None
        self.comma_at = found.end() - 1
        self.before = _COMMA if self.text[self.comma_at] == 0x2C else _VALUE
        self.end = found.end(group) + (group == 2)
        quote = group == 2
        node = Node(Kind.SCALAR, found.start(group) - quote, name, key_at)
        node.stop = found.end(group) + quote
        node.value = text.decode() if quote else int(number) if number else WORDS[word]
        self._attach(node)

    def _named(self, raw: bytes) -> str:
        """The name of a member; the same name is held once, however often it occurs."""
        name = self._names.get(raw)
        if name is None:
            name = raw.decode()
            if len(self._names) < MOST_NAMES:
                self._names[raw] = name
        return name

    def _string(self) -> None:
        start = self.at
        if self.key is None and BEFORE_OBJECT.match(self.text, start):
            self._junk(1)
            return
        found = STRING.match(self.text, start)
        if found is None:
            found = LOOSE_STRING.match(self.text, start)
            if self._ends_with_line(start, found):
                return
            if found is None:
                self._problem("torn", "a string is not closed")
                self._torn_string(start)
                return
            self._unescaped(start, found.end())
        self.at = found.end()
        if self._takes_key():
            self._name(start)
            return
        end = self.at
        if self.open:
            in_list = self.open[-1].kind is Kind.ARRAY
            end = end_of_value(self.text, self.at, in_list=in_list)
        self._scalar(start, self._extended_text(start, end))

    def _name(self, start: int) -> None:
        """Take the name of a member, which ends here."""
        colon = COLON.match(self.text, self.at)
        if colon is None and NAME.match(self.text, start + 1):
            self.at = start
            self._junk(1)
            return
        if colon is None and self._is_unclosed_name(start):
            return
        end = end_of_name(self.text, self.at) if colon is None else None
        if end is None:
            text = self._text(start, self.at - 1)
        else:
            text = self._without_quote(start, end)
            colon = COLON.match(self.text, end)
        if colon is not None:
            self._take_key(text, start, colon.end())
            self._between(colon.start(), colon.end())
            return
        if COLONLESS.match(self.text, self.at):
            self._problem("syntax", "a name without its colon", at=self.at)
            self._mend("syntax", self.at, self.at, b":")
            self._take_key(text, start, self.at)
            return
        self._problem("syntax", "a name without a value")
        self._mend("syntax", start, self.at)

    def _is_unclosed_name(self, start: int) -> bool:
        """Take a name whose last quote is missing, if it is one."""
        found = UNCLOSED_NAME.match(self.text, start)
        if found is None:
            return False
        self._problem("syntax", "a name without its last quote", at=start)
        self._mend("syntax", found.end(1), found.end(1), b'"')
        self._take_key(self._text(start, found.end(1)), start, found.end())
        return True

    def _without_quote(self, start: int, end: int) -> str:
        """Return a name that goes on behind the quote that seems to end it.

        Names have no quotes in them, so it is one too many.
        """
        wrong = self.at - 1
        before = self._text(start, wrong)
        self._problem("syntax", "a quote too many in a name", at=wrong)
        self._mend("syntax", wrong, wrong + 1)
        self._unescaped(wrong + 1, end)
        self.at = end
        return before + self._text(wrong, end - 1)

    def _extended_text(self, start: int, end: int) -> str:
        """Go on to where a string really ends and return its text, with the quotes in it."""
        stop = self.at
        if end > stop:
            self._unescaped(stop, end)
        text = self._text(start, end - 1)
        while stop < end:
            self._problem("syntax", "a quote that is not escaped", at=stop - 1)
            self._mend("syntax", stop - 1, stop - 1, b"\\")
            stop = REST_OF_STRING.match(self.text, stop).end()  # type: ignore[union-attr]
        self.at = stop
        return text

    def _ends_with_line(self, start: int, found: re.Match[bytes] | None) -> bool:
        """Take a string whose last quote is missing, if the next line shows that it is."""
        text = self.text
        line_end = text.find(b"\n", start, found.end() if found else len(text))
        behind = SPACE.match(text, found.end() if found else max(0, line_end)).end()  # type: ignore[union-attr]
        after = text[behind : behind + 1]
        wanted = b":" if self._takes_key() else b",}]"
        if line_end < 0 or (after in wanted if found else after not in (b'"', b"}", b"]", b"{")):
            return False
        if self.key is None and STRUCTURE.fullmatch(text, start + 1, line_end):
            self._junk(1)
            return True
        if self._takes_key() and self._is_unclosed_name(start):
            return True
        stop = len(text[start:line_end].rstrip(b" \t\r").removesuffix(b",")) + start
        if stop == start:
            stop = start + 1
        stop -= text[start:stop].endswith(b"\\")
        self._problem("syntax", "a string is not closed on its line", at=start)
        self._unescaped(start, stop)
        self.at = max(stop, start + 1)
        if self._takes_key():
            self._mend("syntax", start, self.at)
            return True
        value = self._text(start, self.at)
        self._mend("syntax", self.at, self.at, b'"')
        self._scalar(start, value)
        return True

    def _between(self, start: int, stop: int) -> None:
        """Tell of NUL bytes between a name and its colon."""
        for found in NULS.finditer(self.text, start, stop):
            self._problem("nul", "NUL bytes behind a name", at=found.start())
            self._mend("nul", found.start(), found.end())

    def _unescaped(self, start: int, stop: int) -> None:
        nul = self.text.find(b"\0", start, stop)
        if nul >= 0:
            self._problem("nul", "NUL bytes in a string", at=nul)
        control = CONTROL.search(self.text, start, stop)
        if control is not None:
            what = "a control character stands unescaped in a string"
            self._problem("control", what, at=control.start())

    def _torn_string(self, start: int) -> None:
        self.at = len(self.text)
        if self._takes_key():
            return
        self._scalar(start, unescape(self.text[start + 1 : self.at].rstrip(b"\r\n\0")))

    def _text(self, start: int, stop: int) -> str:
        raw = self.text[start + 1 : stop]
        value = unescape(raw)
        if not raw.isascii():
            try:
                raw.decode()
            except UnicodeDecodeError as error:
                self._problem("utf8", "bytes that are not UTF-8", at=start + 1 + error.start)
        if b"\\" in raw and SOUND_ESCAPES.fullmatch(raw) is None:
            self._problem("syntax", "a backslash that escapes nothing", at=start)
        if b"\\u" in raw and any("\ud800" <= char <= "\udfff" for char in value):
            self._problem("surrogate", "half of a surrogate pair", at=start)
        return value

    def _bare(self) -> None:
        text, start = self.text, self.at
        number = NUMBER.match(text, start)
        if number is not None and not self._takes_key():
            self.at = number.end()
            self._scalar(start, self._word(number.group(), start))
            return
        comment = None if self.unended else COMMENT.match(text, start)
        if comment:
            self._problem("comment", "a comment is not JSON")
            self._mend("comment", start, comment.end())
            self.at = comment.end()
            return
        if text.startswith(b"/*", start):
            self.unended = True
        if text.startswith(b"\xef\xbb\xbf", start):
            self._problem("bom", "a byte order mark")
            self._mend("bom", start, start + 3)
            self.at += 3
            return
        word = WORD.match(text, start)
        if word is None:
            self._junk(1)
            return
        if self._takes_key():
            name = UNOPENED_NAME.match(text, start)
            if name is None:
                self._junk(len(word.group()))
                return
            self._problem("syntax", "a name without its first quote")
            # With its first character, so that it goes if the name goes.
            self._mend("syntax", start, start + 1, b'"' + text[start : start + 1])
            self._take_key(self._text(start - 1, name.end(1)), start, name.end())
            self._between(name.end(1) + 1, name.end() - 1)
            return
        end = self._unopened(word)
        if end is not None:
            self._problem("syntax", "a string without its first quote")
            self._mend("syntax", start, start, b'"')
            self.at = REST_OF_STRING.match(text, start).end()  # type: ignore[union-attr]
            self._unescaped(start, self.at)
            self._scalar(start, self._extended_text(start - 1, end))
            return
        self.at = word.end()
        self._scalar(start, self._word(word.group(), start))

    def _unopened(self, word: re.Match[bytes]) -> int | None:
        """Where a string ends that begins with a word instead of a quote."""
        known = word.group() in WORDS or NUMBER.match(self.text, word.start())
        if known or not self.open:
            return None
        in_list = self.open[-1].kind is Kind.ARRAY
        return end_of_unopened(self.text, word.start(), word.end(), in_list=in_list)

    def _word(self, word: bytes, start: int) -> Json:
        if word in WORDS:
            return WORDS[word]
        number = NUMBER.match(self.text, start)
        if number and number.end() == self.at:
            return self._number(number)
        shown = word.decode("utf-8", "replace")
        if self.open and self.at == len(self.text):
            self._problem("torn", "a value is cut off", at=start)
            return Token(shown)
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
        self.key_before = self.before
        self._parted(start)
        holder = self.open[-1].value
        if isinstance(holder, dict):
            if key in holder:
                self._problem("duplicate-key", f"the name {key[:40]!r} stands twice", at=start)
            else:
                holder[key] = None
        self.key = key
        self.key_at = start
        self.at = after

    def _place(self, kind: Kind, value: Json) -> Node:
        if self._takes_key():
            self._problem("syntax", "a value without a name")
        elif self.key is None and self.open:
            self._parted(self.at)
        node = Node(kind, self.at, self.key, self.key_at if self.key is not None else self.at)
        node.value = value
        self.key = None
        self._attach(node)
        return node

    def _attach(self, node: Node) -> None:
        """Add a value to the container that it stands in."""
        if node.kind is not Kind.SCALAR:
            node.children = []
        (self.open[-1].children if self.open else self.roots).append(node)

    def _scalar(self, start: int, value: Json) -> None:
        end, self.at = self.at, start
        node = self._place(Kind.SCALAR, value)
        node.stop = self.at = self.end = end
        self.before = _VALUE

    def _parted(self, at: int) -> None:
        """What comes next stands behind a comma, or is the first."""
        if self.before == _VALUE:
            self._problem("syntax", "a comma is missing", at=at)
            self._mend_comma(at)
        self.before = _OPENED

    # oddities

    def _comma(self) -> None:
        named = self.key is not None
        self._drop_key(self.at)
        if self.open and self.before == _VALUE:
            self.before, self.comma_at = _COMMA, self.at
        else:
            if not named:
                self._problem("syntax", "a comma too many")
            self._mend("syntax", self.at, self.at + 1)
        self.at += 1

    def _drop_key(self, stop: int, *, torn: bool = False) -> None:
        if self.key is None:
            return
        if not torn:
            self._problem("syntax", f"the name {self.key[:40]!r} has no value", at=self.key_at)
        self._mend("torn" if torn else "syntax", self.key_at, stop)
        if self.key_before == _VALUE:
            self._unmend_comma(self.key_at)
        self.key, self.before = None, self.key_before

    def _junk(self, length: int) -> None:
        shown = self.text[self.at : self.at + length].decode("utf-8", "replace")
        self._problem("syntax", f"{shown[:40]!r} does not belong here")
        self._mend("syntax", self.at, self.at + length)
        self.at += length

    def _nuls(self) -> None:
        start = self.at
        stop = NULS.match(self.text, start).end()  # type: ignore[union-attr]
        self._problem("nul", f"{stop - start} NUL bytes")
        self._mend("nul", start, stop)
        self.at = stop

    def _mend(self, key: str, start: int, stop: int, new: bytes = b"") -> None:
        """What to put in place of some bytes so that the oddity is gone; nothing by itself."""

    def _mend_comma(self, at: int) -> None:
        """The same for a comma that is missing."""

    def _unmend_comma(self, at: int) -> None:
        """Forget the comma that was missing before what is at a place, and goes itself."""

    def _problem(self, code: str, what: str, *, at: int | None = None) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(code, self.at if at is None else at, what))


class ValueScanner(Scanner):
    """Goes through a text for its values and problems: of what is inside a value, no node is kept.

    A node takes many times the memory of the bytes that it stands for.
    """

    def __init__(self, text: bytes) -> None:
        super().__init__(text, 0, only_first=False)

    def _open(self, kind: Kind) -> None:
        found = FLAT.match(self.text, self.at)
        value = None if found is None else _flat_value(found.group())
        if found is None or value is None:
            super()._open(kind)
            return
        node = self._place(kind, value)
        self.deepest = max(self.deepest, len(self.open) + 1)
        node.stop = self.at = self.end = found.end()
        node.closed = True
        self.before = _VALUE

    def _attach(self, node: Node) -> None:
        holder = self.open[-1].value if self.open else None
        if not self.open:
            self.roots.append(node)
        elif isinstance(holder, list):
            holder.append(node.value)
        elif isinstance(holder, dict) and node.key is not None:
            holder[node.key] = node.value


def _flat_value(text: bytes) -> Json:
    """The value of a container with no other inside; None if anything about its text is odd."""
    if LONG_DIGITS.search(text):
        return None
    try:
        value: Json = _decode(text)
    except REFUSALS:
        return None
    names = value if isinstance(value, dict) else ()
    inside = value.values() if isinstance(value, dict) else value
    texts = sum(type(each) is str for each in inside)  # type: ignore[union-attr]
    # A name that stands twice is dropped without a word, and its quotes are then too many.
    return value if text.count(b'"') == 2 * (len(names) + texts) else None


class _ShallowScanner(Scanner):
    """Goes through a text and keeps the nodes of the outermost levels only."""

    def __init__(self, text: bytes, levels: int) -> None:
        super().__init__(text, 0, only_first=False)
        self._levels = levels

    def _attach(self, node: Node) -> None:
        if len(self.open) < self._levels:
            super()._attach(node)


def scan_shallow(text: bytes, levels: int) -> Scan:
    """Parse everything in the text; nodes that are nested deeper are left out, as are values."""
    return _ShallowScanner(text, levels).run()


def scan_values(text: bytes) -> Scan:
    """Parse everything in the text; the values at top level have no nodes inside."""
    return ValueScanner(text).run()


def scan(text: bytes, start: int = 0, *, only_first: bool = False) -> Scan:
    """Parse everything in the text, or just the first value in it."""
    return filled(Scanner(text, start, only_first=only_first).run())
