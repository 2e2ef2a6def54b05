"""The lines of a message file's header, each split so that its value can be replaced alone.

Four styles are read: `;` lines, the same without `;`, an HTML comment, and a bare UUID as the first
line. This module decides which lines form the header, not what they mean. It also has the names of
header fields, in the lower case in which they are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

UUID = "block-uuid"
CREATED = "created-at"
AUTHORS = "authors"
ROLE = "role"

REQUIRED = (
    "Block-UUID",
    "Component",
    "Version",
    "Description",
    "Language",
    "Created-at",
    "Authors",
)
"""The fields that the specification requires, in its order and spelling."""
KNOWN = frozenset({*(name.lower() for name in REQUIRED), ROLE, "visibility", "parent-uuid"})
ROLES = ("user", "assistant", "system")
PROPER = {name.lower(): name for name in (*REQUIRED, ROLE, "visibility", "Parent-UUID")}
"""Known keys in their proper spelling, by their normalized form."""


def normalize_key(key: str) -> str:
    """Return the form of a key that is compared: known keys in lower case, others unchanged."""
    lower = key.lower()
    return lower if lower in KNOWN else key


BLANKS = " \t\r\n"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_KEY = re.compile(r"[^\W\d_][\w.-]*(?: [\w.-]+){0,3}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_WORD = re.compile(r"[\w-]+")
LONGEST_KEY = 80
OPEN, CLOSE = "<!--", "-->"
BARE_ID = ""
"""The key of a line that holds only a UUID."""


class HeaderLine(NamedTuple):
    """One line of a header: `lead + key + colon + value + end`."""

    lead: str
    key: str | None = None
    """None for a line without a key: a comment, a blank line, a continuation line."""
    colon: str = ""
    value: str = ""
    end: str = ""

    @property
    def text(self) -> str:
        """The line as written."""
        return f"{self.lead}{self.key or ''}{self.colon}{self.value}{self.end}"

    @property
    def name(self) -> str | None:
        """The form of the key that is compared: known keys in lower case, others unchanged."""
        if self.key is None:
            return None
        return UUID if self.key == BARE_ID else normalize_key(self.key)

    @property
    def has_semicolon(self) -> bool:
        """Whether the line begins with a semicolon."""
        return self.lead.lstrip(" \t").startswith(";")


def without_newline(line: HeaderLine) -> HeaderLine:
    """Return the line without its newline."""
    if line.key is None:
        return HeaderLine(_strip_newline(line.lead))
    return line._replace(end=_strip_newline(line.end))


def with_newline(line: HeaderLine, newline: str) -> HeaderLine:
    """Return the line with a newline at its end."""
    if line.text.endswith("\n"):
        return line
    if line.key is None:
        return HeaderLine(line.lead + newline)
    return line._replace(end=line.end + newline)


def _strip_newline(text: str) -> str:
    if not text.endswith("\n"):
        return text
    return text[:-2] if text.endswith("\r\n") else text[:-1]


def iterate_lines(text: str, start: int, stop: int) -> Iterator[str]:
    """Yield the lines of a range, with their newlines."""
    return (found.group() for found in _LINE.finditer(text, start, stop))


def parse_field(text: str, *, lead: str = "", end: str = "") -> HeaderLine | None:
    """Return a line of the form `key: value`, with or without a semicolon, or None."""
    body = text.rstrip(BLANKS)
    start = len(body) - len(body.lstrip("; \t"))
    colon = body.find(":", start, start + LONGEST_KEY + 2)
    key = body[start:colon].rstrip(" \t") if colon > 0 else ""
    if not _KEY.fullmatch(key):
        return None
    value = body[colon + 1 :].lstrip(" \t")
    value_at = len(body) - len(value)
    if value and value_at == colon + 1 and key.lower() not in KNOWN:
        # A colon inside a word, such as in an address.
        return None
    between = body[start + len(key) : value_at]
    return HeaderLine(lead + body[:start], key, between, value, text[len(body) :] + end)


def is_uuid(text: str) -> bool:
    """Whether a text is a UUID and nothing else."""
    return _UUID.fullmatch(text) is not None


def parse_header_line(text: str) -> HeaderLine | None:
    """Return a line that can only belong to a header, or None."""
    body = text.strip(BLANKS)
    marked = body.startswith(";")
    found = parse_field(text)
    if found is not None and (marked or found.name in KNOWN):
        return found
    if is_uuid(body.lstrip("; \t")):
        body = body.lstrip("; \t")
        at = text.index(body)
        return HeaderLine(text[:at], BARE_ID, "", body, text[at + len(body) :])
    return HeaderLine(text) if marked else None


def scan_header(
    text: str, start: int, stop: int, *, closed: bool, behind_comment: bool
) -> list[HeaderLine]:
    """Return the header lines from start on; `closed` means that a triple newline is at stop."""
    taken: list[HeaderLine] = []
    waiting: list[HeaderLine] = []
    after_blank = False
    for line in iterate_lines(text, start, stop):
        found = parse_header_line(line)
        first = not taken and not behind_comment
        if found and _belongs_to_header(found, after_blank=after_blank, closed=closed, first=first):
            taken += [*waiting, found]
            waiting, after_blank = [], False
            continue
        blank = not line.strip(BLANKS)
        # A continuation line belongs to the line above it, but only where the header surely
        # continues.
        if first or (not blank and (after_blank or behind_comment or not closed)):
            return taken
        waiting.append(HeaderLine(line))
        after_blank = after_blank or blank
    return [*taken, *waiting] if closed and taken else taken


def _belongs_to_header(found: HeaderLine, *, after_blank: bool, closed: bool, first: bool) -> bool:
    says_role = found.name == ROLE and found.value in ROLES
    if after_blank:
        return says_role or (found.has_semicolon and bool(found.key))
    if found.has_semicolon or says_role:
        return True
    return first if found.key == BARE_ID else first or closed


def is_header(lines: list[HeaderLine], *, closed: bool) -> bool:
    """Whether the lines are a header and not the beginning of a text."""
    if not lines:
        return False
    first = lines[0]
    known = any(line.name in KNOWN for line in lines)
    if first.has_semicolon:
        return known or (closed and all(line.has_semicolon for line in lines))
    if first.name == ROLE:
        return first.value in ROLES or (closed and _WORD.fullmatch(first.value) is not None)
    if first.key == BARE_ID:
        return len(lines) > 1 or closed
    return first.name == UUID


def parse_comment_lines(text: str, start: int) -> list[HeaderLine]:
    """Return the lines of an HTML comment that is a header, or an empty list."""
    if not text.startswith(OPEN, start):
        return []
    close = text.find(CLOSE, start + len(OPEN))
    if close < 0:
        return []
    found = [HeaderLine(line) for line in iterate_lines(text, start, close + len(CLOSE))]
    last = len(found) - 1
    for number, line in enumerate(found):
        lead, end = OPEN if number == 0 else "", CLOSE if number == last else ""
        inner = line.lead[len(lead) : len(line.lead) - len(end)]
        found[number] = parse_field(inner, lead=lead, end=end) or line
    return found if any(line.name in KNOWN for line in found) else []
