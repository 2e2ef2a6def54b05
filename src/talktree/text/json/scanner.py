"""The exact, tolerant, iterative JSON parser.

It never gives up: anything that is not JSON is reported as a `Problem` with its place, and parsing
continues. The result is a flat table of nodes with byte spans, so that a caller can find, keep and
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
    JsonNode,
    JsonScan,
    NodeKind,
    Problem,
    fill_containers,
    unescape,
)
from talktree.text.json.value import REFUSALS, Json, Token

__all__ = [
    "DEEP",
    "MOST_PROBLEMS",
    "JsonNode",
    "JsonScan",
    "NodeKind",
    "Problem",
    "Scanner",
    "scan_json",
]

_decode = msgspec.json.Decoder().decode
MOST_DIGITS = 4000
SAFE = 1 << 53
"""Beyond this, readers that use doubles change numbers."""
DEEP = 200
MOST_NAMES = 10_000
"""Maximum number of names that are cached instead of decoded again."""
MOST_PROBLEMS = 1000
"""Enough to show what is wrong; a megabyte of garbage must not become a million findings."""
_OPENED, _VALUE, _COMMA = range(3)
"""What comes before the current place: a bracket or a name, a value, or a comma."""


class Scanner:
    """Scans a text; `json.repair` builds on it and records how to fix each oddity."""

    def __init__(self, text: bytes, start: int, *, only_first: bool) -> None:
        self.text = text
        self.at = start
        self.only_first = only_first
        self.roots: list[JsonNode] = []
        self.open: list[JsonNode] = []
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

    def run(self) -> JsonScan:
        """Scan the text once, from value to value."""
        text, size = self.text, len(self.text)
        while True:
            if self.key is None and self._is_key_expected():
                member = MEMBER.match(text, self.at)
                if member is not None:
                    self._take_member(member)
                    continue
            self.at = SPACE.match(text, self.at).end()  # type: ignore[union-attr]
            if self.at >= size or (self.only_first and self.roots and not self.open):
                break
            self._scan_value(text[self.at])
        complete = not self.open and self.key is None
        while self.open:
            self._close_container(size)
        if self.deepest > DEEP:
            self._add_problem("deep", f"nested {self.deepest} deep", at=0)
        return JsonScan(self.roots, self.problems, complete)

    def _scan_value(self, byte: int) -> None:
        match byte:
            case 0x7B:
                self._close_unended()
                self._open_container(NodeKind.OBJECT)
            case 0x5B:
                self._open_container(NodeKind.ARRAY)
            case 0x7D | 0x5D:
                self._close_with(byte)
            case 0x22:
                self._scan_string()
            case 0x2C:
                self._take_comma()
            case 0x3A:
                self._skip_junk(1)
            case 0x00:
                self._skip_nuls()
            case _:
                self._scan_bare_word()

    # containers

    def _open_container(self, kind: NodeKind) -> None:
        value: Json = {} if kind is NodeKind.OBJECT else []
        node = self._place_value(kind, value)
        self.open.append(node)
        self.deepest = max(self.deepest, len(self.open))
        self.before = _OPENED
        self.at += 1

    def _close_unended(self) -> None:
        """Close an item of a list before the next one, which shows that its end is missing."""
        if not self._is_key_expected() or self.before != _COMMA or len(self.open) < 2:
            return
        if self.open[-2].kind is NodeKind.ARRAY and FIRST_NAME.match(self.text, self.at):
            # Before the comma, which then separates the two; dropped text may follow it.
            end = min(self.end, self.comma_at)
            self._add_problem("syntax", "an object is not closed", at=end)
            self.before = _VALUE
            self._close_container(end)
            self.before = _COMMA

    def _close_with(self, byte: int) -> None:
        wanted = NodeKind.OBJECT if byte == 0x7D else NodeKind.ARRAY
        if not self.open or self.open[-1].kind is not wanted:
            if len(self.open) < 2 or self.open[-2].kind is not wanted:
                self._skip_junk(1)
                return
            self._add_problem("syntax", "a bracket is closed by the wrong one")
            self._close_container(self.at)
        self.at += 1
        self._close_container(self.at, closed=True)

    def _close_container(self, stop: int, *, closed: bool = False) -> None:
        truncated = not closed and stop == len(self.text)
        self._drop_key(stop - closed, truncated=truncated)
        node = self.open.pop()
        if self.before == _COMMA:
            if not truncated:
                self._add_problem("syntax", "a comma too many", at=self.comma_at)
            self._repair("torn" if truncated else "syntax", self.comma_at, self.comma_at + 1)
        if not closed:
            bracket = b"}" if node.kind is NodeKind.OBJECT else b"]"
            self._repair("torn" if truncated else "syntax", stop, stop, bracket)
        self.before, self.end = _VALUE, stop
        node.stop = stop
        node.closed = closed

    # scalars

    def _take_member(self, found: re.Match[bytes]) -> None:
        """Scan a plain member in one step, with the same result as its name and then its value."""
        raw, text, number, word = found.groups()
        name, key_at, group = self._intern_name(raw), found.start(1) - 1, found.lastindex or 0
        self._take_key(name, key_at, found.end())
        self.key = None
        self.comma_at = found.end() - 1
        self.before = _COMMA if self.text[self.comma_at] == 0x2C else _VALUE
        self.end = found.end(group) + (group == 2)
        quote = group == 2
        node = JsonNode(NodeKind.SCALAR, found.start(group) - quote, name, key_at)
        node.stop = found.end(group) + quote
        node.value = text.decode() if quote else int(number) if number else WORDS[word]
        self._attach_node(node)

    def _intern_name(self, raw: bytes) -> str:
        """Return the name of a member; equal names share one object."""
        name = self._names.get(raw)
        if name is None:
            name = raw.decode()
            if len(self._names) < MOST_NAMES:
                self._names[raw] = name
        return name

    def _scan_string(self) -> None:
        start = self.at
        if self.key is None and BEFORE_OBJECT.match(self.text, start):
            self._skip_junk(1)
            return
        found = STRING.match(self.text, start)
        if found is None:
            found = LOOSE_STRING.match(self.text, start)
            if self._take_unclosed_string(start, found):
                return
            if found is None:
                self._add_problem("torn", "a string is not closed")
                self._truncated_string(start)
                return
            self._check_unescaped(start, found.end())
        self.at = found.end()
        if self._is_key_expected():
            self._take_name(start)
            return
        end = self.at
        if self.open:
            in_list = self.open[-1].kind is NodeKind.ARRAY
            end = end_of_value(self.text, self.at, in_list=in_list)
        self._add_scalar(start, self._extend_text(start, end))

    def _take_name(self, start: int) -> None:
        """End the name of a member here."""
        colon = COLON.match(self.text, self.at)
        if colon is None and NAME.match(self.text, start + 1):
            self.at = start
            self._skip_junk(1)
            return
        if colon is None and self._is_unclosed_name(start):
            return
        end = end_of_name(self.text, self.at) if colon is None else None
        if end is None:
            text = self._read_text(start, self.at - 1)
        else:
            text = self._without_quote(start, end)
            colon = COLON.match(self.text, end)
        if colon is not None:
            self._take_key(text, start, colon.end())
            self._report_nuls(colon.start(), colon.end())
            return
        if COLONLESS.match(self.text, self.at):
            self._add_problem("syntax", "a name without its colon", at=self.at)
            self._repair("syntax", self.at, self.at, b":")
            self._take_key(text, start, self.at)
            return
        self._add_problem("syntax", "a name without a value")
        self._repair("syntax", start, self.at)

    def _is_unclosed_name(self, start: int) -> bool:
        """Scan a name whose closing quote is missing, and return whether it is one."""
        found = UNCLOSED_NAME.match(self.text, start)
        if found is None:
            return False
        self._add_problem("syntax", "a name without its last quote", at=start)
        self._repair("syntax", found.end(1), found.end(1), b'"')
        self._take_key(self._read_text(start, found.end(1)), start, found.end())
        return True

    def _without_quote(self, start: int, end: int) -> str:
        """Return a name that continues after the quote that seems to end it.

        Names contain no quotes, so that quote is superfluous.
        """
        wrong = self.at - 1
        before = self._read_text(start, wrong)
        self._add_problem("syntax", "a quote too many in a name", at=wrong)
        self._repair("syntax", wrong, wrong + 1)
        self._check_unescaped(wrong + 1, end)
        self.at = end
        return before + self._read_text(wrong, end - 1)

    def _extend_text(self, start: int, end: int) -> str:
        """Continue to where a string really ends and return its text, with the quotes in it."""
        stop = self.at
        if end > stop:
            self._check_unescaped(stop, end)
        text = self._read_text(start, end - 1)
        while stop < end:
            self._add_problem("syntax", "a quote that is not escaped", at=stop - 1)
            self._repair("syntax", stop - 1, stop - 1, b"\\")
            stop = REST_OF_STRING.match(self.text, stop).end()  # type: ignore[union-attr]
        self.at = stop
        return text

    def _take_unclosed_string(self, start: int, found: re.Match[bytes] | None) -> bool:
        """Scan a string whose closing quote is missing, if the next line shows that it is."""
        text = self.text
        line_end = text.find(b"\n", start, found.end() if found else len(text))
        behind = SPACE.match(text, found.end() if found else max(0, line_end)).end()  # type: ignore[union-attr]
        after = text[behind : behind + 1]
        wanted = b":" if self._is_key_expected() else b",}]"
        if line_end < 0 or (after in wanted if found else after not in (b'"', b"}", b"]", b"{")):
            return False
        if self.key is None and STRUCTURE.fullmatch(text, start + 1, line_end):
            self._skip_junk(1)
            return True
        if self._is_key_expected() and self._is_unclosed_name(start):
            return True
        stop = len(text[start:line_end].rstrip(b" \t\r").removesuffix(b",")) + start
        if stop == start:
            stop = start + 1
        stop -= text[start:stop].endswith(b"\\")
        self._add_problem("syntax", "a string is not closed on its line", at=start)
        self._check_unescaped(start, stop)
        self.at = max(stop, start + 1)
        if self._is_key_expected():
            self._repair("syntax", start, self.at)
            return True
        value = self._read_text(start, self.at)
        self._repair("syntax", self.at, self.at, b'"')
        self._add_scalar(start, value)
        return True

    def _report_nuls(self, start: int, stop: int) -> None:
        """Report NUL bytes between a name and its colon."""
        for found in NULS.finditer(self.text, start, stop):
            self._add_problem("nul", "NUL bytes behind a name", at=found.start())
            self._repair("nul", found.start(), found.end())

    def _check_unescaped(self, start: int, stop: int) -> None:
        nul = self.text.find(b"\0", start, stop)
        if nul >= 0:
            self._add_problem("nul", "NUL bytes in a string", at=nul)
        control = CONTROL.search(self.text, start, stop)
        if control is not None:
            what = "a control character stands unescaped in a string"
            self._add_problem("control", what, at=control.start())

    def _truncated_string(self, start: int) -> None:
        self.at = len(self.text)
        if self._is_key_expected():
            return
        self._add_scalar(start, unescape(self.text[start + 1 : self.at].rstrip(b"\r\n\0")))

    def _read_text(self, start: int, stop: int) -> str:
        raw = self.text[start + 1 : stop]
        value = unescape(raw)
        if not raw.isascii():
            try:
                raw.decode()
            except UnicodeDecodeError as error:
                self._add_problem("utf8", "bytes that are not UTF-8", at=start + 1 + error.start)
        if b"\\" in raw and SOUND_ESCAPES.fullmatch(raw) is None:
            self._add_problem("syntax", "a backslash that escapes nothing", at=start)
        if b"\\u" in raw and any("\ud800" <= char <= "\udfff" for char in value):
            self._add_problem("surrogate", "half of a surrogate pair", at=start)
        return value

    def _scan_bare_word(self) -> None:
        text, start = self.text, self.at
        number = NUMBER.match(text, start)
        if number is not None and not self._is_key_expected():
            self.at = number.end()
            self._add_scalar(start, self._read_word(number.group(), start))
            return
        comment = None if self.unended else COMMENT.match(text, start)
        if comment:
            self._add_problem("comment", "a comment is not JSON")
            self._repair("comment", start, comment.end())
            self.at = comment.end()
            return
        if text.startswith(b"/*", start):
            self.unended = True
        if text.startswith(b"\xef\xbb\xbf", start):
            self._add_problem("bom", "a byte order mark")
            self._repair("bom", start, start + 3)
            self.at += 3
            return
        word = WORD.match(text, start)
        if word is None:
            self._skip_junk(1)
            return
        if self._is_key_expected():
            name = UNOPENED_NAME.match(text, start)
            if name is None:
                self._skip_junk(len(word.group()))
                return
            self._add_problem("syntax", "a name without its first quote")
            # With its first character, so that it is removed with the name.
            self._repair("syntax", start, start + 1, b'"' + text[start : start + 1])
            self._take_key(self._read_text(start - 1, name.end(1)), start, name.end())
            self._report_nuls(name.end(1) + 1, name.end() - 1)
            return
        end = self._find_unopened_end(word)
        if end is not None:
            self._add_problem("syntax", "a string without its first quote")
            self._repair("syntax", start, start, b'"')
            self.at = REST_OF_STRING.match(text, start).end()  # type: ignore[union-attr]
            self._check_unescaped(start, self.at)
            self._add_scalar(start, self._extend_text(start - 1, end))
            return
        self.at = word.end()
        self._add_scalar(start, self._read_word(word.group(), start))

    def _find_unopened_end(self, word: re.Match[bytes]) -> int | None:
        """Return where a string ends that begins with a word instead of a quote."""
        known = word.group() in WORDS or NUMBER.match(self.text, word.start())
        if known or not self.open:
            return None
        in_list = self.open[-1].kind is NodeKind.ARRAY
        return end_of_unopened(self.text, word.start(), word.end(), in_list=in_list)

    def _read_word(self, word: bytes, start: int) -> Json:
        if word in WORDS:
            return WORDS[word]
        number = NUMBER.match(self.text, start)
        if number and number.end() == self.at:
            return self._read_number(number)
        shown = word.decode("utf-8", "replace")
        if self.open and self.at == len(self.text):
            self._add_problem("torn", "a value is cut off", at=start)
            return Token(shown)
        code = "nan" if word.lstrip(b"-") in (b"NaN", b"Infinity") else "syntax"
        self._add_problem(code, f"{shown[:40]} is not a JSON value", at=start)
        return Token(shown)

    def _read_number(self, found: re.Match[bytes]) -> Json:
        text = found.group().decode()
        if found.group(1) or found.group(2):
            value = float(text)
            if value in (float("inf"), float("-inf")):
                self._add_problem("number", f"{text[:40]} is out of range", at=found.start())
                return Token(text)
            return value
        if len(text) > MOST_DIGITS:
            self._add_problem("number", f"an integer of {len(text)} digits", at=found.start())
            return Token(text)
        value = int(text)
        if abs(value) > SAFE:
            self._add_problem(
                "number", f"{text[:40]} is more than a double holds", at=found.start()
            )
        return value

    # placing values

    def _is_key_expected(self) -> bool:
        return bool(self.open) and self.open[-1].kind is NodeKind.OBJECT and self.key is None

    def _take_key(self, key: str, start: int, after: int) -> None:
        self.key_before = self.before
        self._check_comma(start)
        holder = self.open[-1].value
        if isinstance(holder, dict):
            if key in holder:
                self._add_problem("duplicate-key", f"the name {key[:40]!r} stands twice", at=start)
            else:
                holder[key] = None
        self.key = key
        self.key_at = start
        self.at = after

    def _place_value(self, kind: NodeKind, value: Json) -> JsonNode:
        if self._is_key_expected():
            self._add_problem("syntax", "a value without a name")
        elif self.key is None and self.open:
            self._check_comma(self.at)
        node = JsonNode(kind, self.at, self.key, self.key_at if self.key is not None else self.at)
        node.value = value
        self.key = None
        self._attach_node(node)
        return node

    def _attach_node(self, node: JsonNode) -> None:
        """Add a value to its container."""
        if node.kind is not NodeKind.SCALAR:
            node.children = []
        (self.open[-1].children if self.open else self.roots).append(node)

    def _add_scalar(self, start: int, value: Json) -> None:
        end, self.at = self.at, start
        node = self._place_value(NodeKind.SCALAR, value)
        node.stop = self.at = self.end = end
        self.before = _VALUE

    def _check_comma(self, at: int) -> None:
        """Check that a comma precedes the next item, unless it is the first."""
        if self.before == _VALUE:
            self._add_problem("syntax", "a comma is missing", at=at)
            self._repair_comma(at)
        self.before = _OPENED

    # oddities

    def _take_comma(self) -> None:
        named = self.key is not None
        self._drop_key(self.at)
        if self.open and self.before == _VALUE:
            self.before, self.comma_at = _COMMA, self.at
        else:
            if not named:
                self._add_problem("syntax", "a comma too many")
            self._repair("syntax", self.at, self.at + 1)
        self.at += 1

    def _drop_key(self, stop: int, *, truncated: bool = False) -> None:
        if self.key is None:
            return
        if not truncated:
            self._add_problem("syntax", f"the name {self.key[:40]!r} has no value", at=self.key_at)
        self._repair("torn" if truncated else "syntax", self.key_at, stop)
        if self.key_before == _VALUE:
            self._unmend_comma(self.key_at)
        self.key, self.before = None, self.key_before

    def _skip_junk(self, length: int) -> None:
        shown = self.text[self.at : self.at + length].decode("utf-8", "replace")
        self._add_problem("syntax", f"{shown[:40]!r} does not belong here")
        self._repair("syntax", self.at, self.at + length)
        self.at += length

    def _skip_nuls(self) -> None:
        start = self.at
        stop = NULS.match(self.text, start).end()  # type: ignore[union-attr]
        self._add_problem("nul", f"{stop - start} NUL bytes")
        self._repair("nul", start, stop)
        self.at = stop

    def _repair(self, key: str, start: int, stop: int, new: bytes = b"") -> None:
        """Record what replaces some bytes to fix an oddity; this class does nothing."""

    def _repair_comma(self, at: int) -> None:
        """The same for a missing comma."""

    def _unmend_comma(self, at: int) -> None:
        """Drop the insertion of a comma before something that is removed itself."""

    def _add_problem(self, code: str, what: str, *, at: int | None = None) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(code, self.at if at is None else at, what))


class ValueScanner(Scanner):
    """Scans a text for its values and problems, without nodes inside values.

    A node takes many times the memory of its bytes.
    """

    def __init__(self, text: bytes) -> None:
        super().__init__(text, 0, only_first=False)

    def _open_container(self, kind: NodeKind) -> None:
        found = FLAT.match(self.text, self.at)
        value = None if found is None else _decode_flat(found.group())
        if found is None or value is None:
            super()._open_container(kind)
            return
        node = self._place_value(kind, value)
        self.deepest = max(self.deepest, len(self.open) + 1)
        node.stop = self.at = self.end = found.end()
        node.closed = True
        self.before = _VALUE

    def _attach_node(self, node: JsonNode) -> None:
        holder = self.open[-1].value if self.open else None
        if not self.open:
            self.roots.append(node)
        elif isinstance(holder, list):
            holder.append(node.value)
        elif isinstance(holder, dict) and node.key is not None:
            holder[node.key] = node.value


def _decode_flat(text: bytes) -> Json:
    """Decode a container without others inside; None if anything about its text is odd."""
    if LONG_DIGITS.search(text):
        return None
    try:
        value: Json = _decode(text)
    except REFUSALS:
        return None
    names = value if isinstance(value, dict) else ()
    inside = value.values() if isinstance(value, dict) else value
    texts = sum(type(each) is str for each in inside)  # type: ignore[union-attr]
    # A duplicate name is dropped silently, and its quotes are then too many.
    return value if text.count(b'"') == 2 * (len(names) + texts) else None


class _ShallowScanner(Scanner):
    """Scans a text and keeps the nodes of the outermost levels only."""

    def __init__(self, text: bytes, levels: int) -> None:
        super().__init__(text, 0, only_first=False)
        self._levels = levels

    def _attach_node(self, node: JsonNode) -> None:
        if len(self.open) < self._levels:
            super()._attach_node(node)


def scan_shallow(text: bytes, levels: int) -> JsonScan:
    """Parse everything in the text, without more deeply nested nodes and without values."""
    return _ShallowScanner(text, levels).run()


def scan_values(text: bytes) -> JsonScan:
    """Parse everything in the text; the values at top level have no nodes inside."""
    return ValueScanner(text).run()


def scan_json(text: bytes, start: int = 0, *, only_first: bool = False) -> JsonScan:
    """Parse everything in the text, or only the first value in it."""
    return fill_containers(Scanner(text, start, only_first=only_first).run())
